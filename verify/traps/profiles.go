package traps

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// profiles are files of commands of a shell of the Bourne kind, which reads them by itself.
var profiles = []string{
	"~/.{bash,zsh,ksh,mksh,yash,dash,ash,sh}rc", "~/.{shrc,shinit,profile,zshenv,zprofile,zlogin,zlogout}",
	"~/.bash_{profile,login,logout,aliases,functions}", "~/.bashrc.d/**", "~/.profile.d/**",
}

// Profile reports whether a file is one of commands that such a shell reads by itself.
func Profile(p string) bool { return matches(profiles, p) }

// ofUsers are variables by which another program is run or loaded, and that people set for themselves in a
// profile.
var ofUsers = strings.Fields(`EDITOR VISUAL PAGER BROWSER LESSOPEN LESSCLOSE GOFLAGS GOWORK MAVEN_OPTS GRADLE_OPTS
	MAKEFLAGS RUSTFLAGS PYTHONPATH NODE_PATH LD_LIBRARY_PATH PERL5LIB RUBYLIB`)

// ofAll are directories in which anybody may put a program.
var ofAll = strings.Fields("/tmp /var/tmp /dev/shm")

// Settles are what a file of shell commands has come to do to each shell that reads it beyond what sets it up,
// sorted: commands that run at its end or each prompt, variables by which other programs run something, rights
// of others to all new files, and places on PATH in which anybody may put a program. Of a variable the name ends
// in "=".
func Settles(was, is string) []string { return more(counted(was, settled), counted(is, settled)) }

// Settled says what a shell does that reads a file that settles a thing.
func Settled(name string) string {
	switch variable, is := strings.CutSuffix(name, "="); {
	case variable == "PATH":
		return "each shell that reads it looks for programs where anybody may put one"
	case is:
		return "what each shell that reads it starts runs or loads what " + variable + " says"
	case name == "umask":
		return "what each shell that reads it makes is open to all to write"
	}
	return "each shell that reads it runs more when it ends or fails"
}

// Shadows are the functions and aliases that a file of shell commands has come to have, and that call no program
// of their own name, with "()" behind it, sorted.
func Shadows(was, is string) []string { return more(counted(was, standing), counted(is, standing)) }

// counted counts what each finds in the parts of a file of shell commands; one that can't be read has none.
func counted(text string, each func(part syntax.Node, out map[string]int)) map[string]int {
	out := map[string]int{}
	f, err := shell.Parse(text)
	if err != nil {
		return out
	}
	syntax.Walk(f, func(part syntax.Node) bool {
		each(part, out)
		return true
	})
	return out
}

func settled(part syntax.Node, out map[string]int) {
	switch n := part.(type) {
	case *syntax.CallExpr:
		if len(n.Args) > 1 && handles(n.Args) {
			out[shell.Text(n.Args[0])]++
		}
	case *syntax.Assign:
		if n.Name != nil && n.Value != nil && injects(n.Name.Value, n.Value) {
			out[n.Name.Value+"="]++
		}
	}
}

// handles reports whether a call is a trap that runs something, or an umask by which others may write.
func handles(words []*syntax.Word) bool {
	arg := shell.Text(words[1])
	switch shell.Text(words[0]) {
	case "trap":
		return len(words) > 2 && arg != "-" && !slices.Contains([]string{"-l", "-p"}, arg) && len(words[1].Parts) > 0 &&
			!isEmpty(words[1])
	case "umask":
		mask, err := strconv.ParseUint(arg, 8, 16)
		return err == nil && mask&0o002 == 0 || othersWrite.MatchString(arg)
	}
	return false
}

var othersWrite = pattern.New(`(^|,)[ug]*[oa][ugoa]*[=+][rx]*w`)

func isEmpty(w *syntax.Word) bool {
	text, literal := shell.Literal(w, "")
	return literal && text == ""
}

// injects reports whether a variable that is set so has programs run or load something.
func injects(name string, value *syntax.Word) bool {
	if name == "PATH" {
		return slices.ContainsFunc(strings.Split(outline(value.Parts), ":"), open)
	}
	return name == "PS0" || slices.Contains(injecting, name) && !slices.Contains(ofUsers, name)
}

// open reports whether a place on PATH is one that anybody may put a program into: that in which
// somebody happens to be, or one of temporary files.
func open(place string) bool {
	return place == "" || place[0] != '/' && place[0] != '~' && place[0] != expanded ||
		slices.ContainsFunc(ofAll, func(d string) bool { return place == d || strings.HasPrefix(place, d+"/") })
}

// expanded stands in the outline of a word for what is known only when it runs.
const expanded = '$'

func outline(parts []syntax.WordPart) string {
	var out strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			out.WriteString(p.Value)
		case *syntax.SglQuoted:
			out.WriteString(p.Value)
		case *syntax.DblQuoted:
			out.WriteString(outline(p.Parts))
		default:
			out.WriteByte(expanded)
		}
	}
	return out.String()
}

func standing(part syntax.Node, out map[string]int) {
	switch n := part.(type) {
	case *syntax.FuncDecl:
		if !callsItself(n.Name.Value, n.Body) {
			out[n.Name.Value+"()"]++
		}
	case *syntax.CallExpr:
		if len(n.Args) < 2 || shell.Text(n.Args[0]) != "alias" {
			return
		}
		for _, w := range n.Args[1:] {
			name, value, is := strings.Cut(outline(w.Parts), "=")
			if body, err := shell.Parse(value); is && err == nil && !callsItself(name, body) {
				out[name+"()"]++
			}
		}
	}
}

// callsItself reports whether commands call a program of a name, by whatever path.
func callsItself(name string, commands syntax.Node) (does bool) {
	syntax.Walk(commands, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			word := shell.CommandWords(c)[0]
			does = does || path.Base(outline(word.Parts)) == name
		}
		return true
	})
	return does
}

// more gives the names that are counted more often than they were, sorted.
func more(was, is map[string]int) (names []string) {
	for name, n := range is {
		if n > was[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
