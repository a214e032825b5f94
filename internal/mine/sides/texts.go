package sides

import (
	"slices"
	"strings"

	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/lines"
)

// Texts gives the texts that a fix brings: those in its code, but the names of what that takes in from elsewhere, and
// all lines of data.
func Texts(fix []Pair) (out []string) {
	for _, p := range fix {
		fresh, lang := lines.Added(p.Was, p.Now), kind.Language(p.Path)
		if lang == "" {
			out = append(out, fresh...)
			continue
		}
		elsewhere := lines.Imported(lang, p.Now)
		out = append(out, slices.DeleteFunc(lines.Literals(lang, strings.Join(fresh, "\n")), func(s string) bool {
			return elsewhere[s]
		})...)
	}
	return out
}
