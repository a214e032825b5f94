package lint

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/shell"
)

// lintUndecided warns of a command of a check that is there to decide and does not: a script ends as its last command
// does, unless it says set -e, which what is negated does not obey, nor what stands before &&. Of a loop the last round
// is what it ends as.
func lintUndecided(fs *Findings, key, src string, f *syntax.File) {
	if strings.Contains(src, "$?") || strings.Contains(src, "trap ") {
		return
	}
	ends := slices.ContainsFunc(f.Stmts, endsAtFailure)
	for _, list := range sequences(f) {
		of, says, hint := undecidedIn(list, ends)
		if of == nil {
			continue
		}
		text := src[of.Pos().Offset():of.End().Offset()]
		if line, _, more := strings.Cut(text, "\n"); more {
			text = line + " …"
		}
		fs.rule("undecided", key, hint, "%q %s", strings.TrimRight(text, "; "), says)
		return
	}
}

// sequences gives the lists of commands that end as their last one does: the script's, and those of its groups,
// functions and branches.
func sequences(f *syntax.File) (lists [][]*syntax.Stmt) {
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.File:
			lists = append(lists, n.Stmts)
		case *syntax.Block:
			lists = append(lists, n.Stmts)
		case *syntax.Subshell:
			lists = append(lists, n.Stmts)
		case *syntax.IfClause:
			lists = append(lists, n.Then)
		}
		return true
	})
	return lists
}

// undecidedIn gives the first command of a list that does not decide, what is said of that, and what would; nil:
// there is none.
func undecidedIn(list []*syntax.Stmt, ends bool) (of *syntax.Stmt, says, hint string) {
	for i, s := range list {
		last := i == len(list)-1
		if !last {
			if says, hint = undecided(s, ends); says != "" {
				return s, says, hint
			}
		}
		if in := inRounds(s); in != nil && !ends {
			if says = onlyLast; last {
				says = "decides in the last round alone: the loop goes on behind it"
			}
			return in, says, "end the check where it fails (… || exit 1), or begin with set -e"
		}
	}
	return nil, "", ""
}

const onlyLast = "decides nothing: the check goes on behind it, and ends as its last command does"

// undecided says why a command behind which the check goes on does not decide, and what would; "": it does, or
// is not there to. ends: the check ends with the first command that fails.
func undecided(s *syntax.Stmt, ends bool) (says, hint string) {
	both, list := s.Cmd.(*syntax.BinaryCmd)
	switch {
	case s.Background:
		return "", ""
	case s.Negated:
		return onlyLast, "join what must all hold with && (set -e does not end at what is negated)"
	case !isTest(s):
		return "", ""
	case !ends:
		return onlyLast, "join what must all hold with &&, or begin with set -e"
	case list && both.Op == syntax.AndStmt:
		return "decides only by what stands last in it: set -e does not end at what fails before &&",
			"write a line for each thing that must hold"
	}
	return "", ""
}

// inRounds gives a command that only says yes or no in each round of a loop; nil: there is none.
func inRounds(s *syntax.Stmt) *syntax.Stmt {
	var body []*syntax.Stmt
	switch c := s.Cmd.(type) {
	case *syntax.ForClause:
		body = c.Do
	case *syntax.WhileClause:
		body = c.Do
	}
	for _, one := range body {
		if one.Negated || !one.Background && isTest(one) {
			return one
		}
	}
	return nil
}

// isTest reports whether a command only says yes or no.
func isTest(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.TestClause:
		return true
	case *syntax.BinaryCmd:
		return isTest(c.Y) && (c.Op == syntax.Pipe || isTest(c.X))
	case *syntax.CallExpr:
		words := shell.CommandWords(c)
		switch shell.CommandName(c) {
		case "test", "[", "cmp":
			return len(c.Args) > 0
		case "grep", "diff":
			return slices.ContainsFunc(words, func(w *syntax.Word) bool {
				text := shell.Text(w)
				return text == "--quiet" || strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") &&
					strings.Contains(text, "q")
			})
		}
	}
	return false
}

// endsAtFailure reports whether a command has its script end with the first that fails.
func endsAtFailure(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || shell.CommandName(c) != "set" {
		return false
	}
	return slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool {
		text := shell.Text(w)
		return text == "errexit" || strings.HasPrefix(text, "-") && strings.Contains(text, "e")
	})
}
