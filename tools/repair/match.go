package repair

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/sandbox"
	"cookoff/tools"
)

// Facts are what a fix's conditions are held against, as found in a sandbox.
type Facts struct {
	OS     string // linux, darwin
	Arch   string // amd64, arm64
	Distro string // ID of os-release; "": none
	Tools  map[string]Presence
}

// Presence says how a tool is there.
type Presence string

// A tool is absent (the zero Presence), an executable on PATH, or a function
// that a login shell knows.
const (
	Executable Presence = "executable"
	Function   Presence = "function"
)

// loginTimeout bounds a login shell, whose start files are the trial's own.
const loginTimeout = 5 * time.Second

// Runner is where commands run: a sandbox, or the user's own machine.
type Runner interface {
	Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error)
}

// Gather finds out the facts inside a sandbox, and which of the tools named
// are there. A *tools.CallError says that the world is too broken to tell;
// any other error is the sandbox's.
func Gather(ctx context.Context, sb Runner, names []string) (*Facts, error) {
	var b strings.Builder
	b.WriteString(`printf '%s\n' "os ${OSTYPE%%[0-9-]*}" "arch $HOSTTYPE"
for f in /etc/os-release /usr/lib/os-release; do
  if [[ -r $f ]]; then while IFS= read -r l; do [[ $l = ID=* ]] && printf 'distro %s\n' "${l#ID=}"; done <"$f"; break; fi
done
for t in`)
	for _, n := range names {
		b.WriteString(" '" + strings.ReplaceAll(n, "'", `'\''`) + "'")
	}
	b.WriteString("; do p=$(type -P -- \"$t\") && [[ -x $p ]] && printf 'tool %s\\n' \"$t\"; done\n:\n")
	r, err := sb.Exec(ctx, sandbox.Cmd{Script: b.String()})
	if err != nil {
		return nil, err
	}
	if !r.OK() {
		out, _ := tools.Output(r)
		return nil, &tools.CallError{Kind: tools.ToolFailed,
			Reason: fmt.Sprintf("finding out what this machine is failed with exit status %d: %s", r.Exit,
				tools.Clip(out, 300))}
	}
	f := parseFacts(string(r.Stdout))
	return f, f.functions(ctx, sb, names)
}

func parseFacts(out string) *Facts {
	f := &Facts{Tools: map[string]Presence{}}
	arch := map[string]string{"x86_64": "amd64", "aarch64": "arm64"}
	for line := range strings.Lines(out) {
		key, val, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "os":
			f.OS = val
		case "arch":
			f.Arch = val
			if known, ok := arch[val]; ok {
				f.Arch = known
			}
		case "distro":
			f.Distro = strings.Trim(val, `"'`)
		case "tool":
			f.Tools[val] = Executable
		}
	}
	return f
}

// functions asks a login shell for the names that are no executables.
func (f *Facts) functions(ctx context.Context, sb Runner, names []string) error {
	argv := []string{"/bin/bash", "-l", "-c",
		`for t; do declare -F -- "$t" >/dev/null && printf 'cookoff-function %s\n' "$t"; done`, "bash"}
	known := len(argv)
	for _, n := range names {
		if f.Tools[n] == "" {
			argv = append(argv, n)
		}
	}
	if len(argv) == known {
		return nil
	}
	r, err := sb.Exec(ctx, sandbox.Cmd{Argv: argv, Timeout: loginTimeout})
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(r.Stdout)) {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "cookoff-function "); ok &&
			slices.Contains(names, name) {
			f.Tools[name] = Function
		}
	}
	return nil
}

// ToolNames gives the tools that the repair's conditions name, sorted.
func (r *Repair) ToolNames() []string {
	var names []string
	for _, f := range r.Fixes {
		if f.When.HasTool != "" {
			names = append(names, f.When.HasTool)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Passed is a fix that was not chosen, and why.
type Passed struct {
	Fix *Fix
	Why string
}

// Choose picks the first fix that matches, in file order; fallbacks only when
// no other does. It is nil when none matches.
func (r *Repair) Choose(f *Facts) (*Fix, []Passed) {
	var chosen *Fix
	for _, fallback := range []bool{false, true} {
		for _, x := range r.Fixes {
			if chosen == nil && x.Fallback == fallback && x.When.Misses(f) == "" {
				chosen = x
			}
		}
	}
	var passed []Passed
	for _, x := range r.Fixes {
		why := x.When.Misses(f)
		switch {
		case x == chosen:
			continue
		case why != "":
		case x.Fallback && !chosen.Fallback:
			why = fmt.Sprintf("is a fallback, and %s matches", chosen.ID)
		default:
			why = fmt.Sprintf("comes after %s, which matches", chosen.ID)
		}
		passed = append(passed, Passed{x, why})
	}
	return chosen, passed
}

// Misses says which condition does not hold, "" when all do.
func (w When) Misses(f *Facts) string {
	for _, c := range []struct{ what, want, have string }{
		{"os", w.OS, f.OS}, {"arch", w.Arch, f.Arch}, {"distro", w.Distro, f.Distro},
	} {
		if c.want != "" && c.want != c.have {
			return fmt.Sprintf("needs %s %s, and this is %s", c.what, c.want,
				cmp.Or(tools.Clip(tools.Clean([]byte(c.have)), 40), "unknown"))
		}
	}
	if w.HasTool != "" && f.Tools[w.HasTool] == "" {
		return fmt.Sprintf("needs %s, which is not here", w.HasTool)
	}
	return ""
}

// String gives the conditions for people: "linux, debian, needs nv".
func (w When) String() string {
	var all []string
	for _, s := range []string{w.OS, w.Arch, w.Distro} {
		if s != "" {
			all = append(all, s)
		}
	}
	if w.HasTool != "" {
		all = append(all, "needs "+w.HasTool)
	}
	return strings.Join(all, ", ")
}
