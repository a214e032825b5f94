package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// interpreters run whatever text reaches them on standard input.
var interpreters = []string{
	"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "busybox",
	"python", "python2", "python3", "perl", "ruby", "node", "nodejs", "deno", "php", "lua", "tclsh", "awk", "source",
}

// destroyers have no place in a check.
var destroyers = []string{"rm", "dd", "shred", "rmdir", "unlink"}

// lintScript demands that a script is one.
func lintScript(fs *Findings, key, src string) *syntax.File {
	f, err := shell.Parse(src)
	if err != nil {
		fs.fail(key, "", "parsing shell: %v", err)
		return nil
	}
	return f
}

// leftOpen is a place of a command that another system would fill in; ${version}
// is the shell's.
var leftOpen = pattern.New(`(^|[^$])\{(version|install_dir|binary)\}`)

// lintVerifyCommand warns of everything that is more than a simple command:
// it may hide a failure, or do harm.
func lintVerifyCommand(fs *Findings, key, src string) {
	f := lintScript(fs, key, src)
	if f == nil {
		return
	}
	if len(f.Stmts) == 0 {
		fs.fail(key, "", "no command: only comments")
		return
	}
	if m := leftOpen.FindStringSubmatch(src); m != nil {
		fs.fail(key, "write out what is meant; cookoff verify --compat tsuku fills it in",
			"{%s} is not filled in in a command", m[2])
	}
	w := &shellWalk{fs: fs, key: key}
	w.statements(f.Stmts)
	for _, s := range f.Stmts {
		syntax.Walk(s, w.visit)
	}
	if len(f.Stmts) == 1 {
		if name := shell.CannotFail(f.Stmts[0]); name != "" {
			fs.rule("cannot-fail", key, "run what is to be judged", "%q can't fail", name)
		}
	}
}

type shellWalk struct {
	fs  *Findings
	key string
}

func (w *shellWalk) warn(at syntax.Pos, hint, what string) {
	w.fs.rule("not-simple", w.key, hint, "%s at %d:%d", what, at.Line(), at.Col())
}

func (w *shellWalk) statements(stmts []*syntax.Stmt) {
	for i, s := range stmts {
		if s.Background {
			w.warn(s.Semicolon, "wait for it, or drop it", "\"&\": a command in the background is not judged")
		} else if i > 0 {
			w.warn(s.Pos(), "use [[verify.additional]]",
				"\";\": only the last command's exit status counts, before this one")
		}
	}
}

// visit warns of what makes a check say less than it seems to: hidden exit statuses,
// commands that change the world, text run as a command.
func (w *shellWalk) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		w.binary(n)
	case *syntax.CmdSubst:
		if n.Backquotes {
			w.warn(n.Pos(), "use version_command, or a check script",
				"command substitution \"`…`\" hides its exit status")
		} else {
			w.warn(n.Pos(), "use version_command, or a check script",
				"command substitution \"$(…)\" hides its exit status")
		}
	case *syntax.ProcSubst:
		w.warn(n.Pos(), "", "process substitution hides its exit status")
	case *syntax.CallExpr:
		w.call(n)
	case *syntax.Redirect:
		w.redirect(n)
	case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.Subshell, *syntax.Block,
		*syntax.FuncDecl:
		w.warn(n.Pos(), "put it into an after check", fmt.Sprintf("%s: no simple command", clauseName(n)))
	}
	return true
}

func clauseName(n syntax.Node) string {
	switch n.(type) {
	case *syntax.IfClause:
		return "\"if\""
	case *syntax.WhileClause:
		return "\"while\""
	case *syntax.ForClause:
		return "\"for\""
	case *syntax.CaseClause:
		return "\"case\""
	case *syntax.Subshell:
		return "subshell"
	case *syntax.FuncDecl:
		return "function"
	}
	return "block"
}

func (w *shellWalk) binary(n *syntax.BinaryCmd) {
	switch n.Op {
	case syntax.OrStmt:
		w.warn(n.OpPos, "say the status that is right with exit_code", "\"||\" hides a failure")
	case syntax.AndStmt:
		w.warn(n.OpPos, "use [[verify.additional]]", "\"&&\" joins two checks")
	case syntax.Pipe, syntax.PipeAll:
		if c, ok := n.Y.Cmd.(*syntax.CallExpr); ok {
			if name := shell.CommandName(c); slices.Contains(interpreters, name) && !runsFile(c) {
				w.warn(n.OpPos, "", fmt.Sprintf("\"| %s\" runs whatever text comes", name))
			}
		}
	}
}

// runsFile reports whether an interpreter was given a program, so that its
// input is only data: awk '…', python3 -c …, sh check.sh.
func runsFile(c *syntax.CallExpr) bool {
	words := shell.CommandWords(c)
	if len(words) > 0 && path.Base(shell.Text(words[0])) == "awk" {
		return true
	}
	for _, a := range words[min(1, len(words)):] {
		s := shell.Text(a)
		if s == "-s" || s == "-" {
			return false
		}
		if s == "" || !strings.HasPrefix(s, "-") || s == "-c" || s == "-e" || s == "-m" {
			return true
		}
	}
	return false
}

// call warns of a command by its name.
func (w *shellWalk) call(n *syntax.CallExpr) {
	words := shell.CommandWords(n)
	if len(words) == 0 {
		return
	}
	name := path.Base(shell.Text(words[0]))
	switch {
	case name == "eval":
		w.warn(words[0].Pos(), "write the command itself", "\"eval\" runs text as a command")
	case name == "exec":
		w.warn(words[0].Pos(), "drop exec", "\"exec\" replaces the shell")
	case slices.Contains(destroyers, name) || strings.HasPrefix(name, "mkfs"):
		w.warn(words[0].Pos(), "a check changes nothing", fmt.Sprintf("%q destroys", name))
	case name == "find":
		w.find(words[1:])
	case slices.Contains(interpreters, name):
		w.inner(words)
	}
}

// find looks at what find does with what it found.
func (w *shellWalk) find(args []*syntax.Word) {
	for i := 0; i < len(args); i++ {
		switch shell.Text(args[i]) {
		case "-delete":
			w.warn(args[i].Pos(), "a check changes nothing", "\"find -delete\" destroys")
		case "-exec", "-execdir", "-ok", "-okdir":
			from := i + 1
			for i++; i < len(args) && shell.Text(args[i]) != ";" && shell.Text(args[i]) != "+"; i++ {
			}
			w.call(&syntax.CallExpr{Args: args[min(from, len(args)):i]})
		}
	}
}

// inner looks into the script of sh -c '…'.
func (w *shellWalk) inner(words []*syntax.Word) {
	if !slices.Contains(interpreters[:slices.Index(interpreters, "python")], path.Base(shell.Text(words[0]))) {
		return
	}
	for i, a := range words[1:] {
		if s := shell.Text(a); strings.HasPrefix(s, "-") && strings.HasSuffix(s, "c") && i+2 < len(words) {
			w.warn(a.Pos(), "write the command itself", fmt.Sprintf("\"%s -c\": a shell in the shell",
				shell.Text(words[0])))
			if script := shell.Text(words[i+2]); script != "" {
				lintVerifyCommand(w.fs, w.key, script)
			}
			return
		}
	}
}

// safeTargets may be written to by a check.
var safeTargets = []string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"}

func (w *shellWalk) redirect(n *syntax.Redirect) {
	switch n.Op {
	case syntax.RdrIn, syntax.DplIn, syntax.DplOut, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	}
	target, open := wordStart(n.Word)
	if slices.Contains(safeTargets, target) && !open {
		return
	}
	clean := path.Clean(target)
	outside := path.IsAbs(target) && clean != "/work" && !strings.HasPrefix(clean, "/work/") &&
		!strings.HasPrefix(clean, "/tmp/")
	if outside || clean == ".." || strings.HasPrefix(clean, "../") || strings.HasPrefix(target, "~") ||
		strings.HasPrefix(target, "$HOME") {
		w.warn(n.Pos(), "a check only reads", fmt.Sprintf("redirection to %q, outside the project", target))
	}
}

// wordStart gives the text a word starts with; open: more may follow that is
// known only when it runs.
func wordStart(wd *syntax.Word) (text string, open bool) {
	if s := shell.Text(wd); s != "" {
		return s, false
	}
	for _, p := range wd.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text += p.Value
			continue
		case *syntax.SglQuoted:
			text += p.Value
			continue
		case *syntax.ParamExp:
			if text == "" && p.Param != nil && p.Param.Value == "HOME" {
				return "$HOME", true
			}
		case *syntax.DblQuoted:
			inner, o := wordStart(&syntax.Word{Parts: p.Parts})
			text += inner
			if !o {
				continue
			}
		}
		return text, true
	}
	return text, false
}
