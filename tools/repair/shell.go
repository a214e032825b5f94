package repair

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/recipe/problem"
)

// template reads a template of the file; nil after a problem.
func (d *decoder) template(what string, v value) *text {
	t, err := parseText(v.s)
	if err != nil {
		line, msg := templateLine(err)
		d.problem(v.line(line), "%s is no valid template: %s", what, msg)
		return nil
	}
	return t
}

var (
	templatePlace = pattern.New(`^:(\d+)(:\d+)?: (executing "" at )?`)
	templateStart = pattern.New(` started at :(\d+)$`)
)

// templateLine takes the line out of an error of package template; it is 1
// where there is none.
func templateLine(err error) (int, string) {
	line, msg := 1, err.Error()
	for _, re := range []*pattern.Pattern{templatePlace, templateStart} {
		if m := re.FindStringSubmatch(msg); m != nil {
			line, _ = strconv.Atoi(m[1])
			msg = re.ReplaceAllString(msg, "")
		}
	}
	return line, msg
}

// shell checks a command as a shell will see it, for every combination of its
// conditions.
func (d *decoder) shell(f *Fix, v value) {
	if f.command == nil {
		return
	}
	for _, s := range f.command.variants() {
		file, err := parseShell(s)
		if err != nil {
			d.problem(v.line(1), "command: %v", err)
			return
		}
		if _, err := slots(file, strings.Count(s, slotMark)); err != nil {
			p := problem.Problem{Pos: v.line(1), Msg: "command: " + err.Error()}
			if no, ok := errors.AsType[*slotError](err); ok {
				p.Msg, p.Hint = "command: "+no.why, no.hint
			}
			d.problems = append(d.problems, p)
			return
		}
		if name := elevates(file); name != "" && f.Class != Privileged {
			d.problem(v.line(1), "%s is called by a fix of class %q; only class privileged may", name, f.Class)
			return
		}
	}
}

var (
	elevators = []string{"sudo", "sudoedit", "doas", "pkexec", "su"}
	wrappers  = []string{"env", "nice", "ionice", "nohup", "time", "timeout", "xargs", "exec", "command", "builtin",
		"stdbuf", "setsid", "find", "chroot", "unshare", "flock", "watch", "strace", "parallel"}
)

func isWrapper(w *syntax.Word) bool {
	s, ok := literalWord(w)
	return ok && slices.Contains(wrappers, path.Base(s))
}

// elevates gives the program by which a script would become another user, ""
// for none. Words that are only data are not commands.
func elevates(file *syntax.File) string {
	found := ""
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && found == "" {
			found = elevatesCall(c.Args, 0)
		}
		if r, ok := n.(*syntax.Redirect); ok && found == "" && r.Hdoc != nil {
			if s, ok := literalWord(r.Hdoc); ok && feedsShell(file, r) {
				found = elevatesScript(s, 1)
			}
		}
		return found == ""
	})
	return found
}

// maxNested bounds sh -c in sh -c.
const maxNested = 4

func elevatesScript(s string, depth int) string {
	if depth > maxNested {
		return ""
	}
	file, err := parseShell(s)
	if err != nil {
		return ""
	}
	found := ""
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && found == "" {
			found = elevatesCall(c.Args, depth)
		}
		return found == ""
	})
	return found
}

// elevatesCall names the program by which a call gains rights, as sudo does, also within a
// program or shell that runs it; "": none. depth counts shells within shells.
func elevatesCall(args []*syntax.Word, depth int) string {
	if len(args) == 0 {
		return ""
	}
	name, ok := literalWord(args[0])
	if !ok {
		return ""
	}
	name = path.Base(name)
	if slices.Contains(elevators, name) {
		return name
	}
	shell, wrapped := slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash", "eval"}, name),
		slices.Contains(wrappers, name)
	for i, a := range args[1:] {
		word, ok := literalWord(a)
		switch {
		case !ok:
		case wrapped && slices.Contains(elevators, path.Base(word)):
			return path.Base(word)
		case wrapped && slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash"}, path.Base(word)):
			return elevatesCall(args[i+1:], depth)
		case shell && strings.ContainsAny(word, " \t\n;") || name == "eval":
			if found := elevatesScript(word, depth+1); found != "" {
				return found
			}
		}
	}
	return ""
}

// feedsShell reports whether the redirection r is the input of a shell.
func feedsShell(file *syntax.File, r *syntax.Redirect) bool {
	feeds := false
	syntax.Walk(file, func(n syntax.Node) bool {
		st, ok := n.(*syntax.Stmt)
		if !ok || !slices.Contains(st.Redirs, r) {
			return true
		}
		if c, ok := st.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			name, _ := literalWord(c.Args[0])
			feeds = slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash"}, path.Base(name))
		}
		return true
	})
	return feeds
}

// Vars gives the variables of the fix's command and label, sorted.
func (f *Fix) Vars() []string {
	var all []string
	for _, t := range []*text{f.command, f.label} {
		if t != nil {
			all = append(all, t.vars...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Render gives the fix's command with the values filled in, each quoted for
// the place where it stands. An error says which value is missing.
func (f *Fix) Render(values map[string]string) (string, error) {
	cmd, err := f.command.render(values)
	if err != nil {
		return "", fmt.Errorf("rendering the command of fix %q: %w", f.ID, err)
	}
	if f.Class == Privileged {
		return cmd, nil
	}
	file, err := parseShell(cmd)
	if err != nil {
		return "", fmt.Errorf("rendering the command of fix %q: %w", f.ID, err)
	}
	if name := elevates(file); name != "" {
		return "", fmt.Errorf("rendering the command of fix %q: it would call %s", f.ID, name)
	}
	return cmd, nil
}

// Title gives the fix's label with the values filled in, its id without one.
func (f *Fix) Title(values map[string]string) (string, error) {
	if f.Label == "" {
		return f.ID, nil
	}
	s, err := f.label.plain(values)
	if err != nil {
		return "", fmt.Errorf("rendering the label of fix %q: %w", f.ID, err)
	}
	return s, nil
}
