package tasks

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/internal/places"
)

// dockerfile carries out environment/Dockerfile as lines of a setup.
func (r *reading) dockerfile() {
	text, err := readFile(r.dir, "environment/Dockerfile")
	if err != nil {
		if !slices.ContainsFunc(r.refused, func(e error) bool { return strings.HasPrefix(e.Error(), "docker_image") }) {
			r.refused = append(r.refused, err)
		}
		return
	}
	r.left = r.ignore()
	stages := 0
	at := "/"
	for _, line := range instructions(string(text)) {
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		switch word = strings.ToUpper(word); word {
		case "FROM":
			if stages++; stages > 1 {
				r.refuse("environment/Dockerfile: several stages")
			}
			r.note("FROM %s: its programs are this machine's here", rest)
		case "WORKDIR":
			if strings.Contains(rest, "$") {
				r.refuse("environment/Dockerfile: WORKDIR %s", rest)
			}
			at = path.Join(at, strings.Trim(rest, `"`))
			if path.IsAbs(strings.Trim(rest, `"`)) {
				at = path.Clean(strings.Trim(rest, `"`))
			}
			r.line("mkdir -p " + quote(at))
		case "ENV":
			r.variables(rest)
		case "COPY", "ADD":
			r.copied(word, rest, at)
		case "RUN":
			r.ran(rest, at)
		case "LABEL", "EXPOSE", "MAINTAINER", "CMD", "ENTRYPOINT", "STOPSIGNAL":
		default:
			r.refuse("environment/Dockerfile: %s", line)
		}
	}
	if r.task.Workdir == "" {
		r.task.Workdir = at
	}
}

// line adds one to the setup.
func (r *reading) line(s ...string) { r.task.Setup = append(r.task.Setup, s...) }

// instructions are the lines of a Dockerfile, without comments, those that go on joined.
func instructions(text string) []string {
	var out []string
	var open string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if more, ok := strings.CutSuffix(line, `\`); ok {
			open += more + " "
			continue
		}
		out = append(out, open+line)
		open = ""
	}
	if open != "" {
		out = append(out, open)
	}
	return out
}

// variables reads NAME=value NAME="a value", or NAME and a value.
func (r *reading) variables(rest string) {
	name, value, ok := strings.Cut(rest, " ")
	if !strings.Contains(name, "=") && ok {
		r.env(name, strings.TrimSpace(value))
		return
	}
	f, err := syntax.NewParser().Parse(strings.NewReader(rest), "")
	if err != nil || len(f.Stmts) != 1 {
		r.refuse("environment/Dockerfile: ENV %s", rest)
		return
	}
	call, ok := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) > 0 {
		r.refuse("environment/Dockerfile: ENV %s", rest)
		return
	}
	for _, a := range call.Assigns {
		value, ok := literal(a.Value)
		if !ok {
			r.refuse("environment/Dockerfile: ENV %s: its value is no plain text", a.Name.Value)
			continue
		}
		r.env(a.Name.Value, value)
	}
}

// env sets a variable of the task's world.
func (r *reading) env(name, value string) {
	switch {
	case name == "HOME" && value == "/home/agent": // as it is
	case slices.Contains([]string{"PATH", "HOME", "USER", "TMPDIR", "SHELL", "LD_PRELOAD", "LD_LIBRARY_PATH"}, name):
		r.refuse("ENV %s: it belongs to the world", name)
	case !isName(name) || strings.ContainsAny(value, "\"\\\n$"):
		r.refuse("ENV %s: its value is no plain text", name)
	default:
		r.task.Env[name] = value
	}
}

// literal gives a word in which nothing is expanded.
func literal(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", true
	}
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, ok := literal(&syntax.Word{Parts: p.Parts})
			if !ok {
				return "", false
			}
			b.WriteString(text)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// copied carries out COPY, and ADD of what is no archive.
func (r *reading) copied(word, rest, at string) {
	var words []string
	if json.Unmarshal([]byte(rest), &words) != nil {
		words = strings.Fields(rest)
	}
	mode := ""
	for len(words) > 0 && strings.HasPrefix(words[0], "--") {
		if m, ok := strings.CutPrefix(words[0], "--chmod="); ok {
			mode = m
		} else if !strings.HasPrefix(words[0], "--chown=") {
			r.refuse("environment/Dockerfile: %s %s", word, rest)
			return
		}
		words = words[1:]
	}
	if len(words) < 2 {
		r.refuse("environment/Dockerfile: %s %s", word, rest)
		return
	}
	to := words[len(words)-1]
	many := len(words) > 2 || strings.HasSuffix(to, "/")
	full := to
	if !path.IsAbs(to) {
		full = path.Join(at, to)
	}
	full = path.Clean(full)
	for _, from := range words[:len(words)-1] {
		if strings.ContainsAny(from, "*?[$") || strings.Contains(from, "://") || word == "ADD" && strings.Contains(from,
			".tar") || strings.Contains(to, "$") {
			r.refuse("environment/Dockerfile: %s %s", word, rest)
			continue
		}
		inside := path.Join("environment", path.Clean("/"+from))
		before := len(r.refused)
		files := r.filesBut(inside, r.left)
		if len(files) == 0 && len(r.left) > 0 && len(r.refused) == before && path.Clean("/"+from) != "/" {
			r.refuse("environment/Dockerfile: %s %s: .dockerignore leaves all of %s out", word, rest, from)
		}
		for _, f := range files {
			dest := path.Join(full, f.name)
			if f.name == "." { // from is a file
				dest = full
				if many || strings.HasSuffix(full, "/") || full == at {
					dest = path.Join(full, path.Base(from))
				}
			}
			r.line(put(dest, f)...)
			if r.copies == nil {
				r.copies = map[string]string{}
			}
			r.copies[dest] = string(f.data)
			if mode != "" {
				r.line("chmod " + quote(mode) + " " + quote(dest))
			}
			r.place(dest)
		}
	}
}

// place sees to it that there is a directory for an absolute path.
func (r *reading) place(at string) {
	top, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), "/")
	if at == "/work" || places.Below(at, "/work") || at == "/home/agent" || places.Below(at, "/home/agent") {
		return // worlds have these
	}
	if top = "/" + top; !slices.Contains(r.task.Mounts, top) {
		r.task.Mounts = append(r.task.Mounts, top)
	}
}

// plain are the commands of a RUN that do nothing but with files.
func plain() []string {
	return []string{"mkdir", "chmod", "touch", "echo", "printf", "ln", "cp", "mv", "cat", "git", "sed", "rm", "true", "cd",
		"export", "test", "[", "tee", "set", "python3", "tar", "gcc", "make"}
}

// fetching are the commands of git that need a network.
var fetching = pattern.New(`\bgit\b.*\b(clone|fetch|pull|submodule)\b`)

// ran carries out RUN: what does with files is done, packages must be on the machine.
func (r *reading) ran(rest, at string) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(rest), "")
	if err != nil || strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "<<") {
		r.refuse("environment/Dockerfile: RUN %s", rest)
		return
	}
	var lines []string
	for _, s := range chain(f.Stmts) {
		names := called(s)
		switch {
		case len(names) == 1 && (names[0] == "apt-get" || names[0] == "apt"):
			r.packages(s)
		case len(names) == 1 && (names[0] == "bash" || names[0] == "sh"):
			if line := r.own(s); line != "" {
				lines = append(lines, line)
			}
		case slices.Contains(names, "git") && fetching.MatchString(rest):
			r.refuse("environment/Dockerfile: RUN %s: it fetches", rest)
		case !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(plain(), n) }):
			var b bytes.Buffer
			if err := syntax.NewPrinter().Print(&b, s); err != nil {
				r.refuse("environment/Dockerfile: RUN %s", rest)
			}
			r.made(s)
			if line := b.String(); !strings.Contains(line, "/var/lib/apt/lists") {
				lines = append(lines, line)
			}
		default:
			r.refuse("environment/Dockerfile: RUN calls %s", strings.Join(names, ", "))
		}
	}
	if len(lines) > 0 {
		r.line("(")
		r.line("set -e; cd " + quote(at))
		r.line(append(lines, ")")...)
	}
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
	text, known := r.copies[path.Clean(name)]
	if !ok || !known {
		r.refuse("environment/Dockerfile: RUN bash %.100q: no file that was copied before", name)
		return ""
	}
	for _, n := range fetches(text) {
		r.refuse("environment/Dockerfile: RUN bash %s: it calls %s, which fetches", name, n)
	}
	return "bash " + quote(path.Clean(name))
}

// made sees to it that there are the directories that mkdir makes at absolute paths.
func (r *reading) made(s *syntax.Stmt) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	if name, _ := literal(call.Args[0]); name != "mkdir" {
		return
	}
	for _, w := range call.Args[1:] {
		if at, ok := literal(w); ok && path.IsAbs(at) {
			r.place(path.Clean(at))
		}
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
		case !r.machine.Installed(name):
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

// mounts finds the places that the task needs, and refuses those that can't be had.
func (r *reading) mounts() {
	tops := r.task.Mounts
	r.task.Mounts = nil
	if r.task.Workdir == "" {
		r.task.Workdir = "/"
	}
	for _, at := range tops {
		if r.task.Workdir != "/" && (r.task.Workdir == at || places.Below(r.task.Workdir, at)) {
			continue // it is the project, or holds it
		}
		if why := places.Problem(at); why != "" {
			r.refuse("environment/Dockerfile puts files into %s: %s", at, why)
			continue
		}
		r.task.Mounts = append(r.task.Mounts, at)
	}
	if at := r.task.Workdir; at != "/" && at != "/work" && !places.Below(at, "/work") {
		if why := places.Problem(at); why != "" {
			r.refuse("WORKDIR %s: %s", at, why)
		}
		r.task.Mounts = append(r.task.Mounts, ".:"+at)
	}
	for _, at := range []string{"/tests", "/logs", "/solution"} {
		if slices.Contains(r.task.Mounts, at) || r.task.Workdir == at || places.Below(r.task.Workdir, at) {
			r.refuse("environment/Dockerfile uses %s, which is Harbor's own", at)
		}
	}
	r.task.Mounts = append(r.task.Mounts, "/tests", "/logs", "/solution")
}
