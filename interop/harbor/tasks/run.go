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
func (r *reading) ran(in instruction, at string) {
	text := in.script()
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "--") {
		r.refuse("environment/Dockerfile: RUN %s", in.rest)
		return
	}
	g := &getting{r: r, name: "environment/Dockerfile", script: text, said: map[string]bool{}}
	var lines []string
	for _, s := range chain(f.Stmts) {
		if line := r.one(g, s, text); line != "" {
			lines = append(lines, line)
		}
	}
	if len(g.notes) > 0 {
		r.note("%s: what it gets is this machine's here: %s", g.name, strings.Join(g.notes, ", "))
	}
	if len(lines) > 0 {
		r.line("(")
		r.line("set -e; cd " + quote(at))
		for _, name := range slices.Sorted(maps.Keys(r.args)) {
			if name == "PATH" { // worlds have more on it
				continue
			}
			if _, env := r.task.Env[name]; !env {
				r.line("export " + name + "=" + quote(r.args[name]))
			}
		}
		r.line(append(lines, ")")...)
	}
}

// one gives a command of a RUN as a line of the setup; "": there is nothing to do, or it
// was refused.
func (r *reading) one(g *getting, s *syntax.Stmt, text string) string {
	names := called(s)
	call, _ := s.Cmd.(*syntax.CallExpr)
	switch {
	case len(names) == 1 && (names[0] == "apt-get" || names[0] == "apt"):
		r.packages(s)
	case call != nil && len(call.Args) > 0 && g.installs(g.words(call)):
	case len(names) == 1 &&
		slices.Contains([]string{"chown", "chgrp", "useradd", "adduser", "groupadd", "usermod"}, names[0]):
		g.note("the one user that there is")
	case len(names) == 1 && (names[0] == "bash" || names[0] == "sh"):
		return r.own(s)
	case slices.Contains(names, "git") && fetching.MatchString(text):
		r.refuse("environment/Dockerfile: RUN %s: it fetches", text)
	case !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(plain(), n) }):
		var b bytes.Buffer
		if err := syntax.NewPrinter().Print(&b, s); err != nil {
			r.refuse("environment/Dockerfile: RUN %s", text)
		}
		r.made(s)
		if line := b.String(); !strings.Contains(line, "/var/lib/apt/lists") {
			return line
		}
	default:
		r.refuse("environment/Dockerfile: RUN calls %s", strings.Join(names, ", "))
	}
	return ""
}

// own runs a script of the task itself that was copied before, as bash FILE; it is refused
// where it fetches. "": it was refused.
func (r *reading) own(s *syntax.Stmt) string {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 2 || len(s.Redirs) > 0 || s.Background {
		r.refuse("environment/Dockerfile: RUN calls a shell in other words than bash FILE")
		return ""
	}
	name, ok := literal(call.Args[1])
	at := path.Clean(name)
	if !path.IsAbs(at) {
		at = path.Join(r.here, at)
	}
	text, known := r.copies[at]
	if !ok || !known {
		r.refuse("environment/Dockerfile: RUN bash %.100q: no file that was copied before", name)
		return ""
	}
	for _, n := range fetches(text) {
		r.refuse("environment/Dockerfile: RUN bash %s: it calls %s, which fetches", name, n)
	}
	return "bash " + quote(at)
}

// made sees to it that there are the directories at absolute paths that a command makes,
// or puts files into.
func (r *reading) made(s *syntax.Stmt) {
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Redirect:
			if at, ok := literal(n.Word); ok && path.IsAbs(at) && (n.Op == syntax.RdrOut || n.Op == syntax.AppOut) {
				r.needs(at)
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
					r.needs(path.Clean(at))
				}
			}
		}
		return true
	})
}

// needs is place for a path that may be the machine's own, as /dev/null.
func (r *reading) needs(at string) {
	top, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), "/")
	if top = "/" + top; top == "/root" || places.Problem(top) == "" {
		r.place(at)
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
func (r *reading) packages(s *syntax.Stmt) {
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
		case r.machine.Installed(name):
		case strings.HasPrefix(name, "python3-") && !r.lacks(strings.TrimPrefix(name, "python3-")):
		default:
			r.refuse("environment/Dockerfile: this machine has no package %s", name)
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
