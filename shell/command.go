package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Prefixes run the command that follows their own options.
var Prefixes = []string{"command", "builtin", "env", "sudo", "doas", "nohup", "nice", "time", "timeout", "stdbuf",
	"xargs", "setsid"}

// Text is the text of a word that holds no expansion, quotes removed, else "".
func Text(w *syntax.Word) string {
	s, _ := Literal(w, "")
	return s
}

// valued are options of prefixes whose value is the word behind them.
var valued = map[string][]string{
	"env": {"-C", "--chdir", "-u", "--unset"},
	"sudo": {"-u", "--user", "-g", "--group", "-C", "-D", "--chdir", "-h", "--host", "-p", "--prompt",
		"-r", "-t", "-T", "-U"},
	"doas":    {"-u", "-C"},
	"nice":    {"-n", "--adjustment"},
	"timeout": {"-s", "--signal", "-k", "--kill-after"},
	"stdbuf":  {"-i", "--input", "-o", "--output", "-e", "--error"},
	"time":    {"-f", "--format", "-o", "--output"},
	"xargs":   {"-I", "-n", "-P", "-L", "-s", "-d", "-a", "-E"},
}

// Prefixed is how many words of a command stand before the program that is really run: env A=b, timeout -s KILL 60.
// A prefix that runs nothing is that program.
func Prefixed(words []string) int {
	n := 0
	for n < len(words) && slices.Contains(Prefixes, path.Base(words[n])) {
		takes := valued[path.Base(words[n])]
		at := n + 1
		for ; at < len(words) && (strings.HasPrefix(words[at], "-") || strings.Contains(words[at], "=") ||
			IsNumber(words[at])); at++ {
			if slices.Contains(takes, words[at]) {
				at++
			}
		}
		if at >= len(words) {
			break
		}
		n = at
	}
	return n
}

// CommandWords gives the words of a call from the command on that is really
// run: behind assignments, command, env, sudo, timeout and the like.
func CommandWords(c *syntax.CallExpr) []*syntax.Word {
	texts := make([]string, len(c.Args))
	for i, w := range c.Args {
		texts[i] = Text(w)
	}
	return c.Args[Prefixed(texts):]
}

// IsNumber knows the bare arguments of timeout and nice: 5, 0.5, 10s.
func IsNumber(s string) bool {
	return s != "" && s[0] >= '0' && s[0] <= '9' && strings.Trim(s, "0123456789.smhd") == ""
}

// CommandName is the base name of the program that a call runs, behind what only starts it;
// "": it is not literal, or there is none.
func CommandName(c *syntax.CallExpr) string {
	words := CommandWords(c)
	if len(words) == 0 {
		return ""
	}
	return path.Base(Text(words[0]))
}

// CannotFail names the command when a statement always exits 0, else "".
func CannotFail(s *syntax.Stmt) string {
	if s.Negated || s.Background {
		return ""
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		name := CommandName(c)
		switch name {
		case "true", ":", "echo", "printf":
			return name
		case "exit":
			if words := CommandWords(c); len(words) == 2 && Text(words[1]) == "0" {
				return "exit 0"
			}
		}
	case *syntax.BinaryCmd:
		if name := CannotFail(c.Y); name != "" && c.Op == syntax.OrStmt {
			return "|| " + name
		}
	}
	return ""
}

// Programs are the bare names at command position in a script, its own
// functions aside.
func Programs(src string) []string {
	f, err := Parse(src)
	if err != nil {
		return nil
	}
	var names, own []string
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			if n.Name != nil { // the parser takes " ()x" for one without
				own = append(own, n.Name.Value)
			}
		case *syntax.CallExpr:
			if words := CommandWords(n); len(words) > 0 {
				if name := Text(words[0]); name != "" && !strings.ContainsAny(name, "/\n\x00") {
					names = append(names, name)
				}
			}
		}
		return true
	})
	return slices.DeleteFunc(names, func(n string) bool { return slices.Contains(own, n) })
}

// Parsed is a script; nil: it is none.
func Parsed(src string) *syntax.File {
	f, err := Parse(src)
	if err != nil {
		return nil
	}
	return f
}

// Quote joins words so that a shell reads them as they are.
func Quote(words []string) (string, error) {
	var out []string
	for _, w := range words {
		q, err := syntax.Quote(w, syntax.LangBash)
		if err != nil {
			return "", fmt.Errorf("quoting %q: %w", w, err)
		}
		out = append(out, q)
	}
	return strings.Join(out, " "), nil
}
