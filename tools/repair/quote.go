package repair

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// A value is quoted for the place where it stands in a command, which is found
// by parsing the shell. Where no quoting would keep a value from becoming
// syntax, the template is refused.

type quoting int

const (
	unquoted quoting = iota // in a word: 'value'
	double                  // inside "…"
	single                  // inside '…'
)

// render fills values into a command. Every value is one word, or part of one.
func (t *text) render(values map[string]string) (string, error) {
	var printed []string
	shell, err := t.execute(values, func(s string) (string, error) {
		if strings.ContainsRune(s, 0) {
			return "", errors.New("a value contains a NUL character")
		}
		printed = append(printed, s)
		return slot(len(printed) - 1), nil
	})
	if err != nil {
		return "", err
	}
	file, err := parseShell(shell)
	if err != nil {
		return "", err
	}
	places, err := slots(file, len(printed))
	if err != nil {
		return "", err
	}
	for i, s := range printed {
		shell = strings.Replace(shell, slot(i), quoteFor(places[i], s), 1)
	}
	return shell, nil
}

func quoteFor(q quoting, s string) string {
	switch q {
	case double:
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s)
	case single:
		return strings.ReplaceAll(s, "'", `'\''`)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func parseShell(s string) (*syntax.File, error) {
	file, err := shell.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("parsing the command as shell: %w", err)
	}
	return file, nil
}

var slotName = pattern.New(slotMark + `(\d+)x`)

// slots says how each of n slots must be quoted, or why one can't be.
func slots(file *syntax.File, n int) ([]quoting, error) {
	w := slotWalk{places: make([]quoting, n), seen: make([]bool, n)}
	syntax.Walk(file, w.visit)
	for i, seen := range w.seen {
		if !seen && w.err == nil {
			w.err = fmt.Errorf("value %d stands where it can't be quoted, such as in a comment", i+1)
		}
	}
	return w.places, w.err
}

// slotError says why a value can't stand where it does, and how else the command can
// be written; hint may be "".
type slotError struct{ why, hint string }

func (e *slotError) Error() string {
	if e.hint == "" {
		return e.why
	}
	return e.why + "; hint: " + e.hint
}

type slotWalk struct {
	stack  []syntax.Node
	places []quoting
	seen   []bool
	err    error
}

// visit looks for slots, the places of values, in one node of a command; nil ends a node.
// Code that can hide where a value goes is an error.
func (w *slotWalk) visit(n syntax.Node) bool {
	if n == nil {
		w.stack = w.stack[:len(w.stack)-1]
		return true
	}
	if no := refuseCode(n); no != nil && w.err == nil {
		w.err = no
	}
	switch n := n.(type) {
	case *syntax.Lit:
		w.place(n.Value, w.around())
	case *syntax.SglQuoted:
		q := single
		if n.Dollar {
			q = -1
		}
		w.place(n.Value, q)
	}
	w.stack = append(w.stack, n)
	return true
}

// around is the quoting of a literal under the nodes of the stack; -1: none.
func (w *slotWalk) around() quoting {
	if len(w.stack) == 0 {
		return -1
	}
	q := quoting(-1)
	switch top := w.stack[len(w.stack)-1].(type) {
	case *syntax.Word:
		q = unquoted
	case *syntax.DblQuoted:
		if !top.Dollar {
			q = double
		}
	}
	return q
}

// place notes how each slot in a piece of text is quoted, or why no value may stand there.
func (w *slotWalk) place(s string, q quoting) {
	found := slotName.FindAllStringSubmatchIndex(s, -1)
	if len(found) == 0 {
		return
	}
	no := w.refuse()
	for _, m := range found {
		i, err := strconv.Atoi(s[m[2]:m[3]])
		before := strings.TrimRight(s[:m[0]], `\`)
		switch {
		case no != nil:
		case err != nil || i >= len(w.seen) || w.seen[i]:
			no = &slotError{why: "a value stands where it can't be found again"}
		case q < 0:
			no = &slotError{why: "a value stands where it can't be quoted"}
		case q != single && (m[0]-len(before))%2 == 1:
			no = &slotError{why: "a value stands behind a backslash"}
		default:
			w.places[i], w.seen[i] = q, true
		}
	}
	if no != nil && w.err == nil {
		w.err = no
	}
}

// refuse looks at what a slot stands in, from the outside to the nearest
// command: a new command is a new context, but backquotes are not.
func (w *slotWalk) refuse() *slotError {
	for i := len(w.stack) - 1; i >= 0; i-- {
		switch n := w.stack[i].(type) {
		case *syntax.ParamExp:
			return &slotError{why: "a value inside ${…} can't be quoted"}
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
			return &slotError{why: "a value in arithmetic would be evaluated"}
		case *syntax.ExtGlob:
			return &slotError{why: "a value inside a pattern can't be quoted"}
		case *syntax.Redirect:
			if n.Hdoc != nil && i+1 < len(w.stack) && w.stack[i+1] == syntax.Node(n.Hdoc) {
				return &slotError{"a value in a here-document can't be quoted", "use printf"}
			}
			if (n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc) && i+1 < len(w.stack) &&
				w.stack[i+1] == syntax.Node(n.Word) {
				return &slotError{why: "a value as the end of a here-document can't be quoted"}
			}
		case *syntax.CmdSubst:
			if n.Backquotes {
				return &slotError{"a value inside backquotes can't be quoted", "use $(…)"}
			}
		case *syntax.FuncDecl:
			if i+1 == len(w.stack) {
				return &slotError{why: "a value as the name of a function can't be quoted"}
			}
		}
	}
	return nil
}

// refuseCode refuses slots in what a program takes as code of its own, where
// the quoting of the shell around it is no help.
func refuseCode(n syntax.Node) *slotError {
	switch n := n.(type) {
	case *syntax.CallExpr:
		return refuseCall(n.Args)
	case *syntax.DeclClause:
		for _, a := range n.Args {
			if a.Naked && a.Value != nil && hasSlot(a.Value) || a.Name != nil && slotName.MatchString(a.Name.Value) {
				return &slotError{why: "a value as a variable's name would be evaluated"}
			}
			if n.Variant.Value != "export" && n.Variant.Value != "local" && n.Variant.Value != "readonly" &&
				a.Value != nil &&
				hasSlot(a.Value) {
				return &slotError{why: fmt.Sprintf("a value given to %s may be evaluated", n.Variant.Value)}
			}
		}
	case *syntax.Assign:
		if n.Index != nil && hasSlot(n) {
			return &slotError{why: "a value in an array's index would be evaluated"}
		}
	case *syntax.BinaryTest:
		if slices.Contains([]syntax.BinTestOperator{syntax.TsEql, syntax.TsNeq, syntax.TsLeq,
			syntax.TsGeq, syntax.TsLss, syntax.TsGtr}, n.Op) && hasSlot(n) {
			return &slotError{"a value compared as a number inside [[ ]] would be evaluated", "use [ ]"}
		}
	case *syntax.UnaryTest:
		if (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar || n.Op == syntax.TsOptSet) && hasSlot(n) {
			return &slotError{why: "a value as a variable's name would be evaluated"}
		}
	}
	return nil
}

func hasSlot(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			found = found || strings.Contains(n.Value, slotMark)
		case *syntax.SglQuoted:
			found = found || strings.Contains(n.Value, slotMark)
		}
		return !found
	})
	return found
}

var (
	evaluators = []string{"eval", "trap", "alias", "unset", "read", "let", "ssh", "watch", "su", "parallel", "mapfile",
		"readarray"}
	// takesCode are programs whose option (or, for "", first argument) is code.
	takesCode = map[string][]string{
		"sh": {"c"}, "bash": {"c"}, "dash": {"c"}, "zsh": {"c"}, "ksh": {"c"}, "ash": {"c"},
		"python": {"c"}, "python3": {"c"}, "perl": {"e", "E"}, "ruby": {"e"}, "node": {"e", "p"},
		"php": {"r"}, "lua": {"e"}, "awk": {""}, "gawk": {""}, "mawk": {""}, "sed": {"", "e"}, "jq": {""},
		"test": {"v"}, "[": {"v"}, "printf": {"v"}, "script": {"c"},
	}
)

func refuseCall(args []*syntax.Word) *slotError {
	for i, a := range args {
		word, ok := literalWord(a)
		if !ok {
			continue
		}
		name := path.Base(word)
		if slices.Contains(evaluators, name) && slices.ContainsFunc(args[i+1:],
			func(w *syntax.Word) bool { return hasSlot(w) }) && (i == 0 || isWrapper(args[0])) {
			return &slotError{why: fmt.Sprintf("a value given to %s would be evaluated", name)}
		}
		opts, ok := takesCode[name]
		if ok && (i == 0 || isWrapper(args[0])) && codeHasSlot(args[i+1:], opts) {
			return &slotError{fmt.Sprintf("a value inside code for %s would become syntax", name), "give it as an argument"}
		}
	}
	return nil
}

// codeHasSlot looks for a slot in the arguments that are code.
func codeHasSlot(args []*syntax.Word, opts []string) bool {
	first := slices.Contains(opts, "") // the first plain argument is code
	next := false
	for _, a := range args {
		word, ok := literalWord(a)
		isOpt := ok && strings.HasPrefix(word, "-") && word != "-"
		switch {
		case next:
			next = false
			if hasSlot(a) {
				return true
			}
		case isOpt && !strings.HasPrefix(word, "--"):
			last := word[len(word)-1:]
			if slices.Contains(opts, last) {
				next, first = true, false
			} else if last == "v" && first { // awk -v name=value is data
				if i := slices.Index(args, a); i+1 < len(args) {
					return codeHasSlot(args[i+2:], opts)
				}
			}
		case isOpt:
		case !ok && startsWithDash(a) && hasSlot(a):
			return true // -e'…', --expression=…
		case first:
			first = false
			if hasSlot(a) {
				return true
			}
		}
	}
	return false
}

func startsWithDash(w *syntax.Word) bool {
	lit, ok := w.Parts[0].(*syntax.Lit)
	return ok && strings.HasPrefix(lit.Value, "-")
}

// literalWord gives the value of a word without expansions or slots.
func literalWord(w *syntax.Word) (string, bool) {
	s, ok := shell.Literal(w, "")
	return s, ok && !strings.Contains(s, slotMark)
}
