package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/recipe"
	"cookoff/shell"
	"cookoff/verify/versions"
)

// textTools look at files and at what was printed; they run nothing that a
// repair could have mended.
var textTools = []string{
	"grep", "egrep", "fgrep", "rg", "cat", "head", "tail", "sed", "awk", "cut", "tr", "sort", "uniq", "wc", "diff",
	"cmp", "test", "[", "[[", "cd", "set", "echo", "printf", "true", "false", ":", "exit", "return", "ls", "stat",
	"readlink", "basename", "dirname", "find", "xargs",
}

var greps = []string{"grep", "egrep", "fgrep", "rg"}

// lintDecisions warns of checks of a task that known cheats pass: text that is
// looked for instead of what works, patterns that more than the right answer
// matches, processes that are known by their command line alone.
func lintDecisions(fs *Findings, t recipe.Task, others []string) {
	runs := slices.ContainsFunc(others, runsMore)
	for _, b := range t.Verify {
		runs = runs || runsMore(b.Command)
	}
	for _, c := range t.After {
		runs = runs || runsMore(c.Script)
	}
	lintExistence(fs, t)
	for i, c := range t.After {
		key := fmt.Sprintf("after[%d]", i)
		if literal := literalGrep(c.Script); literal != "" && !runs {
			fs.rule("literal-grep", key,
				"run what was mended, and look at what it does or prints; a toml verify block does so",
				"the only proof is that a file says %q: the same text in a comment passes", literal)
		}
		lintMatches(fs, key, c.Script)
		lintOpposites(fs, key, c.Script)
		lintProcesses(fs, key, c.Script)
	}
	for i, c := range t.Guard {
		key := fmt.Sprintf("guard[%d]", i)
		lintMatches(fs, key, c.Script)
		lintOpposites(fs, key, c.Script)
		lintProcesses(fs, key, c.Script)
	}
}

// runsMore reports whether a script runs something else than tools that look at
// text.
func runsMore(src string) bool {
	other := func(name string) bool { return !slices.Contains(textTools, name) }
	return slices.ContainsFunc(shell.Programs(src), other) || runsPath(src)
}

// runsPath reports whether a script runs a program by its path, or one that is
// known only when it runs.
func runsPath(src string) bool {
	return slices.ContainsFunc(shell.Calls(src), func(c shell.Call) bool {
		if len(c.Words) == 0 {
			return false
		}
		name := c.Words[0]
		return name == "" || strings.Contains(name, "/") && !slices.Contains(textTools, path.Base(name))
	})
}

// search is what a grep looks for, and how.
type search struct {
	text  string
	whole bool // only in whole lines or words
	line  bool // only in whole lines, or at their beginning
	not   bool // -v: what does not match
	files int  // in which it looks; 0: in what another program printed
}

// searchOf reads a grep's words; "": what it looks for is known only when it runs.
func searchOf(c shell.Call) (s search, is bool) {
	if len(c.Words) == 0 || !slices.Contains(greps, path.Base(c.Words[0])) {
		return s, false
	}
	given := false
	for i := 1; i < len(c.Words); i++ {
		w := c.Words[i]
		switch {
		case w == "--":
		case w == "-e" && i+1 < len(c.Words):
			i++
			s.text, given = c.Words[i], true
		case strings.HasPrefix(w, "--"):
			s.whole = s.whole || w == "--line-regexp" || w == "--word-regexp"
			s.line = s.line || w == "--line-regexp"
			s.not = s.not || w == "--invert-match"
		case strings.HasPrefix(w, "-"):
			s.whole = s.whole || strings.ContainsAny(w, "xw")
			s.line = s.line || strings.Contains(w, "x")
			s.not = s.not || strings.Contains(w, "v")
		case !given:
			s.text, given = w, true
		default:
			s.files++
		}
	}
	s.line = s.line || strings.HasPrefix(s.text, "^")
	return s, true
}

// literalGrep gives the text that a script looks for anywhere in a line of a file;
// "": it does not.
func literalGrep(src string) string {
	for _, c := range shell.Calls(src) {
		if s, is := searchOf(c); is && s.text != "" && !s.line && !s.not && !c.Negated {
			return s.text
		}
	}
	return ""
}

// goesOn is a text that is likely to be the beginning of another: it ends in a
// version, in a path, or in a name with dots.
var goesOn = pattern.New(`(\d\\?\.\d+|[\w.]/[\w.-]*\w|[\w-]+\\?\.[a-z][a-z0-9-]+)$`)

// opposites are what programs answer where all is well, and an answer with that in it where nothing is.
var opposites = map[string]string{
	"ok": "not ok", "up": "not up", "yes": "yes, it failed", "success": "unsuccessful", "successful": "unsuccessful",
	"valid": "invalid", "healthy": "unhealthy", "active": "inactive", "available": "unavailable", "complete": "incomplete",
	"connected": "disconnected", "running": "not running", "ready": "not ready", "found": "not found",
	"alive":     "not alive",
	"installed": "not installed", "enabled": "not enabled", "reachable": "unreachable", "known": "unknown",
	"open":   "not open",
	"passed": "0 passed", "done": "not done", "correct": "incorrect", "stable": "unstable", "safe": "unsafe",
	"clean": "unclean",
}

// lintOpposites warns where what a program answers passes though it says the opposite.
func lintOpposites(fs *Findings, key, src string) {
	for _, c := range shell.Calls(src) {
		s, is := searchOf(c)
		opposite := opposites[strings.ToLower(strings.Trim(s.text, "$"))]
		if is && opposite != "" && s.files == 0 && !s.line && !s.not && !c.Negated &&
			!(s.whole && !strings.Contains(opposite, " ")) {
			fs.rule("opposite-match", key, "compare the whole: grep -x, a pattern that begins with ^, or [ \"$(…)\" = … ]",
				"%q also matches %q: an answer that says the opposite passes", s.text, opposite)
			return
		}
	}
}

// lintMatches warns of patterns that a longer text than the right one matches.
func lintMatches(fs *Findings, key, src string) {
	const hint = "compare the whole: grep -x, a pattern that ends in $, or [ \"$(…)\" = … ]"
	say := func(text, longer string) {
		fs.rule("prefix-match", key, hint,
			"%q also matches %q: a wrong repair that begins like the right one passes", text, longer)
	}
	for _, c := range shell.Calls(src) {
		if s, is := searchOf(c); is && !s.whole && !s.not && !c.Negated && goesOn.MatchString(s.text) {
			say(s.text, longer(s.text))
			return
		}
	}
	f := shell.Parsed(src)
	if f == nil {
		return
	}
	said := false
	starts := func(w *syntax.Word) {
		if text, rest, open := strings.Cut(patternText(w), "*"); !said && open && rest == "" &&
			goesOn.MatchString(text) {
			said = true
			say(text+"*", longer(text))
		}
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CaseItem:
			for _, w := range n.Patterns {
				starts(w)
			}
		case *syntax.BinaryTest:
			if w, is := n.Y.(*syntax.Word); is && (n.Op == syntax.TsMatch || n.Op == syntax.TsMatchShort) {
				starts(w)
			}
		}
		return true
	})
}

// longer gives a wrong text that begins like the right one.
func longer(text string) string {
	text = strings.ReplaceAll(text, `\`, "")
	if last := text[len(text)-1]; versions.IsDigit(last) {
		return text + "0"
	}
	return text + "-fake"
}

// patternText is the text of a pattern as it is written, quotes removed.
func patternText(w *syntax.Word) string {
	text := ""
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text += p.Value
		case *syntax.SglQuoted:
			text += p.Value
		case *syntax.DblQuoted:
			text += patternText(&syntax.Word{Parts: p.Parts})
		default:
			return ""
		}
	}
	return text
}

var (
	byCommandLine = pattern.New(`\b(pgrep|pidof)\b|\bps\b[^|;\n]*\|[^;\n]*grep|/cmdline\b`)
	byState       = pattern.New(
		`/(stat|status|exe|wchan)\b|\b(stat|state|s)=|-o\s*(stat|state|s)\b|\b(curl|wget|nc|socat|ss)\b|/dev/tcp/`)
)

// lintProcesses warns where a process is known by its command line alone.
func lintProcesses(fs *Findings, key, src string) {
	if byCommandLine.MatchString(src) && !byState.MatchString(src) {
		fs.rule("command-line", key,
			"look at the state too: the third field of /proc/PID/stat is not T, /proc/PID/exe is the program, "+
				"or ask it something",
			"a process is known by its command line alone: one that was stopped with kill -STOP passes, "+
				"and an impostor of that name")
	}
}
