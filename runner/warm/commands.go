package warm

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/shell"
)

// builders are the programs whose caches are kept. nil: whatever they are asked.
var builders = map[string][]string{
	"go": {"test", "build", "vet", "install", "list", "run", "generate"}, "gotestsum": nil, "staticcheck": nil,
	"golangci-lint": nil,
	"python":        nil, "python3": nil, "pytest": nil, "py.test": nil, "mypy": nil, "ruff": nil, "uv": {"run"},
	"poetry": {"run"}, "tox": nil, "nox": nil,
	"cargo": {"test", "build", "check", "run", "clippy", "nextest", "t", "b", "c"},
	"make":  nil,
}

// nodes are those of programs that keep compiled code only from Node 22 on.
var nodes = []string{"node", "npm", "npx", "pnpm", "yarn", "tsc", "jest", "vitest", "mocha"}

// hasNodeCache tells whether the Node of a world keeps compiled code.
const hasNodeCache = `node -e 'process.exit(require("module").enableCompileCache ? 0 : 1)' 2>/dev/null`

// Commands are those of checks' scripts that build or test, each as a line that
// runs it alone, where the script does. Nothing else of the scripts is in them, as
// what they lay beside the project: what they compile is shown to the contestant. A
// program that is itself in a script is not run, nor anything after it, nor what a
// script leaves running.
func Commands(scripts []Script) (list []Command) {
	for _, s := range scripts {
		f := shell.Parsed(s.Text)
		if f == nil {
			continue
		}
		r := reading{src: s.Text}
		r.stmts(f.Stmts, nil)
		for _, line := range r.lines {
			at := slices.IndexFunc(list, func(c Command) bool { return c.Line == line })
			if at < 0 {
				at = len(list)
				list = append(list, Command{Line: line})
			}
			list[at].Limit = max(list[at].Limit, cmp.Or(s.Limit, Each))
		}
	}
	return list
}

// Script is one of a task's checks.
type Script struct {
	Text  string
	Limit time.Duration // 0: Each
}

// Command is run when caches are filled.
type Command struct {
	Line  string
	Limit time.Duration // 0: Time
}

// reading goes through one script.
type reading struct {
	src   string
	lines []string
	ended bool // nothing more of it is run
}

// stmts reads statements that follow one another; before is what was done that they
// rest on.
func (r *reading) stmts(list []*syntax.Stmt, before []string) []string {
	for _, s := range list {
		before = r.stmt(s, before)
	}
	return before
}

// stmt reads one statement. One in the background, as a server, is none that ends.
func (r *reading) stmt(s *syntax.Stmt, before []string) []string {
	if !s.Background && !s.Coprocess {
		return r.command(s.Cmd, before)
	}
	n := len(r.lines)
	r.command(s.Cmd, slices.Clone(before))
	r.lines = r.lines[:n]
	return before
}

// command reads one command, and gives what those after it rest on.
func (r *reading) command(c syntax.Command, before []string) []string {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
			return r.stmt(c.Y, r.stmt(c.X, before))
		}
		r.stmt(c.X, slices.Clone(before))
		r.stmt(c.Y, slices.Clone(before))
	case *syntax.Block:
		return r.stmts(c.Stmts, before)
	case *syntax.Subshell:
		r.stmts(c.Stmts, slices.Clone(before))
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return r.stmt(c.Stmt, before)
		}
	case *syntax.IfClause:
		r.stmts(c.Cond, slices.Clone(before))
		r.stmts(c.Then, slices.Clone(before))
		if c.Else != nil {
			r.command(c.Else, slices.Clone(before))
		}
	case *syntax.DeclClause:
		if text := r.text(c); c.Variant.Value == "export" && r.known(c) {
			return append(slices.Clone(before), text)
		}
	case *syntax.CallExpr:
		return r.call(c, before)
	}
	return before
}

// call reads a call.
func (r *reading) call(c *syntax.CallExpr, before []string) []string {
	r.ended = r.ended || isInline(c)
	if len(c.Args) == 0 || r.ended || !r.known(c) {
		return before
	}
	words := shell.CommandWords(c)
	name := path.Base(shell.Text(words[0]))
	switch {
	case name == "cd" && len(words) == 2:
		return append(slices.Clone(before), r.text(c))
	case (name == "bash" || name == "sh") && len(words) == 3 && strings.HasSuffix(shell.Text(words[1]), "c"):
		r.inner(shell.Text(words[2]), before)
		return before
	case !builds(name, words[1:]):
		return before
	}
	text := r.text(c)
	if slices.Contains(nodes, name) {
		text = hasNodeCache + " && " + text
	}
	r.lines = append(r.lines, strings.Join(append(slices.Clone(before), text), " && "))
	return before
}

// inner reads a script that a shell is given as a word, which runs where before leads.
func (r *reading) inner(script string, before []string) {
	if f := shell.Parsed(script); f != nil {
		in := reading{src: script}
		in.stmts(f.Stmts, before)
		r.lines, r.ended = append(r.lines, in.lines...), r.ended || in.ended
	}
}

// builds reports whether a program fills a cache that is kept.
func builds(name string, args []*syntax.Word) bool {
	asked, is := builders[name]
	if name, version, found := strings.Cut(name, "3."); found && name == "python" && shell.IsNumber(version) {
		is = true
	}
	if slices.Contains(nodes, name) {
		is = true
	}
	verb := ""
	for _, a := range args {
		if verb = shell.Text(a); !strings.HasPrefix(verb, "-") && !strings.HasPrefix(verb, "+") {
			break
		}
	}
	return is && (asked == nil || slices.Contains(asked, verb))
}

// known reports whether every word of a command is known before it runs.
func (r *reading) known(n syntax.Node) bool {
	is := true
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			is = false
		}
		return is
	})
	return is
}

// text is the source of a command, without what it is given to read and where its
// output goes.
func (r *reading) text(n syntax.Node) string { return r.src[n.Pos().Offset():n.End().Offset()] }
