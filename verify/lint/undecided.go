package lint

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/shell"
)

// lintUndecided warns of a command of a check that is there to decide and does not: a script ends as its last command
// does, unless it says set -e, which what is negated does not obey.
func lintUndecided(fs *Findings, key, src string, f *syntax.File) {
	if len(f.Stmts) < 2 || strings.Contains(src, "$?") || strings.Contains(src, "trap ") {
		return
	}
	ends := slices.ContainsFunc(f.Stmts, endsAtFailure)
	for _, s := range f.Stmts[:len(f.Stmts)-1] {
		if s.Background || !s.Negated && (ends || !isTest(s)) {
			continue
		}
		text := src[s.Pos().Offset():s.End().Offset()]
		if line, _, more := strings.Cut(text, "\n"); more {
			text = line + " …"
		}
		hint := "join what must all hold with &&, or begin with set -e"
		if s.Negated {
			hint = "join what must all hold with && (set -e does not end at what is negated)"
		}
		fs.rule("undecided", key, hint, "%q decides nothing: the check goes on behind it, and ends as its last command does",
			strings.TrimRight(text, "; "))
		return
	}
}

// isTest reports whether a command only says yes or no.
func isTest(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.TestClause:
		return true
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe && isTest(c.Y)
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
