package tasks

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/places"
)

// dockerfile is environment/Dockerfile, which is carried out as lines of a setup.
type dockerfile struct {
	out    *sheet
	from   *folder
	left   ignored           // of environment/, by the build of the image
	copies map[string]string // texts of files by where they were copied to
	here   string            // the directory that RUN is in
}

// build carries it out.
func (d *dockerfile) build() {
	text, err := d.from.read(Dockerfile)
	if err != nil {
		d.out.fail(err)
		return
	}
	d.left = d.ignore()
	stages := 0
	at := "/"
	d.here = at
	d.out.args = map[string]string{"PATH": strings.Join(systemPath, ":")}
	for _, in := range instructions(string(text)) {
		rest := in.rest
		if slices.Contains([]string{"WORKDIR", "COPY", "ADD", "ENV", "ARG"}, in.word) {
			var ok bool
			if rest, ok = d.expand(rest); !ok {
				d.out.refuseIn(Dockerfile, "%s %s: a variable that isn't known", in.word, in.rest)
				continue
			}
		}
		switch in.word {
		case "FROM":
			if stages++; stages > 1 {
				d.out.refuseIn(Dockerfile, "several stages")
			}
			if base, _, _ := strings.Cut(rest, " "); !(rooting{d.out, d.from}).named(base) {
				d.out.note("FROM %s: its programs are this machine's here", rest)
			} else if d.out.task.Root != "" {
				at = d.out.task.Workdir
				d.here, d.out.task.Workdir = at, ""
			}
		case "WORKDIR":
			at = path.Join(at, strings.Trim(rest, `"`))
			if path.IsAbs(strings.Trim(rest, `"`)) {
				at = path.Clean(strings.Trim(rest, `"`))
			}
			d.here = at
			d.line("mkdir -p " + quote(at))
		case "ENV":
			d.variables(rest)
		case "COPY", "ADD":
			d.copied(in, rest, at)
		case "RUN":
			d.ran(in, at)
		case "ARG":
			d.argument(rest)
		case "SHELL":
			var words []string
			if json.Unmarshal([]byte(rest), &words) != nil || len(words) == 0 || !isShell(words[0]) {
				d.out.refuseIn(Dockerfile, "SHELL %s", rest)
			}
		case "LABEL", "EXPOSE", "MAINTAINER", "CMD", "ENTRYPOINT", "STOPSIGNAL":
		default:
			d.out.refuseIn(Dockerfile, "%s %s", in.word, in.rest)
		}
	}
	if d.out.task.Workdir == "" {
		d.out.task.Workdir = at
	}
}

// line adds one to the setup.
func (d *dockerfile) line(s ...string) { d.out.task.Setup = append(d.out.task.Setup, s...) }

// variables reads NAME=value NAME="a value", or NAME and a value.
func (d *dockerfile) variables(rest string) {
	name, value, ok := strings.Cut(rest, " ")
	if !strings.Contains(name, "=") && ok {
		d.out.env(name, strings.TrimSpace(value))
		return
	}
	f, err := syntax.NewParser().Parse(strings.NewReader(rest), "")
	if err != nil || len(f.Stmts) != 1 {
		d.out.refuseIn(Dockerfile, "ENV %s", rest)
		return
	}
	call, ok := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) > 0 {
		d.out.refuseIn(Dockerfile, "ENV %s", rest)
		return
	}
	for _, a := range call.Assigns {
		value, ok := literal(a.Value)
		if !ok && a.Name.Value != "PATH" {
			d.out.refuseIn(Dockerfile, "ENV %s: its value is no plain text", a.Name.Value)
			continue
		}
		d.out.env(a.Name.Value, value)
	}
}

// argument reads ARG NAME or ARG NAME=value.
func (d *dockerfile) argument(rest string) {
	for word := range strings.FieldsSeq(rest) {
		name, value, has := strings.Cut(word, "=")
		if !isName(name) {
			d.out.refuseIn(Dockerfile, "ARG %s", rest)
		} else if _, known := d.out.args[name]; has || !known {
			d.out.args[name] = strings.Trim(value, `"'`)
		}
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
func (d *dockerfile) copied(in instruction, rest, at string) {
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
			d.out.refuseIn(Dockerfile, "%s %s", word, rest)
			return
		}
		words = words[1:]
	}
	if len(words) < 2 {
		d.out.refuseIn(Dockerfile, "%s %s", word, rest)
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
			d.out.refuseIn(Dockerfile, "%s %s", word, rest)
			return
		}
		d.copy(full, mode, file{name: ".", data: []byte(in.docs[0].text)})
		return
	}
	many := len(words) > 2 || strings.HasSuffix(to, "/")
	for _, from := range d.from.globbed(words[:len(words)-1]) {
		if strings.ContainsAny(from, "*?[$") || strings.Contains(from, "://") || word == "ADD" && strings.Contains(from,
			".tar") || strings.Contains(to, "$") {
			d.out.refuseIn(Dockerfile, "%s %s", word, rest)
			continue
		}
		inside := path.Join("environment", path.Clean("/"+from))
		before := len(d.out.refused)
		files := d.out.have(d.from.files(inside, d.left))
		if len(files) == 0 && len(d.left) > 0 && len(d.out.refused) == before && path.Clean("/"+from) != "/" {
			d.out.refuseIn(Dockerfile, "%s %s: .dockerignore leaves all of %s out", word, rest, from)
		}
		for _, f := range files {
			dest := path.Join(full, f.name)
			if f.name == "." { // from is a file
				dest = full
				if many || full == at || slices.Contains([]string{".", "./"}, to) {
					dest = path.Join(full, path.Base(from))
				}
			}
			d.copy(dest, mode, f)
		}
	}
}

// copy puts one file to its place.
func (d *dockerfile) copy(dest, mode string, f file) {
	d.line(put(dest, f)...)
	if d.copies == nil {
		d.copies = map[string]string{}
	}
	d.copies[dest] = string(f.data)
	if mode != "" {
		d.line("chmod " + quote(mode) + " " + quote(dest))
	}
	d.place(dest)
}

// place sees to it that there is a directory for an absolute path.
func (d *dockerfile) place(at string) {
	top, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), "/")
	if at == "/work" || places.Below(at, "/work") || at == "/home/agent" || places.Below(at, "/home/agent") {
		return // worlds have these
	}
	if top = "/" + top; !slices.Contains(d.out.task.Mounts, top) {
		d.out.task.Mounts = append(d.out.task.Mounts, top)
	}
}

// mounts finds the places that the task needs, and refuses those that can't be had.
func (d *dockerfile) mounts() {
	if d.out.task.Root != "" { // in which every place can be had
		d.out.task.Mounts = nil
		return
	}
	tops := d.out.task.Mounts
	d.out.task.Mounts = nil
	if d.out.task.Workdir == "" {
		d.out.task.Workdir = "/"
	}
	for _, at := range tops {
		if d.out.task.Workdir != "/" && (d.out.task.Workdir == at || places.Below(d.out.task.Workdir, at)) {
			continue // it is the project, or holds it
		}
		if why := d.taken(at); why != "" {
			d.out.refuseIn(Dockerfile, "it puts files into %s: %s", at, why)
			continue
		}
		d.out.task.Mounts = append(d.out.task.Mounts, at)
	}
	if at := d.out.task.Workdir; at != "/" && at != "/work" && !places.Below(at, "/work") {
		if why := d.taken(at); why != "" {
			d.out.refuse("WORKDIR %s: %s", at, why)
		}
		d.out.task.Mounts = append(d.out.task.Mounts, ".:"+at)
	}
	for _, at := range []string{"/tests", "/logs", "/solution"} {
		if slices.Contains(d.out.task.Mounts, at) || d.out.task.Workdir == at || places.Below(d.out.task.Workdir, at) {
			d.out.refuseIn(Dockerfile, "it uses %s, which is Harbor's own", at)
		}
	}
	d.out.task.Mounts = append(d.out.task.Mounts, "/tests", "/logs", "/solution")
}

// taken says why a place can't be the task's; "": it can.
func (d *dockerfile) taken(at string) string {
	if why := places.Problem(at); why != "" {
		return why
	}
	if d.out.machine.shown(at) {
		return d.out.machine.Home + " is your home, of which worlds show tools"
	}
	return ""
}
