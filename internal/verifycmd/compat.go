package verifycmd

import (
	"cmp"
	"fmt"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/verify/lint"
	"cookoff/verify/versions"
)

// compat is the one system that blocks may be read like.
const compat = "tsuku"

func checkCompat(name string) error {
	if name != "" && name != compat {
		return fmt.Errorf("unknown --compat %q\nhint: allowed: %s", name, compat)
	}
	return nil
}

// exampleVersion stands in commands that nobody is going to run.
const exampleVersion = "1.0.0"

// likeTsuku makes of each block what the system it was written for would do:
// it falls back to the raw version, lets weak blocks pass, and fills in what
// commands leave open; without a version of its own a block has the one asked for there.
// Every step that makes a block weaker is a warning.
func (l *loaded) likeTsuku(asked string) {
	var split []recipe.VerifyBlock
	for i := range l.blocks {
		key := fmt.Sprintf("verify[%d]", i)
		b := &l.blocks[i]
		version := cmp.Or(b.Version, asked)
		more := splitBlock(b)
		split = append(split, more...)
		b.Command = filled(b.Command, version, b.Binary)
		for j := range b.Additional {
			b.Additional[j].Command = filled(b.Additional[j].Command, version, b.Binary)
		}
		l.weaken(b, key)
		for j := range more {
			m := &split[len(split)-len(more)+j]
			m.Command = filled(m.Command, version, b.Binary)
			l.weaken(m, key+".additional")
		}
	}
	l.blocks = append(l.blocks, split...)
}

// splitBlock takes the further commands from a block that ask for the version where the
// block does not, or don't where it does: each becomes a block of its own.
func splitBlock(b *recipe.VerifyBlock) (split []recipe.VerifyBlock) {
	if !ofVersion(b) {
		return nil
	}
	own := asks(b.Pattern, b.Patterns)
	var kept []recipe.VerifyExtra
	for _, x := range b.Additional {
		if asks(x.Pattern, x.Patterns) == own {
			kept = append(kept, x)
			continue
		}
		m := *b
		m.Additional, m.Binary = nil, ""
		m.Command, m.Pattern, m.Patterns, m.ExitCode, m.Stream = x.Command, x.Pattern, x.Patterns, x.ExitCode, x.Stream
		split = append(split, m)
	}
	b.Additional = kept
	return split
}

func ofVersion(b *recipe.VerifyBlock) bool { return b.Mode == "" || b.Mode == "version" }

func asks(pattern string, more []string) bool {
	return strings.Contains(strings.Join(append([]string{pattern}, more...), "\n"), "{version}")
}

// weaken lets a block pass that says too little.
func (l *loaded) weaken(b *recipe.VerifyBlock, key string) {
	warn := func(format string, args ...any) {
		l.weak = append(l.weak, lint.Finding{Key: key, Msg: fmt.Sprintf(format, args...), Warning: true})
	}
	pats := strings.Join(append([]string{b.Pattern}, b.Patterns...), "")
	if ofVersion(b) && !strings.Contains(pats, "{version}") {
		b.Mode, b.Version, b.VersionCommand = "output", "", ""
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
		return
	}
	if _, err := versions.Transform(b.VersionFormat, b.Version); err != nil {
		warn("%v: the whole version is used", err)
		b.VersionFormat = "raw"
	}
}

// open are the places of a command that the system fills in.
var open = pattern.New(`(^|[^$])\{(version|install_dir|binary)\}`)

// filled is a command with what it leaves open: the version that was asked for,
// the directory that checks see as the project, and the block's program. What is
// not known stays, and is an error of lint.
func filled(command, version, binary string) string {
	values := map[string]string{"version": version, "install_dir": sandbox.WorkDir, "binary": binary}
	if versions.ValidateVersion(version) != nil {
		values["version"] = "" // it could be more than a word of the shell
	}
	return open.ReplaceAllStringFunc(command, func(m string) string {
		p := open.FindStringSubmatch(m)
		if values[p[2]] == "" {
			return m
		}
		return p[1] + values[p[2]]
	})
}
