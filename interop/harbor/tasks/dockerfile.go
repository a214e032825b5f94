package tasks

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/places"
)

// dockerfile carries out environment/Dockerfile as lines of a setup.
func (r *reading) dockerfile() {
	text, err := readFile(r.dir, "environment/Dockerfile")
	if err != nil {
		r.refused = append(r.refused, err)
		return
	}
	r.left = r.ignore()
	stages := 0
	at := "/"
	r.here = at
	r.args = map[string]string{"PATH": strings.Join(systemPath, ":")}
	for _, in := range instructions(string(text)) {
		rest := in.rest
		if slices.Contains([]string{"WORKDIR", "COPY", "ADD", "ENV", "ARG"}, in.word) {
			var ok bool
			if rest, ok = r.expand(rest); !ok {
				r.refuse("environment/Dockerfile: %s %s: a variable that isn't known", in.word, in.rest)
				continue
			}
		}
		switch in.word {
		case "FROM":
			if stages++; stages > 1 {
				r.refuse("environment/Dockerfile: several stages")
			}
			if base, _, _ := strings.Cut(rest, " "); !r.image(base) {
				r.note("FROM %s: its programs are this machine's here", rest)
			} else if r.task.Root != "" {
				at = r.task.Workdir
				r.here, r.task.Workdir = at, ""
			}
		case "WORKDIR":
			at = path.Join(at, strings.Trim(rest, `"`))
			if path.IsAbs(strings.Trim(rest, `"`)) {
				at = path.Clean(strings.Trim(rest, `"`))
			}
			r.here = at
			r.line("mkdir -p " + quote(at))
		case "ENV":
			r.variables(rest)
		case "COPY", "ADD":
			r.copied(in, rest, at)
		case "RUN":
			r.ran(in, at)
		case "ARG":
			r.argument(rest)
		case "SHELL":
			var words []string
			if json.Unmarshal([]byte(rest), &words) != nil || len(words) == 0 || !isShell(words[0]) {
				r.refuse("environment/Dockerfile: SHELL %s", rest)
			}
		case "LABEL", "EXPOSE", "MAINTAINER", "CMD", "ENTRYPOINT", "STOPSIGNAL":
		default:
			r.refuse("environment/Dockerfile: %s %s", in.word, in.rest)
		}
	}
	if r.task.Workdir == "" {
		r.task.Workdir = at
	}
}

// line adds one to the setup.
func (r *reading) line(s ...string) { r.task.Setup = append(r.task.Setup, s...) }

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
		if !ok && a.Name.Value != "PATH" {
			r.refuse("environment/Dockerfile: ENV %s: its value is no plain text", a.Name.Value)
			continue
		}
		r.env(a.Name.Value, value)
	}
}

// argument reads ARG NAME or ARG NAME=value.
func (r *reading) argument(rest string) {
	for word := range strings.FieldsSeq(rest) {
		name, value, has := strings.Cut(word, "=")
		if !isName(name) {
			r.refuse("environment/Dockerfile: ARG %s", rest)
		} else if _, known := r.args[name]; has || !known {
			r.args[name] = strings.Trim(value, `"'`)
		}
	}
}

// env sets a variable of the task's world.
func (r *reading) env(name, value string) {
	switch {
	case name == "HOME" && value == "/home/agent": // as it is
	case name == "PATH" && value != "":
		r.search(value)
	case slices.Contains(ownVariables, name):
		r.refuse("ENV %s: it belongs to the world", name)
	case !isName(name) || strings.ContainsAny(value, "\n\x00"):
		r.refuse("ENV %s: its value is no plain text", name)
	default:
		r.task.Env[name] = value
		if r.args != nil {
			r.args[name] = value
		}
	}
}

// ownVariables belong to the world.
var ownVariables = []string{"PATH", "HOME", "USER", "TMPDIR", "SHELL", "LD_PRELOAD", "LD_LIBRARY_PATH"}

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
func (r *reading) copied(in instruction, rest, at string) {
	word := in.word
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
	full := to
	if !path.IsAbs(to) {
		full = path.Join(at, to)
	}
	full = path.Clean(full)
	if len(in.docs) > 0 {
		if len(words) != 2 || in.docs[0].expands && strings.Contains(in.docs[0].text, "$") {
			r.refuse("environment/Dockerfile: %s %s", word, rest)
			return
		}
		r.copy(full, mode, file{name: ".", data: []byte(in.docs[0].text)})
		return
	}
	many := len(words) > 2 || strings.HasSuffix(to, "/")
	for _, from := range r.globbed(words[:len(words)-1]) {
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
				if many || full == at || slices.Contains([]string{".", "./"}, to) {
					dest = path.Join(full, path.Base(from))
				}
			}
			r.copy(dest, mode, f)
		}
	}
}

// copy puts one file to its place.
func (r *reading) copy(dest, mode string, f file) {
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

// globbed gives the names that patterns of a COPY stand for; one that matches nothing stays.
func (r *reading) globbed(words []string) (out []string) {
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return words
	}
	defer root.Close()
	for _, w := range words {
		at := path.Join("environment", path.Clean("/"+w))
		found, err := fs.Glob(root.FS(), at)
		if !strings.ContainsAny(w, "*?") || err != nil || len(found) == 0 {
			out = append(out, w)
			continue
		}
		for _, name := range found {
			out = append(out, strings.TrimPrefix(name, "environment/"))
		}
	}
	return out
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

// mounts finds the places that the task needs, and refuses those that can't be had.
func (r *reading) mounts() {
	if r.task.Root != "" { // in which every place can be had
		r.task.Mounts = nil
		return
	}
	tops := r.task.Mounts
	r.task.Mounts = nil
	if r.task.Workdir == "" {
		r.task.Workdir = "/"
	}
	for _, at := range tops {
		if r.task.Workdir != "/" && (r.task.Workdir == at || places.Below(r.task.Workdir, at)) {
			continue // it is the project, or holds it
		}
		if why := r.taken(at); why != "" {
			r.refuse("environment/Dockerfile puts files into %s: %s", at, why)
			continue
		}
		r.task.Mounts = append(r.task.Mounts, at)
	}
	if at := r.task.Workdir; at != "/" && at != "/work" && !places.Below(at, "/work") {
		if why := r.taken(at); why != "" {
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

// taken says why a place can't be the task's; "": it can.
func (r *reading) taken(at string) string {
	if why := places.Problem(at); why != "" {
		return why
	}
	if r.machine.shown(at) {
		return r.machine.Home + " is your home, of which worlds show tools"
	}
	return ""
}
