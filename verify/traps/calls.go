package traps

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/shell"
)

// quiet are commands that change nothing but the shell that calls them, or only read.
var quiet = strings.Fields(
	`. : [ [[ alias bind break builtin case cd command complete compopt continue declare dirs echo
	enable exit export false getopts hash if jobs let local popd printf pushd pwd read readonly return set setopt shift
	shopt source test times trap true type typeset ulimit umask unalias unset unsetopt autoload compdef zstyle
	mise asdf nvm fnm volta pyenv rbenv nodenv goenv jenv brew direnv starship zoxide
	awk basename cat cut date dircolors dirname egrep expr fgrep grep head hostname id locale ls readlink realpath sed
	seq sort tail tput tr tty uname uniq wc which whoami mkdir mesg`)

// Calls are the programs that a file of shell commands has come to call, and that do more
// than read or set up a shell, sorted. A word that is known only later is one, as is eval of a
// text. What is no shell calls nothing that is known.
func Calls(was, is string) []string { return more(calls(was), calls(is)) }

// commands reports whether a line of a shell does more than set up the shell: it runs a program, or takes
// away what another line sets. What is no whole line does.
func commands(line string) bool {
	f, err := shell.Parse(line)
	if err != nil || len(calls(line)) > 0 {
		return true
	}
	unsets := false
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			unsets = unsets || shell.Text(c.Args[0]) == "unset"
		}
		return true
	})
	return unsets
}

// calls counts the calls of programs by name, those of functions of its own left out.
func calls(text string) map[string]int {
	out := map[string]int{}
	f, err := shell.Parse(text)
	if err != nil {
		return out
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		if !ok || len(c.Args) == 0 {
			return true
		}
		name := path.Base(shell.Text(c.Args[0]))
		if words := shell.CommandWords(c); len(words) > 0 {
			name = path.Base(shell.Text(words[0]))
		}
		if name == "." && shell.Text(c.Args[0]) == "" {
			name = "$"
		}
		if !slices.Contains(quiet, name) && !(name == "eval" && evaluates(c.Args[1:])) ||
			name == "sed" && slices.ContainsFunc(c.Args, inPlace) {
			out[name]++
		}
		return true
	})
	syntax.Walk(f, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.FuncDecl); ok {
			delete(out, d.Name.Value)
		}
		return true
	})
	return out
}

// evaluates reports whether all that an eval evaluates is what programs print, whose calls
// are looked at themselves: eval "$(mise activate bash)".
func evaluates(words []*syntax.Word) bool {
	return !slices.ContainsFunc(words, func(w *syntax.Word) bool {
		parts := w.Parts
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
		return slices.ContainsFunc(parts, func(p syntax.WordPart) bool { _, is := p.(*syntax.CmdSubst); return !is })
	})
}

func inPlace(w *syntax.Word) bool {
	return strings.HasPrefix(shell.Text(w), "-i") || strings.HasPrefix(shell.Text(w), "--in-place")
}

// Shell reports whether a tool reads commands of a shell.
func Shell(t Tool) bool {
	_, is := t.(shells)
	return is
}
