// Package lint says what is wrong with verify blocks and with the checks of tasks,
// by looking: it runs nothing.
package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"cookoff/internal/nearest"
	"cookoff/recipe"
	"cookoff/verify/versions"
)

// The modes of a verify block.
const (
	ModeVersion    = "version"
	ModeFunctional = "functional"
	ModeOutput     = "output"
)

// The streams a pattern may be looked for in.
const (
	StreamStdout = "stdout"
	StreamStderr = "stderr"
	StreamBoth   = "both"
)

var (
	modes   = []string{ModeVersion, ModeFunctional, ModeOutput}
	streams = []string{StreamStdout, StreamStderr, StreamBoth}
)

// Finding is one thing wrong with a verify block, a task or a recipe's checks.
type Finding struct {
	Key     string // the key it is about, relative to what was linted: "pattern", "additional[0].command", "after[0]"
	Msg     string
	Hint    string // "" or a next step
	Warning bool   // worth saying, no reason to refuse
	Rule    string // name of a warning that a script may allow, "": none may
}

func (f Finding) String() string {
	s := f.Key + ": " + f.Msg
	if f.Hint != "" {
		s += "\n  hint: " + f.Hint
	}
	return s
}

// Findings collects what a lint finds, under a common prefix of keys.
type Findings struct {
	prefix string
	List   []Finding
}

func (fs *Findings) fail(key, hint, format string, args ...any) {
	fs.List = append(fs.List, Finding{Key: fs.prefix + key, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

// Warn adds a warning at a key; hint is what to do next, "": nothing.
func (fs *Findings) Warn(key, hint, format string, args ...any) {
	fs.List = append(fs.List, Finding{Key: fs.prefix + key, Msg: fmt.Sprintf(format, args...), Hint: hint,
		Warning: true})
}

// Under adds findings found below key.
func (fs *Findings) Under(key string, below []Finding) {
	for _, f := range below {
		f.Key = fs.prefix + key + "." + f.Key
		fs.List = append(fs.List, f)
	}
}

// Block says what is wrong with a verify block, whatever asks for it. Errors
// make it unusable; warnings are checks that are weak or can't fail.
func Block(b recipe.VerifyBlock) []Finding {
	var fs Findings
	mode := ModeOf(b)
	if !slices.Contains(modes, mode) {
		fs.fail("mode", oneOf(mode, modes), "unknown mode %q", mode)
	}
	if mode != ModeVersion && strings.TrimSpace(b.Reason) == "" && slices.Contains(modes, mode) {
		fs.fail("reason", "say why the version can't be verified", "mode %s needs a reason", mode)
	}
	lintVersion(&fs, b)
	lintCommand(&fs, "", mode, recipe.VerifyExtra{Command: b.Command, Pattern: b.Pattern, Patterns: b.Patterns,
		ExitCode: b.ExitCode, Stream: b.Stream})
	for i, x := range b.Additional {
		lintCommand(&fs, fmt.Sprintf("additional[%d].", i), mode, x)
	}
	if _, err := TimeoutOf(b); err != nil {
		fs.fail("timeout", "a duration like 90s, or seconds", "%v", err)
	}
	if strings.ContainsAny(b.Binary, "/ \t\n\x00") {
		fs.fail("binary", "the name of a program, as it is looked up on PATH", "%q is no bare program name", b.Binary)
	}
	return fs.List
}

// ModeOf is the mode of a verify block: version where it names none.
func ModeOf(b recipe.VerifyBlock) string {
	if b.Mode == "" {
		return ModeVersion
	}
	return b.Mode
}

func oneOf(got string, allowed []string) string {
	if near := nearest.Name(got, allowed); near != "" {
		return fmt.Sprintf("did you mean %q? allowed: %s", near, strings.Join(allowed, ", "))
	}
	return "allowed: " + strings.Join(allowed, ", ")
}

// TimeoutOf is the block's time limit; 0: the default.
func TimeoutOf(b recipe.VerifyBlock) (time.Duration, error) {
	if b.Timeout == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(b.Timeout)
	if n, nerr := strconv.Atoi(b.Timeout); nerr == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no duration", b.Timeout)
	case d <= 0:
		return 0, fmt.Errorf("%q leaves no time", b.Timeout)
	}
	return d, nil
}

// lintVersion reports what is wrong with the keys of a block about versions.
func lintVersion(fs *Findings, b recipe.VerifyBlock) {
	if err := versions.CheckFormat(b.VersionFormat); err != nil {
		fs.fail("version_format", versions.FormatHint(b.VersionFormat), "%v", err)
		return
	}
	if b.Version != "" && b.VersionCommand != "" {
		fs.fail("version_command", "keep the one that says what was asked for",
			"version and version_command are both set")
	}
	if b.VersionCommand != "" {
		lintScript(fs, "version_command", b.VersionCommand)
	}
	if m := ModeOf(b); (m == ModeFunctional || m == ModeOutput) && (b.Version != "" || b.VersionCommand != "") {
		fs.Warn("version", "use mode = \"version\", or drop it", "a version decides nothing in mode %s", ModeOf(b))
	}
	if b.Version == "" {
		return
	}
	if _, err := versions.Transform(b.VersionFormat, b.Version); err != nil {
		fs.fail("version", "", "%v", err)
	}
}

// lintCommand looks at one command and its patterns.
func lintCommand(fs *Findings, at, mode string, x recipe.VerifyExtra) {
	if strings.TrimSpace(x.Command) == "" {
		fs.fail(at+"command", "", "no command")
	} else {
		lintVerifyCommand(fs, at+"command", x.Command)
	}
	if x.ExitCode != nil && (*x.ExitCode < 0 || *x.ExitCode > 255) {
		fs.fail(at+"exit_code", "", "%d is no exit status: 0 to 255", *x.ExitCode)
	}
	if x.Stream != "" && !slices.Contains(streams, x.Stream) {
		fs.fail(at+"stream", oneOf(x.Stream, streams), "unknown stream %q", x.Stream)
	}
	lintPatterns(fs, at, mode, x)
}

// lintPatterns reports patterns that are missing, empty, or of no use in this mode of a
// verify block. at is where the block lies in its file.
func lintPatterns(fs *Findings, at, mode string, x recipe.VerifyExtra) {
	key := at + "pattern"
	switch {
	case x.Pattern != "" && x.Patterns != nil:
		fs.fail(at+"patterns", "put all of them into patterns", "pattern and patterns are both set")
		return
	case x.Patterns != nil:
		key = at + "patterns"
		if len(x.Patterns) == 0 {
			fs.fail(key, "drop it, or add a pattern", "patterns is empty")
			return
		}
	}
	pats := PatternsOf(x)
	for i, p := range x.Patterns {
		if p == "" {
			fs.fail(fmt.Sprintf("%s[%d]", key, i), "", "an empty pattern matches everything")
		}
	}
	versioned := slices.ContainsFunc(pats, func(p string) bool { return strings.Contains(p, versions.Placeholder) })
	switch mode {
	case ModeVersion:
		if len(pats) == 0 {
			fs.fail(key, "pattern = \"{version}\", or mode = \"functional\" with a reason",
				"mode version needs a pattern with {version}")
		} else if !versioned {
			hint := "a pattern without {version} belongs to mode = \"output\", with a reason"
			if at != "" {
				hint = "a further command without it is a [[verify]] of its own, mode = \"output\" with a reason; " +
					"cookoff verify --compat tsuku takes it as it is"
			}
			fs.fail(key, hint, "mode version needs {version} in the pattern")
		}
	case ModeOutput, ModeFunctional:
		if versioned {
			fs.fail(key, "use mode = \"version\"", "{version} is not expanded in mode %s", mode)
		}
		if mode == ModeFunctional {
			return
		}
		if len(pats) == 0 {
			fs.fail(key, "mode = \"functional\" needs none", "mode output needs a pattern")
		}
		for _, p := range pats {
			if p != "" && alnums(p) < 2 {
				fs.fail(key, "", "pattern %q says too little: at least 2 letters or digits", p)
			}
		}
	}
}

// PatternsOf gives the patterns of a command; one that is "" is none.
func PatternsOf(x recipe.VerifyExtra) []string {
	if x.Pattern != "" {
		return []string{x.Pattern}
	}
	return x.Patterns
}

func alnums(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
