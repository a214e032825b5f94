package alike

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// What follows asks of lines that were put into a text whether they are read as they stand:
// who puts a comment's or a text's beginning before a test and its end behind it has taken
// the test away, and so has who puts a condition before it.

var (
	// awaits is how a line ends that goes on in the next one.
	awaits = pattern.New(`(\\|\|\||&&|[-+*/%|&^=<>!.(\[{:?~]|\b(or|and|not|in|is|if|else|lambda|new|await|typeof))$`)
	// conditions are lines of which the next one is a part.
	conditions = pattern.New(`^\}?\s*(if|else|for|while|with|switch|do|try|catch|finally)\b[^{;]*$`)
	opener     = pattern.New(`^\s*(def|class|module|if|unless|while|until|case|begin|for)\b|\bdo(\s*\|[^|]*\|)?\s*$`)
	closer     = pattern.New(`^\s*end\b`)
	hidesRuby  = pattern.New(`^(=begin|=end|__END__)\b|<<[~-]?['"A-Z]`)
	ofSystem   = pattern.New(`^#include <[\w./+-]+>$`)
)

// lastLine is the last of some lines that says something, without comments.
func lastLine(list []string) string {
	for _, l := range slices.Backward(list) {
		if t := strings.TrimSpace(l); t != "" && !isRemark(t) {
			return t
		}
	}
	return ""
}

func overAny(line string) bool { return !strings.HasPrefix(line, "@") && !strings.HasSuffix(line, `\`) }

func overPython(line string) bool {
	return overAny(line) && !(awaits.MatchString(line) && !blockOrList(line))
}

// blockOrList reports whether a line begins what has lines of its own.
func blockOrList(line string) bool { return strings.ContainsAny(line[len(line)-1:], ":([{") }

func overBraced(line string) bool {
	return line == "" || isRemark(line) || strings.HasSuffix(line, "*/") ||
		strings.ContainsAny(line[len(line)-1:], ";{}([,:")
}

// goesOn ends a line of a shell that the next one belongs to.
var goesOn = pattern.New(`(\\|\||&&|\()$`)

func overShell(line string) bool {
	return !goesOn.MatchString(line)
}

func wholePython(list []string) bool {
	src := readPython(strings.Join(list, "\n") + "\n")
	last := lastLine(list)
	return src.whole && !awaits.MatchString(last) && !strings.HasPrefix(last, "@")
}

func wholeGo(list []string) bool {
	tokens, _, ok := goTokens([]byte(strings.Join(list, "\n") + "\n"))
	return ok && balanced(tokens) && !awaits.MatchString(lastLine(list))
}

func wholeJS(list []string) bool {
	text := strings.Join(list, "\n") + "\n"
	last := lastLine(list)
	tokens, ok := tsTokens([]byte(text))
	if !ok { // elements of JSX hold other texts
		tokens = strings.Split(text, "")
		ok = strings.Count(text, "/*") == strings.Count(text, "*/") && strings.Count(text, "`")%2 == 0
	}
	return ok && balanced(tokens) && !awaits.MatchString(last) && !conditions.MatchString(last)
}

// wholeRuby reports whether lines of Ruby stand for themselves: each block that is opened
// in them is closed in them, and none of them goes on below.
func wholeRuby(list []string) bool {
	depth := 0
	for _, l := range list {
		if hidesRuby.MatchString(l) {
			return false
		}
		if opener.MatchString(l) {
			depth++
		}
		if closer.MatchString(l) {
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0 && !awaits.MatchString(lastLine(list))
}

// wholeBraced: statements that are over, members of a list, or headers of the system's.
func wholeBraced(list []string) bool {
	w, ok := bracedWords(strings.Join(list, "\n") + "\n")
	if !ok || len(w.words) == 0 {
		return ok
	}
	first, last := w.words[0], w.words[len(w.words)-1]
	return first != "else" && first != "catch" &&
		(slices.Contains([]string{";", "}", ","}, last) || ofSystem.MatchString(last))
}

// balanced reports whether each bracket among tokens is closed by its like.
func balanced(tokens []string) bool {
	var open []string
	pairs := map[string]string{")": "(", "]": "[", "}": "{"}
	for _, t := range tokens {
		switch t {
		case "(", "[", "{", "${":
			open = append(open, t[len(t)-1:])
		case ")", "]", "}":
			if len(open) == 0 || open[len(open)-1] != pairs[t] {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

var shebang = pattern.New(`^#!.*\b(ba|da|k|z)?sh\b`)

// isShell reports whether a text is a script of a shell's, by its name or by its first line.
func isShell(name, text string) bool {
	switch path.Ext(name) {
	case ".sh", ".bash", ".bats":
		return true
	case "":
		line, _, _ := strings.Cut(text, "\n")
		return shebang.MatchString(line)
	}
	return false
}

// turns are commands with which a script ends, takes another course, or means something else by a
// word.
var turns = strings.Fields("exit exec return kill trap set shopt alias unalias unset source . eval builtin enable " +
	"hash break continue command ulimit logout suspend readonly declare typeset local skip load")

// A script is what lines of a shell's do at once: what functions, tests and shells of their
// own do is their own affair.
type script struct {
	read   bool     // they are commands that are read by themselves
	turns  bool     // the script ends with them, or goes on otherwise
	names  []string // variables that get a value, and functions
	called []string // variables whose values are called
}

func shellLines(list []string) (s script) {
	text := strings.Join(list, "\n") + "\n"
	lang := syntax.LangBash
	if slices.ContainsFunc(list, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "@test ") }) {
		lang = syntax.LangBats
	}
	f, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "")
	s.read = err == nil && !strings.HasSuffix(strings.TrimSpace(text), `\`)
	if s.read {
		syntax.Walk(f, s.node)
	}
	return s
}

// node notes which names a shell script sets and calls, and whether it turns (leaves, or
// changes how it goes on). What runs in a process of its own sets nothing here.
func (s *script) node(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		s.names = append(s.names, n.Name.Value)
		return false
	case *syntax.TestDecl, *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
		return false
	case *syntax.WordIter:
		s.names = append(s.names, n.Name.Value)
	case *syntax.CallExpr:
		s.call(n)
	case *syntax.DeclClause, *syntax.LetClause, *syntax.ArithmCmd:
		s.turns = true
	}
	return true
}

// call notes what one command of a shell script sets and which function it may call.
func (s *script) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			s.names = append(s.names, a.Name.Value)
		}
		return
	}
	name := shell.Text(c.Args[0])
	switch {
	case slices.Contains(turns, name):
		s.turns = true
	case name == "":
		syntax.Walk(c.Args[0], func(n syntax.Node) bool {
			if p, is := n.(*syntax.ParamExp); is && p.Param != nil {
				s.called = append(s.called, p.Param.Value)
			}
			return true
		})
		s.turns = s.turns || len(s.called) == 0
	case name == "printf" && (len(c.Args) < 2 || shell.Text(c.Args[1]) != "-v"):
	case slices.Contains([]string{"read", "printf", "mapfile", "readarray", "getopts", "export"}, name):
		for _, w := range c.Args[1:] {
			word, _, _ := strings.Cut(shell.Text(w), "=")
			s.names = append(s.names, word)
		}
	}
}

// ofShells are variables that say how a shell reads and finds what follows.
var ofShells = pattern.New(`^(PATH|IFS|ENV|SHELLOPTS|BASHOPTS|PS4|LD_\w+|BASH\w*|HOME|PWD|CDPATH|GLOBIGNORE)$`)

// drawn is a variable that a script gives what a command says, each time anew.
func drawn(text, name string) bool {
	return strings.Contains(text, name+"=$(") || strings.Contains(text, name+"=\"$(") || strings.Contains(text, name+"=`")
}

// wholeShell: commands that are read by themselves.
func wholeShell(list []string) bool { return shellLines(list).read }

// shellBe reports whether lines of a shell's neither end nor turn a script, nor give anew what it has.
func (g growth) shellBe(c chunk) bool {
	s := shellLines(c.lines)
	return !s.turns && !slices.ContainsFunc(s.names, func(name string) bool {
		return g.has(name) && !drawn(g.text, name) || slices.Contains(s.called, name) || ofShells.MatchString(name)
	})
}
