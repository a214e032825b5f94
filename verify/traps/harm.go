package traps

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// harm is a command that takes something away, or sends something elsewhere.
type harm struct{ program, words string }

var (
	// removing are programs that take away, overwrite or open what they name.
	removing = strings.Fields("rm rmdir unlink shred truncate dd mkfs wipefs chattr srm")
	// behind are the first words by which a program does so.
	behind = map[string][]string{
		"git": strings.Fields(`rm push reset checkout clean restore stash commit filter-branch filter-repo rebase revert update-ref
			gc reflog replace merge am apply`),
		"docker": {"rm", "rmi", "system", "volume", "prune"}, "kubectl": {"delete", "drain"},
		"terraform": {"destroy", "apply"}, "npm": {"publish", "unpublish", "deprecate"}, "yarn": {"publish"}, "pnpm": {"publish"},
		"cargo": {"publish", "yank"}, "twine": {"upload"}, "gem": {"push", "yank"}, "crontab": {"-", "-r"},
		"redis-cli": {"flushall", "flushdb", "del"}, "dropdb": nil, "at": nil, "batch": nil, "systemd-run": nil,
	}
	// disposable are places that hold nothing but what is made again.
	disposable = pattern.New(`^(\./)?["']?(/tmp|/var/tmp|/var/lib/apt|/var/cache|/root/\.cache|~/\.cache|\$HOME/\.cache|dist|build|` +
		`out|target|node_modules|coverage|htmlcov|\.[a-z_]*cache|__pycache__|tmp|\$\w+|\$\{\w+\})(["'/]|$)|` +
		`\.(log|tmp|pid|lock|tar|tgz|gz|zip|deb|o|pyc)["']?$`)
	// meddles is code of another language that does so.
	meddles = pattern.New(`(?i)rmtree|unlink|remove|rmdir|rmSync|rm\(|truncate|system|exec|spawn|subprocess|popen|open\([^)]*["'][wa+]|` +
		`writeFile|write_text|write_bytes|rename|\bdrop\s+(table|database|schema|index)|\bdelete\s+from|\btruncate\s+table`)
	interpreters = pattern.New(`^(python[\d.]*|node|perl|ruby|php|deno|bun|lua|psql|mysql|mariadb|sqlite3|mongosh?|awk)$`)
	duration     = pattern.New(`^[\d.]+[smhd]?$`)
	shellNames   = pattern.New(`^(ba|da|z|k|a)?sh$`)
)

// takesAway are the commands of a script that take something away, overwrite it or send it elsewhere, by what they
// call. A text that is no script calls what its first word says.
func takesAway(script string) (list []harm) {
	f, err := shell.Parse(script)
	if err != nil {
		for line := range strings.Lines(script) {
			list = append(list, harmOf(strings.Fields(line))...)
		}
		return list
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			list = append(list, harmOf(written(n))...)
		case *syntax.Stmt:
			list = append(list, emptied(n)...)
		}
		return true
	})
	return list
}

// written are the words of a call as they stand in a script, without quotes.
func written(c *syntax.CallExpr) (words []string) {
	for _, w := range shell.CommandWords(c) {
		words = append(words, strings.Trim(printed(w), `"'`))
	}
	return words
}

// printed is a part of a script in one line.
func printed(n syntax.Node) string {
	var b strings.Builder
	if n == nil || syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n) != nil {
		return ""
	}
	return b.String()
}

// emptied are files that a statement writes nothing into.
func emptied(s *syntax.Stmt) (list []harm) {
	c, call := s.Cmd.(*syntax.CallExpr)
	if s.Cmd != nil && !(call && (len(c.Args) == 0 || slices.Contains([]string{":", "true"}, shell.Text(c.Args[0])))) {
		return nil
	}
	for _, r := range s.Redirs {
		if to := shell.Text(r.Word); r.Op == syntax.RdrOut && !strings.HasPrefix(to, "/dev/") && !disposable.MatchString(to) {
			list = append(list, harm{">", "> " + to})
		}
	}
	return list
}

// prefixes are programs that start another, which their words name.
var prefixes = strings.Fields("sudo doas env nohup setsid nice ionice time timeout stdbuf exec command xargs busybox")

func harmOf(words []string) []harm {
	for len(words) > 1 && (slices.Contains(prefixes, path.Base(words[0])) || strings.Contains(words[0], "=") ||
		strings.HasPrefix(words[0], "-") || duration.MatchString(words[0])) {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	name, args := path.Base(strings.Trim(words[0], `"'`)), words[1:]
	if script, is := given(args); is {
		switch {
		case shellNames.MatchString(name):
			return takesAway(script)
		case interpreters.MatchString(name) && meddles.MatchString(script):
			return []harm{{name, strings.Join(words, " ")}}
		}
	}
	first := func(a string) bool { return !strings.HasPrefix(a, "-") || a == "-" || a == "-r" }
	at := slices.IndexFunc(args, first)
	says, known := behind[name]
	switch {
	case name == "eval" || slices.Contains(removing, name) && slices.ContainsFunc(args, func(a string) bool {
		return !strings.HasPrefix(a, "-") && !disposable.MatchString(a)
	}):
	case known && (says == nil || at >= 0 && slices.Contains(says, strings.ToLower(strings.Trim(args[at], `"'`)))):
		if says != nil {
			name += " " + strings.Trim(args[at], `"'`)
		}
	case name == "find" && slices.ContainsFunc(args, func(a string) bool { return a == "-delete" || strings.HasPrefix(a, "-exec") }):
	case slices.Contains([]string{"sed", "perl"}, name) && slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-i") || a == "--in-place" || a == "-pi"
	}):
	default:
		return nil
	}
	return []harm{{name, strings.Join(words, " ")}}
}

// given is the code that words give to an interpreter.
func given(args []string) (script string, is bool) {
	for i, a := range args[:max(0, len(args)-1)] {
		if a == "-c" || a == "-e" || a == "--eval" || a == "-lc" || a == "-ec" || a == "-r" {
			return strings.Trim(strings.Join(args[i+1:], " "), `"'`), true
		}
	}
	if len(args) > 0 {
		return strings.Join(args, " "), strings.Contains(args[len(args)-1], " ")
	}
	return "", false
}
