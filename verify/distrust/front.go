package distrust

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/shell"
	"cookoff/verify/tree"
)

// Front is what a program looks at before the file that says what it does: who
// puts something there has the last word.
type Front struct {
	Programs []string
	Unless   []string            // flags that name the file
	Before   map[string][]string // file that a task protects -> what comes before it, beside it
	What     string              // is planted by a mutation
	Plant    string              // does it
}

// Runs reports whether a script runs one of the programs, and leaves it to look
// for the file.
func (f Front) Runs(script string) bool {
	file, err := shell.Parse(script)
	if err != nil {
		return false
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		call, is := n.(*syntax.CallExpr)
		if !is || !slices.Contains(f.Programs, shell.CommandName(call)) {
			return !found
		}
		named := slices.ContainsFunc(shell.CommandWords(call)[1:], func(w *syntax.Word) bool {
			return slices.ContainsFunc(f.Unless,
				func(flag string) bool { return strings.HasPrefix(shell.Text(w), flag) })
		})
		found = found || !named
		return !found
	})
	return found
}

// Open gives what comes before a protected file and is not protected itself.
func (f Front) Open(g string, protected []string) (names []string) {
	g = tree.Pattern(g)
	for _, first := range f.Before[path.Base(g)] {
		first = path.Join(path.Dir(g), first)
		if !tree.Matches(protected, first) {
			names = append(names, first)
		}
	}
	return names
}
