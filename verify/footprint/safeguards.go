package footprint

import (
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/footprint/aside"
	"cookoff/verify/footprint/questions"
	"cookoff/verify/tree"
)

// givesUp are the traps of a program, or of a file by which it is built, that has given up what kept it, or what it
// keeps, safe, as no other text of the project does that.
func (n program) givesUp(f *Footprint, m sandbox.Manifest) (list []Difference) {
	plain := func(text string) string {
		if n.name == "" {
			return text
		}
		return questions.WithoutComments(n.name, text)
	}
	others := func() string {
		var out strings.Builder
		for p, it := range n.start.Texts {
			if _, isThere := tree.Lookup(m, p); isThere && n.held[p].Path == "" && p != n.path {
				out.Write(it.Data)
				out.WriteByte('\n')
			}
		}
		return out.String() + otherTexts(n.path, n.held)
	}
	t := aside.Text{Lines: plain(n.lines), Was: plain(n.was)}
	for _, what := range t.GivesUp(plain(n.text), others, f.About+f.Prompt) {
		list = append(list, n.does(what))
	}
	return list
}
