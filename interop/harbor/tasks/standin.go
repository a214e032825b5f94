package tasks

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// standIn gives a script of the task as it is run here, without a network: where it gets
// programs and packages of Python that this machine has, it takes those. What the machine
// doesn't have is refused.
func (s *sheet) standIn(name, script string) string {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return script // the shell says so
	}
	g := &getting{out: s, name: name, script: script, noted: map[string]bool{}}
	var edits []edit
	syntax.Walk(f, func(n syntax.Node) bool {
		stmt, ok := n.(*syntax.Stmt)
		if !ok || stmt.Cmd == nil {
			return true
		}
		e, done := g.instead(stmt)
		if done {
			edits = append(edits, e)
		}
		return !done
	})
	for _, e := range slices.Backward(edits) {
		script = script[:e.from] + e.text + script[e.to:]
	}
	if len(g.notes) > 0 {
		s.note("%s: what it gets is this machine's here: %s", name, strings.Join(g.notes, ", "))
	}
	return script
}

// edit is a text in the place of bytes of a script.
type edit struct {
	from, to uint
	text     string
}

// getting is a script that gets what it needs.
type getting struct {
	out          *sheet
	name, script string
	notes        []string
	noted        map[string]bool
	venv         bool              // it made one, of which only the packages count
	copies       map[string]string // texts of files that it may ask for, by their paths
	here         string            // the directory that it is in
}

func (g *getting) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !g.noted[text] {
		g.noted[text] = true
		g.notes = append(g.notes, text)
	}
}

func (g *getting) refuse(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !g.noted[text] {
		g.noted[text] = true
		g.out.refuseIn(g.name, "%s", text)
	}
}

// instead gives what stands in the place of a command; false: it stays, with what is in it.
func (g *getting) instead(s *syntax.Stmt) (edit, bool) {
	nothing := func(n syntax.Node) (edit, bool) { return edit{n.Pos().Offset(), n.End().Offset(), "true"}, true }
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.Pipe && g.installer(b) {
		return nothing(b)
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return edit{}, false
	}
	words := g.words(call)
	put := func(text string, rest int) (edit, bool) {
		return edit{call.Args[0].Pos().Offset(), call.End().Offset(), text + g.rest(call, words, rest)}, true
	}
	switch name := words[0]; {
	case name == "apt-get" || name == "apt":
		if g.packages(words[1:]) {
			return put("true", len(words))
		}
	case g.installs(words):
		return put("true", len(words))
	case (name == "uvx" || name == "uv") && len(words) > 1:
		if at, tool := g.runs(words); tool != "" {
			return put(tool, at)
		}
	case isPython(name) && len(words) > 2 && words[1] == "-m" && words[2] == "venv":
		return put(name+" -m venv --system-site-packages", 3)
	case name == "pytest", isPython(name) && len(words) > 2 && words[1] == "-m" && words[2] == "pytest":
		if g.out.lacks("pytest-json-ctrf") && slices.ContainsFunc(words, func(w string) bool {
			return w == "--ctrf" || strings.HasPrefix(w, "--ctrf=")
		}) {
			return put(g.out.pytest(name), 1)
		}
		if name == "pytest" && g.out.pytest(name) != name {
			return put(g.out.pytest(name), 1)
		}
	case name == "source" || name == ".":
		if len(words) == 2 && (strings.HasSuffix(words[1], ".local/bin/env") ||
			g.venv && strings.HasSuffix(words[1], "bin/activate")) {
			return put("true", len(words))
		}
	}
	return edit{}, false
}

// words are those of a command, in which nothing is expanded.
func (g *getting) words(call *syntax.CallExpr) []string {
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i], _ = literal(w)
		if words[i] == "" {
			words[i] = g.script[w.Pos().Offset():w.End().Offset()]
		}
	}
	return words
}

// rest is the words of a command from one on, as they stand there, but for where pytest
// is to write a report that it can't.
func (g *getting) rest(call *syntax.CallExpr, words []string, from int) string {
	out := ""
	for i := from; i < len(words); i++ {
		if g.out.lacks("pytest-json-ctrf") && (words[i] == "--ctrf" || strings.HasPrefix(words[i], "--ctrf=")) {
			if g.note("no report by pytest-json-ctrf"); words[i] == "--ctrf" {
				i++
			}
			continue
		}
		out += " " + g.script[call.Args[i].Pos().Offset():call.Args[i].End().Offset()]
	}
	return out
}

// installer reports whether a pipe is that of uv's installer: what is run by it is this
// machine's.
func (g *getting) installer(b *syntax.BinaryCmd) bool {
	from := g.script[b.X.Pos().Offset():b.X.End().Offset()]
	to := called(b.Y)
	return strings.Contains(from, "https://astral.sh/uv") && len(to) == 1 && (to[0] == "sh" || to[0] == "bash") &&
		!slices.ContainsFunc(called(b.X), func(n string) bool { return n != "curl" && n != "wget" })
}

func isPython(name string) bool { return name == "python" || name == "python3" }

// packages asks for those of an apt-get; false: it does something else.
func (g *getting) packages(words []string) bool {
	install := false
	for _, word := range words {
		name, _, _ := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(word, "-"):
		case word == "install":
			install = true
		case !install:
			if !slices.Contains([]string{"update", "upgrade", "clean", "autoremove", "autoclean"}, word) {
				return false
			}
		case slices.Contains([]string{"curl", "wget", "ca-certificates", "python3-pip"}, name):
			// What they are for is not done.
		case g.out.machine.Installed(name):
			g.note("%s", name)
		default:
			module, ok := strings.CutPrefix(name, "python3-")
			if _, has := g.out.machine.Python(module); !ok || !has {
				g.refuse("this machine has no package %s", name)
			}
		}
	}
	return true
}

// installs asks for the packages of Python that a command gets; false: it gets none.
func (g *getting) installs(words []string) bool {
	for _, begin := range [][]string{{"pip", "install"}, {"pip3", "install"}, {"python", "-m", "pip", "install"},
		{"python3", "-m", "pip", "install"}, {"uv", "pip", "install"}, {"uv", "add"}} {
		if len(words) > len(begin) && slices.Equal(words[:len(begin)], begin) {
			return g.modules(words[len(begin):])
		}
	}
	if len(words) > 1 && words[0] == "uv" && (words[1] == "venv" || words[1] == "init") {
		g.venv = true
		return true
	}
	return false
}

// modules asks for packages of Python, as pip names them.
func (g *getting) modules(words []string) bool {
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case slices.Contains([]string{"-r", "--requirement"}, word) && i+1 < len(words):
			i++
			at := path.Clean(words[i])
			if !path.IsAbs(at) {
				at = path.Join(g.here, at)
			}
			text, ok := g.copies[at]
			if !ok || !g.requirements(text) {
				g.refuse("it installs what %.100q says, which is no file that was copied before, or says more than names",
					words[i])
			}
		case slices.Contains([]string{"-i", "--index-url", "--extra-index-url", "--trusted-host", "-p", "--python",
			"--timeout", "--retries"}, word):
			i++
		case strings.HasPrefix(word, "-") && !slices.Contains([]string{"-e", "--editable", "-c", "--constraint",
			"-t", "--target", "--prefix"}, word):
		default:
			g.module(word)
		}
	}
	return true
}

// requirements asks for what a file of them names; false: it says more.
func (g *getting) requirements(text string) bool {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		line, _, _ = strings.Cut(line, ";")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if strings.HasPrefix(line, "-") {
			return false
		}
		g.module(strings.ReplaceAll(line, " ", ""))
	}
	return true
}

// module asks for one package of Python, as NAME[EXTRA]==VERSION.
func (g *getting) module(word string) {
	end := strings.IndexFunc(word, func(c rune) bool { return strings.ContainsRune("[=<>!~@ ", c) })
	name, rest := word, ""
	if end >= 0 {
		name, rest = word[:end], word[end:]
	}
	_, wants, _ := strings.Cut(rest, "==")
	switch version, ok := g.out.machine.Python(name); {
	case slices.Contains([]string{"pip", "uv", "wheel", "setuptools"}, name):
	case name == "pytest-json-ctrf" && !ok: // a report that decides nothing
	case name == "" || name[0] == '-' || strings.ContainsAny(name, "/\\$:") || name[0] == '.':
		g.refuse("it installs %.100q, which is no name of a package", word)
	case !ok && g.out.prepared(name, wants):
		g.note("%s, by pip out of PIP_FIND_LINKS", name)
	case !ok:
		g.refuse("this machine's python3 has no package %s, and no directory that PIP_FIND_LINKS names has it", name)
	case wants != "" && wants != version:
		g.noted[name+" "+version] = true
		g.note("%s %s (%s is asked for)", name, version, wants)
	default:
		g.note("%s %s", name, version)
	}
}

// runs gives the program that uvx or uv run starts, and where its arguments begin; "": none
// that this machine has by that name.
func (g *getting) runs(words []string) (int, string) {
	at := 1
	if words[0] == "uv" {
		if at = 2; words[1] == "tool" && len(words) > 2 && words[2] == "run" {
			at = 3
		} else if words[1] != "run" {
			return 0, ""
		}
	}
	for ; at < len(words) && strings.HasPrefix(words[at], "-"); at++ {
		option, value, joined := strings.Cut(words[at], "=")
		switch option {
		case "-p", "--python", "-w", "--with", "--from":
			if !joined {
				if at++; at == len(words) {
					return 0, ""
				}
				value = words[at]
			}
			if option == "-p" || option == "--python" {
				continue
			}
			for one := range strings.SplitSeq(value, ",") {
				g.module(one)
			}
		case "-q", "--quiet", "-v", "--no-project", "--isolated", "--no-cache", "-n", "--system":
		default:
			return 0, ""
		}
	}
	if at == len(words) {
		return 0, ""
	}
	name, _, _ := strings.Cut(words[at], "@")
	switch name {
	case "pytest":
		g.module("pytest")
		name = g.out.pytest(name)
	case "python", "python3":
		name = "python3"
	default:
		return 0, ""
	}
	return at + 1, name
}
