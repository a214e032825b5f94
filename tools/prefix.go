package tools

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/shell"
)

// prefixRules hold each simple command of a script to patterns of words, one of
// which it must match: * is any one word, at the end any number of them. A
// pattern without * is what a command must start with. They say what a model is meant to use; what keeps
// it from harm is the sandbox. What can't be analysed is refused.
type prefixRules struct {
	any      bool
	prefixes [][]string
}

func newPrefixRules(prefixes []string) prefixRules {
	r := prefixRules{any: prefixes == nil}
	for _, p := range prefixes {
		if words := strings.Fields(p); len(words) > 0 {
			r.prefixes = append(r.prefixes, words)
		}
	}
	return r
}

// allow gives nil, or a *CallError that says which part is refused and why.
func (r prefixRules) allow(command string) error {
	if r.any {
		return nil
	}
	if why := r.refuse(command, syntax.LangBash, 0); why != "" {
		var list []string
		for _, p := range r.prefixes {
			list = append(list, strings.Join(p, " "))
		}
		return failed("bash: %s; allowed: %s", Clip(Clean([]byte(why)), 300), strings.Join(list, ", "))
	}
	return nil
}

// maxNested bounds sh -c in sh -c.
const maxNested = 4

// refuse gives why a script may not run, "" when it may.
func (r prefixRules) refuse(script string, lang syntax.LangVariant, depth int) string {
	if depth > maxNested {
		return "scripts within scripts are too deep to be analysed"
	}
	file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(script), "")
	if err != nil {
		return fmt.Sprintf("the command can't be parsed: %v", err)
	}
	why := ""
	syntax.Walk(file, func(n syntax.Node) bool {
		if why == "" && n != nil {
			why = r.refuseNode(n, depth)
		}
		return why == ""
	})
	return why
}

// refuseNode says why one node of a parsed command is not allowed; "": it is. depth counts
// the texts that were parsed within others, as with bash -c.
func (r prefixRules) refuseNode(n syntax.Node, depth int) string {
	switch n := n.(type) {
	case *syntax.Stmt:
		if n.Cmd == nil && len(n.Redirs) > 0 {
			return "a redirection without a command is not allowed"
		}
	case *syntax.CallExpr:
		return r.refuseCall(n, depth)
	case *syntax.FuncDecl:
		if n.Name == nil { // the parser takes " ()x" for one without
			return "a function without a name can't be analysed"
		}
		return fmt.Sprintf("a function (%s) can't be analysed", n.Name.Value)
	case *syntax.DeclClause:
		return r.refuseCommand([]string{n.Variant.Value}, n.Variant.Value, true)
	case *syntax.LetClause:
		return "arithmetic with let can't be analysed"
	case *syntax.TestClause:
		return "[[ ]] can't be analysed"
	case *syntax.ArithmExp, *syntax.ArithmCmd:
		// A variable in arithmetic is evaluated again, and may hold $(…).
		return refuseVariables(n)
	case *syntax.CStyleLoop:
		return refuseVariables(n)
	case *syntax.WordIter:
		return refuseName(n.Name.Value)
	case *syntax.CoprocClause:
		return "a coprocess can't be analysed"
	case *syntax.ParamExp:
		if n.Excl || n.Index != nil || n.Slice != nil || n.Exp != nil && n.Exp.Op == syntax.OtherParamOps {
			return "an indirect, indexed, sliced or transformed variable can't be analysed"
		}
		if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			return refuseName(n.Param.Value)
		}
	case *syntax.Assign:
		return refuseAssign(n)
	}
	return ""
}

func refuseVariables(n syntax.Node) string {
	why := ""
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			why = "arithmetic on variables can't be analysed"
		case *syntax.Lit:
			if strings.Trim(n.Value, "0123456789") != "" {
				why = "arithmetic on variables can't be analysed"
			}
		}
		return why == ""
	})
	return why
}

// refuseAssign refuses variables that change which program a word means.
func refuseAssign(a *syntax.Assign) string {
	if a.Name == nil {
		return ""
	}
	name := a.Name.Value
	if a.Index != nil {
		return fmt.Sprintf("an indexed assignment (%s) can't be analysed", name)
	}
	return refuseName(name)
}

// hijacks are the variables that make a shell, a loader, an interpreter or a
// build tool run something else; a star stands for any end of a name.
var hijacks = []string{
	"PATH", "ENV", "IFS", "SHELLOPTS", "PS4", "PROMPT_COMMAND", "CDPATH", "HOME", "SHELL", "BASH*", "LD_*", "DYLD_*",
	"GCONV_PATH", "LOCPATH",
	"GOFLAGS", "GOENV", "GOROOT", "GOTOOLDIR", "GOTOOLCHAIN", "CC", "CXX", "LD", "AR", "CGO_*",
	"MAKEFLAGS", "MAKEFILES", "CONFIG_SHELL",
	"GIT_*", "SSH_*", "PAGER", "EDITOR", "VISUAL", "BROWSER", "LESS*", "MANPAGER", "XDG_CONFIG_*",
	"NODE_*", "npm_*", "NPM_*", "PYTHON*", "PIP_*", "PERL*", "RUBY*", "GEM_*", "BUNDLE_*", "JAVA_TOOL_OPTIONS", "JDK_*",
	"_JAVA_OPTIONS", "MAVEN_OPTS", "GRADLE_OPTS", "RUSTC*", "CARGO_*", "RUSTFLAGS",
}

// harmlessNames are exceptions to hijacks.
var harmlessNames = []string{"CGO_ENABLED", "NODE_ENV"}

func refuseName(name string) string {
	if slices.Contains(harmlessNames, name) {
		return ""
	}
	for _, h := range hijacks {
		if start, any := strings.CutSuffix(h, "*"); name == h || any && strings.HasPrefix(name, start) {
			return fmt.Sprintf("setting %s would change what the command runs", name)
		}
	}
	return ""
}

// refuseCall says why a call of a program is not allowed, by its literal first words; "":
// it is. Programs that run others (eval, env, xargs) are looked through.
func (r prefixRules) refuseCall(c *syntax.CallExpr, depth int) string {
	if len(c.Args) == 0 {
		return "" // only assignments, looked at apart
	}
	words := literalWords(c.Args)
	if len(words) == 0 {
		return fmt.Sprintf("the command word %s is not literal and can't be analysed", show(c.Args[0]))
	}
	if words[0] == "eval" {
		if len(words) < len(c.Args) {
			return "eval of a text that is not literal can't be analysed"
		}
		return r.refuse(strings.Join(words[1:], " "), syntax.LangBash, depth+1)
	}
	if isShell(words[0]) {
		script, found, why := shellScript(words[1:], len(c.Args)-1)
		switch {
		case why != "":
			return why
		case found && path.Base(words[0]) == "bash":
			return r.refuse(script, syntax.LangBash, depth+1)
		case found: // sh is bash on one machine and a plainer shell on another
			if why := r.refuse(script, syntax.LangPOSIX, depth+1); why != "" {
				return why
			}
			return r.refuse(script, syntax.LangBash, depth+1)
		}
	}
	if why := r.refuseStarter(words, len(c.Args) > len(words)); why != "" {
		return why
	}
	if why := refuseNames(words, len(c.Args) > len(words)); why != "" {
		return why
	}
	return r.refuseCommand(words, show(c), len(c.Args) > len(words))
}

// refuseNames refuses builtins that take the name of a variable, when that
// name may hold an index: bash evaluates it, and what is in it.
func refuseNames(words []string, more bool) string {
	if !slices.Contains([]string{"test", "[", "printf", "read", "unset", "mapfile", "readarray", "getopts", "wait"},
		words[0]) {
		return ""
	}
	for i, w := range words[1:] {
		if why := refuseName(w); why != "" && (words[0] != "printf" || words[i] == "-v") && words[0] != "test" &&
			words[0] != "[" && words[0] != "wait" {
			return why
		}
		if strings.Contains(w, "[") && strings.ContainsAny(w, "$`") || more && (w == "-v" || words[0] == "read" ||
			words[0] == "unset") {
			return fmt.Sprintf("a variable name given to %s can't be analysed", words[0])
		}
	}
	return ""
}

// refuseCommand holds a command to the patterns. words are the literal ones that
// it starts with; more says that others follow.
func (r prefixRules) refuseCommand(words []string, shown string, more bool) string {
	for _, p := range r.prefixes {
		if matches(p, words, more) {
			return ""
		}
	}
	return fmt.Sprintf("%q does not start with allowed words", Clip(shown, 80))
}

const anyWord = "*"

// matches tells whether a pattern allows a command.
func matches(pattern, words []string, more bool) bool {
	open := !slices.Contains(pattern, anyWord)
	if pattern[len(pattern)-1] == anyWord {
		pattern, open = pattern[:len(pattern)-1], true
	}
	if len(words) < len(pattern) || !open && (more || len(words) > len(pattern)) {
		return false
	}
	for i, p := range pattern {
		if p != anyWord && p != words[i] {
			return false
		}
	}
	return true
}

func isShell(word string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "ash", "rbash"}, path.Base(word))
}

// shellScript finds the script in the arguments of a shell called with -c.
// args are the literal ones; total counts all.
func shellScript(args []string, total int) (script string, found bool, why string) {
	withC := false
	for i, a := range args {
		if a == "--noprofile" || a == "--norc" {
			continue
		}
		flags, isFlag := strings.CutPrefix(a, "-")
		if !isFlag || flags == "" {
			return a, withC, ""
		}
		if strings.Trim(flags, "ceuvx") != "" {
			return "", false, fmt.Sprintf("the option %s of a shell can't be analysed", a)
		}
		withC = withC || strings.Contains(flags, "c")
		if i == len(args)-1 && withC && total > len(args) {
			return "", false, "a script given to a shell that is not literal can't be analysed"
		}
	}
	if total > len(args) {
		return "", false, "arguments of a shell that are not literal can't be analysed"
	}
	return "", false, ""
}

// literalWords gives the values of the leading words that are literal.
func literalWords(args []*syntax.Word) []string {
	var words []string
	for _, w := range args {
		s, ok := literal(w)
		if !ok {
			break
		}
		words = append(words, s)
	}
	return words
}

// literal gives the value of a word that means the same whatever is around.
func literal(w *syntax.Word) (string, bool) {
	if w.Lit() == "{}" { // as find and xargs write it: nothing to expand
		return "{}", true
	}
	return shell.Literal(w, "*?[]{}~")
}

func show(n syntax.Node) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.Minify(true)).Print(&b, n); err != nil {
		return "?"
	}
	return b.String()
}
