package verifycmd

import (
	"fmt"
	"strings"

	"cookoff/recipe"
	"cookoff/verify"
)

// loaded are the blocks of a file, and what there is to say about it.
type loaded struct {
	*recipe.VerifyFile
	blocks   []recipe.VerifyBlock
	notes    []string
	warnings []string
}

// load reads the blocks of a TOML file. Other tables are somebody else's: they
// are named in a note.
func load(name string, text []byte) (*loaded, error) {
	f, err := recipe.ParseVerify(name, text)
	if err != nil {
		return nil, err
	}
	out := &loaded{VerifyFile: f, blocks: f.Blocks}
	if len(f.Others) > 0 {
		out.notes = append(out.notes, "not read: "+strings.Join(f.Others, ", "))
	}
	return out, nil
}

// problems gives what the linter found, where it was written. Keys are those
// of a task: "verify[0].pattern".
func (l *loaded) problems(found []verify.Finding) recipe.Problems {
	var ps recipe.Problems
	for _, f := range found {
		ps = append(ps, recipe.Problem{Pos: l.At(f.Key), Msg: f.Key + ": " + f.Msg, Hint: f.Hint, Warning: f.Warning})
	}
	ps.Sort()
	return ps
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
		l.notes = append(l.notes, fmt.Sprintf("--version %q is not used: each block says its own version, or needs none", version))
	}
}

// likeTsuku makes of each block what the system it was written for would do:
// it falls back to the raw version and lets weak blocks pass. Every such step
// is a warning.
func (l *loaded) likeTsuku() {
	for i := range l.blocks {
		b := &l.blocks[i]
		warn := func(format string, args ...any) {
			l.warnings = append(l.warnings, fmt.Sprintf("verify[%d]: ", i)+fmt.Sprintf(format, args...))
		}
		pats := strings.Join(append([]string{b.Pattern}, b.Patterns...), "")
		if (b.Mode == "" || b.Mode == "version") && !strings.Contains(pats, "{version}") {
			b.Mode, b.Version = "output", ""
			warn("no {version} in the pattern: the version is not checked")
		}
		if b.Mode == "output" && pats == "" {
			b.Mode = "functional"
			warn("no pattern: only the exit status is checked")
		}
		if b.Reason == "" && (b.Mode == "output" || b.Mode == "functional") {
			b.Reason = "none given"
		}
		if b.Version == "" {
			continue
		}
		if _, err := verify.Transform(b.VersionFormat, b.Version); err != nil {
			warn("%v: the whole version is used", err)
			b.VersionFormat = "raw"
		}
	}
}
