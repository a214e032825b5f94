package cheat

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/checks"
	"cookoff/verify/lint"
	"cookoff/verify/tree"
	"cookoff/verify/versions"
)

// look learns what the solution touches, and finds a file that it leaves alone.
func (p *player) look(ctx context.Context) error {
	if len(p.Solutions) == 0 {
		return nil
	}
	return p.Staged(ctx, func(w sandbox.Sandbox, s *verify.Start) error {
		if err := p.Solve(ctx, w, p.Solutions[0], "solution"); err != nil {
			return err
		}
		m, err := w.FS().Manifest(ctx, nil)
		if err != nil {
			return err
		}
		touched := map[string]bool{}
		for _, c := range tree.Changes(s.Files, m) {
			touched[c.Path] = true
			if c.What != "removed" {
				p.changed = append(p.changed, c.Path)
			}
		}
		for _, f := range s.Files {
			if f.Mode.IsRegular() && f.Size > 0 && !touched[f.Path] && !strings.Contains(f.Path, ".git/") &&
				p.Counts(f.Path) {
				p.other = f.Path
				return nil
			}
		}
		return nil
	})
}

// variables gives the scripts what they know of a task: its checks say what
// they look for, where, and with which programs.
func (p *player) variables(s *verify.Start) string {
	said := p.givenAway(s)
	var b strings.Builder
	list := func(name string, words []string) {
		fmt.Fprintf(&b, "%s=(", name)
		for _, w := range words {
			if q := quoted(w); q != "" {
				b.WriteString(" " + q)
			}
		}
		b.WriteString(")\n")
	}
	list("programs", slices.Sorted(maps.Keys(said.answers)))
	list("tools", p.Tools())
	list("literals", said.literals)
	list("files", said.files)
	list("changed", homes(p.changed))
	list("calls", said.calls)
	b.WriteString("declare -A answers asked\n")
	for name, body := range said.answers {
		fmt.Fprintf(&b, "answers[%s]=%s\nasked[%s]=%s\n", quoted(name), quoted(body), quoted(name),
			quoted(said.asked[name]))
	}
	fmt.Fprintf(&b, "other=%s live=%s solved=%s\n", quoted(homes([]string{p.other})[0]), quoted(yes(p.AsksLive())),
		quoted(yes(len(p.Solutions) > 0)))
	solution := ":"
	if len(p.Solutions) > 0 {
		solution = p.Solutions[0]
	}
	return b.String() + "solve() {\n(\n" + solution + "\n)\n}\n"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// homes gives paths of a manifest as a shell in the project has them.
func homes(paths []string) []string {
	var out []string
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(p, "~/"); ok {
			p = path.Join(sandbox.HomeDir, rest)
		}
		out = append(out, p)
	}
	return out
}

func quoted(s string) string {
	q, err := syntax.Quote(s, syntax.LangBash)
	if err != nil {
		return ""
	}
	return q
}

// given is what the checks of a task give away.
type given struct {
	answers  map[string]string // program -> a script that prints what is looked for
	asked    map[string]string // program -> its arguments, a line each
	literals []string
	files    []string
	calls    []string // commands of scripts that a program may answer by heart, each quoted for a shell
}

func (p *player) givenAway(s *verify.Start) given {
	out := given{answers: map[string]string{}, asked: map[string]string{}}
	for _, b := range p.Blocks {
		version, _ := versions.Transform(b.Format, s.Versions[b.Name])
		for _, cmd := range b.Commands {
			out.answer(b, cmd, version)
		}
	}
	for _, text := range p.Texts() {
		out.words(text)
		out.byHeart(text)
	}
	slices.Sort(out.calls)
	out.calls = slices.Compact(out.calls)
	slices.Sort(out.literals)
	out.literals = slices.Compact(out.literals)
	slices.Sort(out.files)
	out.files = slices.Compact(out.files)
	return out
}

// answer notes what would satisfy one command of a block.
func (o *given) answer(b checks.Block, cmd checks.Command, version string) {
	name, args := called(cmd.Text)
	if name == "" {
		return
	}
	var text strings.Builder
	for _, pat := range cmd.Patterns {
		want := pat
		if b.Mode == lint.ModeVersion {
			want = strings.ReplaceAll(pat, "{version}", version)
		}
		o.literals = append(o.literals, want)
		to := ""
		if cmd.Stream == lint.StreamStderr {
			to = " >&2"
		}
		fmt.Fprintf(&text, "printf '%%s\\n' %s%s; ", quoted(want), to)
	}
	o.answers[name] += fmt.Sprintf("[ \"$*\" != %s ] || { %sexit %d; }\n", quoted(args), text.String(), cmd.Exit)
	o.asked[name] = strings.TrimPrefix(o.asked[name]+"\n"+args, "\n")
}

// called takes a simple command apart; "" is any other.
func called(text string) (name, args string) {
	f, err := shell.Parse(text)
	if err != nil || len(f.Stmts) != 1 {
		return "", ""
	}
	call, ok := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok {
		return "", ""
	}
	words := shell.CommandWords(call)
	if len(words) == 0 || shell.Text(words[0]) == "" {
		return "", ""
	}
	var list []string
	for _, w := range words[1:] {
		list = append(list, shell.Text(w))
	}
	return shell.Text(words[0]), strings.Join(list, " ")
}

// words notes the paths and the texts in a script.
func (o *given) words(text string) {
	f, err := shell.Parse(text)
	if err != nil {
		return
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		words := shell.CommandWords(call)
		for i, w := range words {
			s := shell.Text(w)
			switch {
			case s == "" || strings.ContainsAny(s, "\n\x00*?$"):
			case inProject(s) && (i > 0 || strings.Contains(s, "/")):
				o.files = append(o.files, s)
			case i > 0 && len(s) > 2 && s[0] != '-' && s[0] != '/' && s[0] != '~':
				o.literals = append(o.literals, s)
			}
		}
		return true
	})
}

// byHeart notes the commands of a script whose words are all known before it runs, and that read nothing but these:
// what a script for another shell says among them. One that goes elsewhere says nothing of where its commands run.
func (o *given) byHeart(text string) {
	f, err := shell.Parse(text)
	if err != nil {
		return
	}
	var list []string
	elsewhere := false
	var walk func(n syntax.Node) bool
	walk = func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				syntax.Walk(n.X, walk)
				return false // the other side reads what this one prints
			}
		case *syntax.Stmt:
			writes := []syntax.RedirOperator{syntax.RdrOut, syntax.AppOut, syntax.DplOut}
			return !slices.ContainsFunc(n.Redirs, func(r *syntax.Redirect) bool { return !slices.Contains(writes, r.Op) })
		case *syntax.CallExpr:
			words := shell.CommandWords(n)
			if len(words) == 0 {
				return true
			}
			name := shell.Text(words[0])
			elsewhere = elsewhere || name == "cd" || name == "pushd"
			if inner := shell.Text(words[len(words)-1]); shells[name] && len(words) > 2 && strings.Contains(inner, " ") {
				o.byHeart(inner)
				return true
			}
			if call := literal(words); call != "" && len(n.Assigns) == 0 {
				list = append(list, call)
			}
		}
		return true
	}
	syntax.Walk(f, walk)
	if !elsewhere {
		o.calls = append(o.calls, list...)
	}
}

// shells are programs that are given a script in words.
var shells = map[string]bool{"sh": true, "bash": true, "dash": true}

// literal is a command as a shell has it, quoted; "": not all of its words are known.
func literal(words []*syntax.Word) string {
	var out []string
	for _, w := range words {
		text := shell.Text(w)
		if text == "" {
			return ""
		}
		out = append(out, quoted(text))
	}
	return strings.Join(out, " ")
}

// inProject reports whether a word of a check looks like a path of the project.
func inProject(s string) bool {
	if s[0] == '/' || s[0] == '-' || s[0] == '~' || strings.ContainsAny(s, " =:<>|()[]{}!'\"%") {
		return false
	}
	return strings.Contains(s, "/") || s[0] == '.' && len(s) > 2 || path.Ext(s) != "" && path.Ext(s) != "."
}

// Sentence says how an attempt ended.
func (a Attempt) Sentence() string {
	s := string(a.Status)
	if a.Cause != "" {
		s += " " + string(a.Cause)
	}
	if a.Detail != "" && a.Status != trial.Pass {
		s += ": " + a.Detail
	}
	return s
}
