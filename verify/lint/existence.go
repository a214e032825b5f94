package lint

import (
	"cmp"
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
			"the only proof is that %s is there: whatever has that name passes", file)
	}
}

// existing gives the first file that a script asks for; only: it asks nothing else than whether
// files are there or not. A script that branches otherwise than by && and || may mean anything, and asks more.
func existing(src string) (file string, only bool) {
	f := shell.Parsed(src)
	if f == nil {
		return "", false
	}
	only = true
	var ask func(n syntax.Node, negated bool)
	each := func(list []*syntax.Stmt, negated bool) {
		for _, s := range list {
			ask(s, negated)
		}
	}
	ask = func(n syntax.Node, negated bool) {
		name, is, not := "", true, false
		switch n := n.(type) {
		case *syntax.Stmt:
			ask(n.Cmd, negated != n.Negated)
		case *syntax.BinaryCmd:
			only = only && (n.Op == syntax.OrStmt || n.Op == syntax.AndStmt && !fails(n.Y))
			ask(n.X, negated)
			ask(n.Y, negated)
		case *syntax.Subshell:
			each(n.Stmts, negated)
		case *syntax.Block:
			each(n.Stmts, negated)
		case *syntax.ForClause:
			each(n.Do, negated)
		case *syntax.TestClause:
			name, is, not = unary(n.X)
		case *syntax.CallExpr:
			name, is, not = existenceCall(n)
		default:
			is = false
		}
		only = only && is
		if name != "" && file == "" && not == negated {
			file = name
		}
	}
	each(f.Stmts, false)
	return file, only
}

// fails reports whether a command does nothing but end a script with a failure.
func fails(s *syntax.Stmt) bool {
	c, is := s.Cmd.(*syntax.CallExpr)
	return is && len(c.Args) > 0 && slices.Contains([]string{"exit", "return", "false"}, patternText(c.Args[0]))
}

// existence are the questions of test whether something is there.
var existence = []string{"-e", "-f", "-d", "-L", "-h", "-x", "-s", "-r", "-w"}

// existenceCall gives the file that a command asks for; is: it asks nothing else; "" and true: it
// asks nothing.
func existenceCall(c *syntax.CallExpr) (file string, is, not bool) {
	other := false // a word is what something prints
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			other = true
		}
		return !other
	})
	if other {
		return "", false, false
	}
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
			return cmp.Or(asked[1], unknownFile), true, not
		}
	}
	return "", false, false
}

// unknownFile stands for one whose name is known only when a script runs.
const unknownFile = "a file"

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
			return cmp.Or(patternText(w), unknownFile), true, false
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
