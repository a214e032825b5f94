package lint

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/recipe"
	"cookoff/shell"
)

// lintExistence warns of a task all of whose checks ask whether files are there, and nothing else.
func lintExistence(fs *Findings, t recipe.Task) {
	if len(t.Verify) > 0 {
		return
	}
	file := ""
	for _, c := range t.After {
		name, only := existing(c.Script)
		if !only {
			return
		}
		if file == "" {
			file = name
		}
	}
	if file != "" {
		fs.rule("existence", "after[0]", "run what was made, or look at what is in it",
			"the only proof is that %s is there: an empty file of that name passes", file)
	}
}

// existing gives the first file that a script asks for; only: it asks nothing else than whether
// files are there or not.
func existing(src string) (file string, only bool) {
	f := shell.Parsed(src)
	if f == nil {
		return "", false
	}
	only = true
	found := func(name string, is, not bool) {
		only = only && is
		if is && !not && file == "" {
			file = name
		}
	}
	negated := map[*syntax.Stmt]bool{}
	var stmt *syntax.Stmt
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			stmt, negated[n] = n, n.Negated
		case *syntax.TestClause:
			name, is, not := unary(n.X)
			found(name, is, not != negated[stmt])
			return false
		case *syntax.CallExpr:
			if name, is, not := existenceCall(n); name != "" || !is {
				found(name, is, not != negated[stmt])
			}
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl:
			only = false
		}
		return only
	})
	return file, only
}

// existence are the questions of test whether something is there.
var existence = []string{"-e", "-f", "-d", "-L", "-h", "-x", "-s", "-r", "-w"}

// existenceCall gives the file that a command asks for; is: it asks nothing else; "" and true: it
// asks nothing.
func existenceCall(c *syntax.CallExpr) (file string, is, not bool) {
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		words[i] = patternText(w)
	}
	if len(words) == 0 {
		return "", true, false // an assignment
	}
	switch words[0] {
	case "cd", "set", ":", "true", "exit":
		return "", true, false
	case "ls", "stat":
		if len(words) == 2 {
			return words[1], true, false
		}
	case "test", "[":
		asked := words[1:]
		if words[0] == "[" && len(asked) > 0 {
			asked = asked[:len(asked)-1]
		}
		if len(asked) == 3 && asked[0] == "!" {
			not, asked = true, asked[1:]
		}
		if len(asked) == 2 && slices.Contains(existence, asked[0]) {
			return shown(c.Args, asked[1]), true, not
		}
	}
	return "", false, false
}

// shown is a word, or what stands for one that is known only when it runs.
func shown(args []*syntax.Word, word string) string {
	if word == "" && len(args) > 0 {
		return "a file"
	}
	return word
}

// unary reads what [[ ]] asks.
func unary(x syntax.TestExpr) (file string, is, not bool) {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return unary(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			file, is, not = unary(x.X)
			return file, is, !not
		}
		if w, ok := x.X.(*syntax.Word); ok && slices.Contains(existence, x.Op.String()) {
			return shown([]*syntax.Word{w}, patternText(w)), true, false
		}
	case *syntax.BinaryTest:
		if a, isA, notA := unary(x.X); isA && (x.Op == syntax.AndTest || x.Op == syntax.OrTest) {
			if b, isB, notB := unary(x.Y); isB {
				if notA {
					return b, true, notB
				}
				return a, true, false
			}
		}
	}
	return "", false, false
}
