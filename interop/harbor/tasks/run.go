package tasks

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/internal/places"
)

// plain are the commands of a RUN that do nothing but with files.
func plain() []string {
	return []string{
		"mkdir", "chmod", "touch", "echo", "printf", "ln", "cp", "mv", "cat", "git", "sed", "rm", "rmdir", "true",
		"cd", "export", "test", "[", "tee", "set", "python3", "python", "perl", "ruby", "node", "tar", "gzip", "gunzip",
		"zip", "unzip", "gcc", "g++", "cc", "c++", "ar", "make", "cmake", "grep", "awk", "find", "xargs", "sort", "uniq",
		"tr", "cut", "head", "tail", "seq", "dd", "date", "sleep", "truncate", "install", "base64", "sqlite3", "openssl",
		"ssh-keygen", "basename", "dirname", "ls", "pwd", "id", "which", "command", ":", "unset", "patch",
	}
}

// fetching are the commands of git that need a network.
var fetching = pattern.New(`\bgit\b.*\b(clone|fetch|pull|submodule)\b`)

// ran carries out RUN: what does with files is done, packages must be on the machine.
func (d *dockerfile) ran(in instruction, at string) {
	text := in.script()
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "--") {
		d.out.refuseIn(Dockerfile, "RUN %s", in.rest)
		return
	}
	g := &getting{out: d.out, name: Dockerfile, script: text, noted: map[string]bool{},
		copies: d.copies, here: d.here}
	c := commands{dockerfile: d, g: g, text: text}
	var lines []string
	for _, s := range chain(f.Stmts) {
		if line := c.one(s); line != "" {
			lines = append(lines, line)
		}
	}
	if len(g.notes) > 0 {
		d.out.note("%s: what it gets is this machine's here: %s", g.name, strings.Join(g.notes, ", "))
	}
	if len(lines) > 0 {
		d.line("(")
		d.line("set -e; cd " + quote(at))
		for _, name := range slices.Sorted(maps.Keys(d.out.args)) {
			if name == "PATH" { // worlds have more on it
				continue
			}
			if _, env := d.out.task.Env[name]; !env {
				d.line("export " + name + "=" + quote(d.out.args[name]))
			}
		}
		d.line(append(lines, ")")...)
	}
}

// commands are those of a RUN.
type commands struct {
	dockerfile *dockerfile
	g          *getting
	text       string
}

// refuse refuses one, in words that go on after RUN.
func (c commands) refuse(format string, args ...any) {
	c.dockerfile.out.refuseIn(Dockerfile, "RUN "+format, args...)
}

// one gives a command of a RUN as a line of the setup; "": there is nothing to do, or it
// was refused.
func (c commands) one(s *syntax.Stmt) string {
	names := called(s)
	call, _ := s.Cmd.(*syntax.CallExpr)
	switch {
	case len(names) == 1 && (names[0] == "apt-get" || names[0] == "apt"):
		c.packages(s)
	case call != nil && len(call.Args) > 0 && c.g.installs(c.g.words(call)):
	case len(names) == 1 &&
		slices.Contains([]string{"chown", "chgrp", "useradd", "adduser", "groupadd", "usermod"}, names[0]):
		c.g.note("the one user that there is")
	case len(names) == 1 && (names[0] == "bash" || names[0] == "sh"):
		return c.own(s)
	case slices.Contains(names, "git") && fetching.MatchString(c.text):
		c.refuse("%s: it fetches", c.text)
	case !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(plain(), n) }):
		var b bytes.Buffer
		if err := syntax.NewPrinter().Print(&b, s); err != nil {
			c.refuse("%s", c.text)
		}
		c.made(s)
		if line := b.String(); !strings.Contains(line, "/var/lib/apt/lists") {
			return line
		}
	default:
		c.refuse("calls %s", strings.Join(names, ", "))
	}
	return ""
}

// own runs a script of the task itself that was copied before, as bash FILE; it is refused
// where it fetches. "": it was refused.
func (c commands) own(s *syntax.Stmt) string {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 2 || len(s.Redirs) > 0 || s.Background {
		c.refuse("calls a shell in other words than bash FILE")
		return ""
	}
	name, ok := literal(call.Args[1])
	at := path.Clean(name)
	if !path.IsAbs(at) {
		at = path.Join(c.dockerfile.here, at)
	}
	text, known := c.dockerfile.copies[at]
	if !ok || !known {
		c.refuse("bash %.100q: no file that was copied before", name)
		return ""
	}
	for _, n := range fetches(text) {
		c.refuse("bash %s: it calls %s, which fetches", name, n)
	}
	return "bash " + quote(at)
}

// made sees to it that there are the directories at absolute paths that a command makes,
// or puts files into.
func (c commands) made(s *syntax.Stmt) {
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Redirect:
			if at, ok := literal(n.Word); ok && path.IsAbs(at) && (n.Op == syntax.RdrOut || n.Op == syntax.AppOut) {
				c.needs(at)
			}
		case *syntax.CallExpr:
			if len(n.Args) < 2 {
				return true
			}
			args := n.Args[1:]
			switch name, _ := literal(n.Args[0]); name {
			case "mkdir", "touch", "tee":
			case "cp", "mv", "ln", "install":
				args = args[len(args)-1:]
			default:
				return true
			}
			for _, w := range args {
				if at, ok := literal(w); ok && path.IsAbs(at) {
					c.needs(path.Clean(at))
				}
			}
		}
		return true
	})
}

// needs is place for a path that may be the machine's own, as /dev/null.
func (c commands) needs(at string) {
	top, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), "/")
	if top = "/" + top; top == "/root" || places.Problem(top) == "" {
		c.dockerfile.place(at)
	}
}

// chain takes commands apart that follow one another by &&.
func chain(stmts []*syntax.Stmt) []*syntax.Stmt {
	var out []*syntax.Stmt
	for _, s := range stmts {
		if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.AndStmt && len(s.Redirs) == 0 && !s.Negated &&
			!s.Background {
			out = append(out, chain([]*syntax.Stmt{b.X})...)
			out = append(out, chain([]*syntax.Stmt{b.Y})...)
			continue
		}
		out = append(out, s)
	}
	return out
}

// called are the names of the commands in a script; "…" is one that is made up.
func called(node syntax.Node) []string {
	names := map[string]bool{}
	syntax.Walk(node, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			name, ok := literal(c.Args[0])
			if !ok {
				name = "…"
			}
			names[path.Base(name)] = true
		}
		return true
	})
	return slices.Sorted(maps.Keys(names))
}

// packages asks for those of an apt-get install.
func (c commands) packages(s *syntax.Stmt) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	install := false
	for _, w := range call.Args[1:] {
		word, _ := literal(w)
		name, _, _ := strings.Cut(word, "=")
		switch {
		case word == "install":
			install = true
		case !install || strings.HasPrefix(word, "-") || word == "":
		case c.dockerfile.out.machine.Installed(name):
		case strings.HasPrefix(name, "python3-") && !c.dockerfile.out.lacks(strings.TrimPrefix(name, "python3-")):
		default:
			c.dockerfile.out.refuseIn(Dockerfile, "this machine has no package %s", name)
		}
	}
}

// fetches are the commands of a script that need a network, or a process that runs.
func fetches(script string) []string {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil // the shell says so
	}
	return slices.DeleteFunc(called(f), func(name string) bool {
		return !slices.Contains([]string{"apt-get", "apt", "apk", "dnf", "yum", "curl", "wget", "uv", "uvx", "pip", "pip3",
			"npm", "npx", "yarn", "pnpm", "conda"}, name)
	})
}
