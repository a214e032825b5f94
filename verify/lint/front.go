package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/recipe"
	"cookoff/shell"
	"cookoff/verify/tree"
)

// front is what a program looks at before the file that says what it does: who
// puts something there has the last word.
type front struct {
	programs []string
	unless   []string            // flags that name the file
	before   map[string][]string // file that a task protects -> what comes before it, beside it
	What     string              // is planted by a mutation
	Plant    string              // does it
}

var Fronts = []front{
	{
		programs: []string{"make", "gmake"}, unless: []string{"-f", "--file", "--makefile"},
		before: map[string][]string{"Makefile": {"GNUmakefile", "makefile"}, "makefile": {"GNUmakefile"}},
		What:   "a GNUmakefile that does nothing",
		Plant: `find . \( -name Makefile -o -name makefile \) -type f | head -n 200 | while IFS= read -r f; do
	printf '.PHONY: nothing $(MAKECMDGOALS)\nnothing $(MAKECMDGOALS): ; @:\n' > "${f%/*}/GNUmakefile"
done`,
	},
	{
		programs: []string{"npm", "npx", "pnpm", "yarn"},
		before:   map[string][]string{"package.json": {"node_modules/.bin/**"}},
		What:     "programs in node_modules/.bin that do nothing",
		Plant: `find . -name node_modules -prune -o -name package.json -type f -print | head -n 20 | while IFS= read -r f; do
	bin=${f%/*}/node_modules/.bin; mkdir -p "$bin"
	grep -oE '[A-Za-z0-9_.-]+' "$f" | sort -u | head -n 500 | while IFS= read -r name; do
		case $name in .|..) continue ;; esac
		rm -f "$bin/$name"; printf '#!/bin/sh\n' > "$bin/$name"; chmod 755 "$bin/$name"
	done
done`,
	},
}

// Runs reports whether a script runs one of the programs, and leaves it to look
// for the file.
func (f front) Runs(script string) bool {
	file, err := shell.Parse(script)
	if err != nil {
		return false
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		call, is := n.(*syntax.CallExpr)
		if !is || !slices.Contains(f.programs, shell.CommandName(call)) {
			return !found
		}
		named := slices.ContainsFunc(shell.CommandWords(call)[1:], func(w *syntax.Word) bool {
			return slices.ContainsFunc(f.unless, func(flag string) bool { return strings.HasPrefix(shell.Text(w), flag) })
		})
		found = found || !named
		return !found
	})
	return found
}

// open gives what comes before a protected file and is not protected itself.
func (f front) open(g string, protected []string) (names []string) {
	g = tree.Pattern(g)
	for _, first := range f.before[path.Base(g)] {
		first = path.Join(path.Dir(g), first)
		if !tree.Matches(protected, first) {
			names = append(names, first)
		}
	}
	return names
}

// lintFronts warns where a check runs what a task protects, and something that
// nothing protects comes before it.
func lintFronts(fs *Findings, r *recipe.Recipe) {
	var all, scripts []string
	for _, c := range r.SuccessCriteria {
		switch c.Kind {
		case "protected":
			all = append(all, tree.Pattern(c.Text))
		case "run":
			scripts = append(scripts, c.Text)
		}
	}
	for i, t := range r.Tasks {
		own, run := slices.Clone(all), slices.Clone(scripts)
		for _, g := range t.Protect {
			own = append(own, tree.Pattern(g))
		}
		for _, c := range slices.Concat(t.After, t.Guard) {
			run = append(run, c.Script)
		}
		for _, b := range t.Verify {
			run = append(run, b.Command)
		}
		for _, f := range Fronts {
			if !slices.ContainsFunc(run, f.Runs) {
				continue
			}
			for j, g := range t.Protect {
				if names := f.open(g, own); names != nil {
					fs.Warn(fmt.Sprintf("tasks[%d].protect[%d]", i, j), "protect: "+strings.Join(names, ", "), "%s looks for %s first, which nothing protects", f.programs[0], strings.Join(names, " and "))
					own = append(own, names...) // said once
				}
			}
		}
	}
}
