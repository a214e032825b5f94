package verifycmd

import (
	"fmt"
	"strings"

	"cookoff/recipe"
	"cookoff/recipe/blocks"
	"cookoff/recipe/problem"
	"cookoff/verify/lint"
)

// loaded are the blocks of a file, and what there is to say about it.
type loaded struct {
	*blocks.File[recipe.VerifyBlock]
	blocks []recipe.VerifyBlock
	notes  []string
	weak   []lint.Finding // what was let pass
}

// load reads the blocks of a TOML file. Other tables are somebody else's: they
// are named in a note.
func load(name string, text []byte) (*loaded, error) {
	f, err := blocks.ParseFile[recipe.VerifyBlock](name, text)
	if err != nil {
		return nil, err
	}
	out := &loaded{File: f, blocks: f.Blocks}
	if len(f.Others) > 0 {
		out.notes = append(out.notes, "not read: "+strings.Join(f.Others, ", "))
	}
	return out, nil
}

// problems gives what the linter found, where it was written. Keys are those
// of a task: "verify[0].pattern".
func (l *loaded) problems(found []lint.Finding) problem.List {
	var ps problem.List
	for _, f := range found {
		ps = append(ps, problem.Problem{Pos: l.At(f.Key), Msg: f.Key + ": " + f.Msg, Hint: f.Hint, Warning: f.Warning})
	}
	ps.Sort()
	return ps
}

// warnings are the findings on what was let pass, one line each.
func (l *loaded) warnings() (lines []string) {
	for _, f := range l.weak {
		lines = append(lines, f.Key+": "+f.Msg)
	}
	return lines
}

// asked gives the version on the command line to every block that has none.
func (l *loaded) asked(version string) {
	if version == "" {
		return
	}
	used := false
	for i, b := range l.blocks {
		if b.Version == "" && b.VersionCommand == "" && (b.Mode == "" || b.Mode == "version") {
			l.blocks[i].Version, used = version, true
		}
	}
	if !used {
		l.notes = append(l.notes,
			fmt.Sprintf("--version %q is not used: each block says its own version, or needs none", version))
	}
}
