package traps

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// What a script for a shell is given, by those who call it, in files or as names of files, and runs as commands.

var (
	// ofShell are those that a text of a shell has, and indirect is a variable of which it only asks for the name.
	ofShell  = pattern.New(`\$\{?(\w+|[@*])`)
	indirect = pattern.New(`\\\$\{?\$\{?\w+\}?\}?`)
	// sets begins a text that only sets a variable, or the arguments, or opens or shuts a descriptor.
	sets = pattern.New(`^"?((export|local|declare|readonly|typeset)\s+)?(-\w+\s+)?([\w$]|\\"|\{|\})+\+?=|^"?set\s|` +
		`^"?exec\s+\$\{?\w+\}?[<>]`)
	// quoting is how a shell quotes what it has another one read, or leaves a variable to that one.
	quoting = pattern.New(`\\\$\{?\w+|\$\{\w+(\[[@*]\])?@Q\}|\$\(printf\s+(--\s+)?["']?%q[^()]*\)|\$\(\([^()]*\)\)|\$\{#\w+\}`)
	// readers are programs that print what lies in files, or what these are called.
	readers = pattern.New(`\$\(\s*(cat|ls|find|head|tail|sed|awk|cut|grep|jq|curl|wget)\s|\$\(<`)
	// argument is a variable of those that call a script.
	argument = pattern.New(`^([1-9]|[@*])$`)
)

// orders counts what a script has a shell run as a command of what it is given. A function that is given a whole
// command (run() { eval "$@"; }) runs what the script says.
func orders(f *syntax.File) map[string]int {
	out, known := map[string]int{}, received(f)
	inFunction := map[*syntax.CallExpr]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if d, is := n.(*syntax.FuncDecl); is && d.Body != nil {
			syntax.Walk(d.Body, func(n syntax.Node) bool {
				if c, is := n.(*syntax.CallExpr); is {
					inFunction[c] = true
				}
				return true
			})
		}
		return true
	})
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, is := n.(*syntax.CallExpr); is {
			text := ordered(c)
			whole := wholeList.MatchString(strings.Trim(text, `"`)) || strings.Trim(text, `"`) == "$1"
			if foreign(text, known) && !(whole && inFunction[c]) {
				out["runs as a command what it is given"]++
			}
		}
		return true
	})
	return out
}

// ordered is the text that a call has a shell read as commands, without what stands in single quotes; "": none.
func ordered(c *syntax.CallExpr) string {
	words := shell.CommandWords(c)
	if len(words) < 2 {
		return ""
	}
	switch name := path.Base(shell.Text(words[0])); {
	case name == "eval":
		var parts []string
		for _, w := range words[1:] {
			parts = append(parts, unquotedText(w))
		}
		text := indirect.ReplaceAllString(strings.Join(parts, " "), "")
		if sets.MatchString(text) || printedBy(words[1:]) {
			return ""
		}
		return text
	case shellNames.MatchString(name):
		at := slices.IndexFunc(words, func(w *syntax.Word) bool { return commandOption.MatchString(shell.Text(w)) })
		if at > 0 && at < len(words)-1 {
			return unquotedText(words[at+1])
		}
	}
	return ""
}

// commandOption is an option behind which a shell is given commands.
var commandOption = pattern.New(`^-[a-z]*c$`)

// printedBy reports whether words are nothing but what a program prints for a shell: eval "$(ssh-agent -s)".
func printedBy(words []*syntax.Word) bool { return len(words) == 1 && evaluates(words) }

// unquotedText is a word as it is written, without what stands in single quotes.
func unquotedText(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		if _, is := part.(*syntax.SglQuoted); !is {
			b.WriteString(printed(part))
		}
	}
	return b.String()
}

// foreign reports whether a text has a variable that holds what a script is given, or has what files say, and does not
// quote it.
func foreign(text string, known map[string]bool) bool {
	text = quoting.ReplaceAllString(text, "")
	return readers.MatchString(text) ||
		slices.ContainsFunc(ofShell.Regexp().FindAllStringSubmatch(text, -1), func(m []string) bool {
			return argument.MatchString(m[1]) || known[m[1]]
		})
}

// received are the names of ofShell that hold what a script is given: arguments, lines that it reads, names of files.
func received(f *syntax.File) map[string]bool {
	known := map[string]bool{}
	for range deepest {
		syntax.Walk(f, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				if n.Name != nil && n.Value != nil && foreign(printed(n.Value), known) {
					known[n.Name.Value] = true
				}
			case *syntax.WordIter:
				if foreign(itemsOf(n), known) || strings.ContainsAny(itemsOf(n), "*?") || len(n.Items) == 0 {
					known[n.Name.Value] = true
				}
			case *syntax.CallExpr:
				for i, w := range n.Args {
					if name := shell.Text(w); i > 0 && slices.Contains([]string{"read", "mapfile", "readarray"},
						shell.Text(n.Args[0])) && !strings.HasPrefix(name, "-") {
						known[name] = true
					}
				}
			}
			return true
		})
	}
	return known
}

// itemsOf are the words of a loop.
func itemsOf(n *syntax.WordIter) string {
	var parts []string
	for _, w := range n.Items {
		parts = append(parts, printed(w))
	}
	return strings.Join(parts, " ")
}

// Relents reports whether a script for a shell ended where one of its commands fails (set -e, #!/bin/sh -e), and no
// longer does. One of a single command needs nothing for that, nor does one that says what is done about failures, nor
// one that ended where nothing had failed.
func Relents(was, is string) bool {
	if !strict(was) || strict(is) || handled.MatchString(is) || stumbles(was) {
		return false
	}
	f, err := shell.Parse(is)
	if err != nil {
		return false
	}
	commands := 0
	for _, s := range f.Stmts {
		c, is := s.Cmd.(*syntax.CallExpr)
		if _, defines := s.Cmd.(*syntax.FuncDecl); !defines && (!is || len(c.Args) > 0) {
			commands++
		}
	}
	return commands > 1
}

// stumbles reports whether a script that ends where a command fails ends where nothing has failed, too: at a sum that
// becomes 0, at a variable that takes how often something was found. It is the rule that is the fault then, it may be.
func stumbles(script string) (found bool) {
	f, err := shell.Parse(script)
	if err != nil {
		return false
	}
	asked := map[*syntax.Stmt]bool{}
	note := func(list ...*syntax.Stmt) {
		for _, s := range list {
			asked[s] = true
		}
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IfClause:
			note(n.Cond...)
		case *syntax.WhileClause:
			note(n.Cond...)
		case *syntax.BinaryCmd:
			note(n.X)
			if n.Op == syntax.OrStmt {
				note(n.Y)
			}
		case *syntax.Stmt:
			if asked[n] || n.Negated {
				return false
			}
			found = found || counts(n.Cmd)
		}
		return !found
	})
	return found
}

// counts reports whether the status of a command says what a number has become, or whether what was looked for is
// there. A comparison, and "grep -q", are no such command: they are there for their status.
func counts(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.LetClause:
		return true
	case *syntax.ArithmCmd:
		return assigns.MatchString(printed(c))
	case *syntax.CallExpr:
		return len(c.Args) == 0 && slices.ContainsFunc(c.Assigns, func(a *syntax.Assign) bool {
			return a.Value != nil && sought.MatchString(printed(a.Value))
		})
	}
	return false
}

var (
	assigns = pattern.New(`\+\+|--|[^=!<>]=[^=]`)
	sought  = pattern.New(`^"?\$\((?:[^|]*[^|\s]\s*\|\s*)?(?:[efz]?grep|expr|pgrep)\s[^|;&]*\)"?$`)
)

// strict reports whether a script ends, at its top, where one of its commands fails.
func strict(script string) bool {
	line, _, _ := strings.Cut(script, "\n")
	if strictly.MatchString(line) {
		return true
	}
	f, err := shell.Parse(script)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(f.Stmts, func(s *syntax.Stmt) bool {
		c, is := s.Cmd.(*syntax.CallExpr)
		if !is {
			return false
		}
		words := written(c)
		return len(words) > 1 && words[0] == "set" && (slices.ContainsFunc(words[1:], errexit.MatchString) ||
			slices.Contains(words, "errexit") && words[1] != "+o")
	})
}

var (
	strictly = pattern.New(`^#!.*\s-[a-z]*e`)
	handled  = pattern.New(`\|\|\s*(?:(?:exit|return|die|fail|error|abort)\b|\{\s)`)
	errexit  = pattern.New(`^-[A-Za-z]*e`)
)
