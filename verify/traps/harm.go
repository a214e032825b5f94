package traps

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// harm is a command that takes something away, overwrites it or sends it elsewhere.
type harm struct {
	program string // what it calls, with the argument that makes it one: git push
	words   string // the whole command
}

var (
	// removing are programs that remove, overwrite or open to others what they name.
	removing = strings.Fields("rm rmdir unlink shred truncate dd mkfs wipefs chattr srm")
	// firstWords are, by program, the first arguments with which it removes something or sends it elsewhere; a program
	// with none does so with whatever arguments.
	firstWords = map[string][]string{
		"git": strings.Fields("rm push reset checkout clean restore stash commit filter-branch filter-repo rebase " +
			"revert update-ref gc reflog replace merge am apply"),
		"docker": {"rm", "rmi", "system", "volume", "prune"}, "kubectl": {"delete", "drain"},
		"terraform": {"destroy", "apply"},
		"npm":       {"publish", "unpublish", "deprecate"}, "yarn": {"publish"}, "pnpm": {"publish"},
		"cargo": {"publish", "yank"}, "twine": {"upload"}, "gem": {"push", "yank"}, "crontab": {"-", "-r"},
		"redis-cli": {"flushall", "flushdb", "del"}, "dropdb": nil, "at": nil, "batch": nil, "systemd-run": nil,
	}
	// disposable are places that hold nothing but what can be made again.
	disposable = pattern.New(`^(\./)?["']?(/tmp|/var/tmp|/var/lib/apt|/var/cache|` +
		`/root/\.cache|~/\.cache|\$HOME/\.cache|dist|build|` +
		`out|target|node_modules|coverage|htmlcov|\.[a-z_]*cache|__pycache__|tmp)(["'/]|$)|` +
		`^["']?\$\{?(?i:\w*(te?mp|cache|build|dist|out|output|target|coverage|logs?|github_\w+|scratch)\w*)\}?(["'/]|$)|` +
		`\.(log|tmp|pid|lock|tar|tgz|gz|zip|deb|o|pyc)["']?$`)
	// meddles is code in the language of an interpreter that removes or overwrites something, or starts a program.
	meddles = pattern.New(`(?i)rmtree|unlink|remove|rmdir|rmSync|rm\(|truncate|system|exec|spawn|subprocess|popen|` +
		`open\([^)]*["'][wa+]|writeFile|write_text|write_bytes|rename|` +
		`\bdrop\s+(table|database|schema|index)|\bdelete\s+from|\btruncate\s+table`)
	interpreters = pattern.New(`^(python[\d.]*|node|perl|ruby|php|deno|bun|lua|psql|mysql|mariadb|sqlite3|mongosh?|awk)$`)
	duration     = pattern.New(`^[\d.]+[smhd]?$`)
	shellNames   = pattern.New(`^(ba|da|z|k|a)?sh$`)
)

// takesAway are the commands of a script that take something away, overwrite it or send it elsewhere. Each line of a
// text that is no script is read as one command.
func takesAway(script string) (list []harm) {
	f, err := shell.Parse(script)
	if err != nil {
		for line := range strings.Lines(script) {
			list = append(list, harmOf(strings.Fields(line))...)
		}
		return list
	}
	set, functions := scopeOf(f), map[string]syntax.Node{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if n, is := n.(*syntax.FuncDecl); is && n.Body != nil {
			functions[n.Name.Value] = n.Body
		}
		return true
	})
	list = set.given(nil).takenBy(f)
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		called := callsOf(f, name)
		for _, args := range called {
			list = append(list, set.given(set.in(args)).takenBy(functions[name])...)
		}
		if called == nil {
			list = append(list, set.takenBy(functions[name])...)
		}
	}
	return list
}

// callsOf are the arguments of each call of a function.
func callsOf(f *syntax.File, name string) (list [][]string) {
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, is := n.(*syntax.CallExpr); is {
			if words := written(c); len(words) > 0 && words[0] == name {
				list = append(list, words[1:])
			}
		}
		return true
	})
	return list
}

// takenBy are the harms of a part of a script, those of functions in it left out.
func (v scope) takenBy(part syntax.Node) (list []harm) {
	syntax.Walk(part, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			return false
		case *syntax.CallExpr:
			list = append(list, harmOf(v.in(written(n)))...)
		case *syntax.Stmt:
			list = append(list, emptied(n)...)
		}
		return true
	})
	return list
}

// given is a scope in which a script, or a function, is given arguments; those that it is not given name nothing.
func (v scope) given(args []string) scope {
	out := maps.Clone(v)
	if out[allArguments] = "/tmp"; len(args) > 0 {
		out[allArguments] = strings.Join(args, " ")
	}
	for i := range 9 {
		name := strconv.Itoa(i + 1)
		if out[name] = "/tmp"; i < len(args) {
			out[name] = args[i]
		}
	}
	return out
}

// scope is what a script sets each of its variables to, last.
type scope map[string]string

// scopeOf reads what a script sets. What "mktemp" makes is temporary.
func scopeOf(f *syntax.File) scope {
	set := scope{}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Value != nil {
				set[n.Name.Value] = unquoted(printed(n.Value))
			}
		case *syntax.WordIter:
			if len(n.Items) == 1 {
				set[n.Name.Value] = unquoted(printed(n.Items[0]))
			}
		}
		return true
	})
	for name, value := range set {
		switch {
		case strings.Contains(value, "mktemp"):
			set[name] = "/tmp"
		case ownPlace.MatchString(value):
			set[name] = "."
		}
	}
	return set
}

// ownPlace is how a script finds the directory that it lies in, or the top of the project.
var ownPlace = pattern.New(`^\$\(.*(\$\{?0\b|BASH_SOURCE|--show-toplevel).*\)$|^\$\{(0|BASH_SOURCE(\[0\])?)%/\*\}$`)

// leading is a variable with which a word begins.
var leading = pattern.New(`^\$\{?(\w+)\}?`)

// allArguments are "$@" and "$*" of a script or function in its scope.
const allArguments = "@"

// wholeList is a word that stands for all arguments.
var wholeList = pattern.New(`^\$\{?[@*]\}?$`)

// in are words with what variables at their beginnings are set to. One that is set to a variable of which nothing is
// known stays as it is.
func (v scope) in(words []string) []string {
	var out []string
	for _, w := range words {
		word := w
		for range deepest {
			m := leading.FindStringSubmatch(w)
			if m == nil || v[m[1]] == "" {
				break
			}
			w = v[m[1]] + strings.TrimPrefix(w, m[0])
		}
		switch all := v[allArguments]; {
		case wholeList.MatchString(w) && all != "":
			out = append(out, strings.Fields(all)...)
		case strings.HasPrefix(w, "$"):
			out = append(out, word)
		default:
			out = append(out, w)
		}
	}
	return out
}

// deepest bounds the variables that are set to one another.
const deepest = 4

// written are the words of a call as they stand in a script, without quotes.
func written(c *syntax.CallExpr) (words []string) {
	for _, w := range shell.CommandWords(c) {
		words = append(words, unquoted(printed(w)))
	}
	return words
}

// printed is a part of a script, written in one line.
func printed(n syntax.Node) string {
	var b strings.Builder
	if n == nil || syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n) != nil {
		return ""
	}
	return b.String()
}

// emptied are the files that a statement empties: it writes into them and calls nothing that has output.
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

// prefixes are programs that start another one, which their arguments name.
var prefixes = strings.Fields("sudo doas env nohup setsid nice ionice time timeout stdbuf exec command xargs busybox")

// unprefixed are the words of a command from the program on that does the work: variables, programs that start
// another one and their options are left out.
func unprefixed(words []string) []string {
	for len(words) > 1 && (slices.Contains(prefixes, path.Base(words[0])) || strings.Contains(words[0], "=") ||
		strings.HasPrefix(words[0], "-") || duration.MatchString(words[0])) {
		words = words[1:]
	}
	return words
}

// harmOf says what a command, given by its words, takes away. A shell does what the script says that it is given.
func harmOf(words []string) []harm {
	words = unprefixed(words)
	if len(words) == 0 {
		return nil
	}
	name, args := path.Base(unquoted(words[0])), words[1:]
	if script, is := given(args); is && shellNames.MatchString(name) {
		return takesAway(script)
	}
	for _, rule := range rules {
		if program := rule(name, args); program != "" {
			return []harm{{program, strings.Join(words, " ")}}
		}
	}
	return nil
}

func unquoted(word string) string { return strings.Trim(word, `"'`) }

// rules say under which name a command counts as one that takes something away; "": by this rule, it is none.
var rules = []func(name string, args []string) string{byCode, byName, byFirstWord, bySearch, byEditing, bySending}

// byCode is the rule of interpreters that are given code which meddles.
func byCode(name string, args []string) string {
	if code, is := given(args); is && interpreters.MatchString(name) && meddles.MatchString(code) {
		return name
	}
	return ""
}

// byName is the rule of programs that remove whatever they name, and of eval, whose words nobody knows.
func byName(name string, args []string) string {
	lasting := func(a string) bool { return !strings.HasPrefix(a, "-") && !disposable.MatchString(a) }
	if name == "eval" || slices.Contains(removing, name) && slices.ContainsFunc(args, lasting) {
		return name
	}
	return ""
}

// byFirstWord is the rule of programs that do many things, of which the first argument says one.
func byFirstWord(name string, args []string) string {
	listed, known := firstWords[name]
	if known && listed == nil {
		return name
	}
	isFirst := func(a string) bool { return !strings.HasPrefix(a, "-") || a == "-" || a == "-r" }
	at := slices.IndexFunc(args, isFirst)
	if at < 0 || !slices.Contains(listed, strings.ToLower(unquoted(args[at]))) {
		return ""
	}
	return name + " " + unquoted(args[at])
}

// bySearch is the rule of find, which removes what it finds or has a program do so.
func bySearch(name string, args []string) string {
	acts := func(a string) bool { return a == "-delete" || strings.HasPrefix(a, "-exec") }
	if name == "find" && slices.ContainsFunc(args, acts) {
		return name
	}
	return ""
}

// byEditing is the rule of programs that edit files in place.
func byEditing(name string, args []string) string {
	inPlace := func(a string) bool { return strings.HasPrefix(a, "-i") || a == "--in-place" || a == "-pi" }
	if (name == "sed" || name == "perl") && slices.ContainsFunc(args, inPlace) {
		return name
	}
	return ""
}

var (
	// sendsFile and sendsData are options by which curl or wget send a file.
	sendsFile = pattern.New(`^(-T|--upload-file|--(post|body)-file(=.*)?)$`)
	sendsData = pattern.New(`^(-d|-F|--data(-\w+)*|--form|--json)$`)
)

// bySending is the rule of programs that send a file to another machine.
func bySending(name string, args []string) string {
	if name != "curl" && name != "wget" {
		return ""
	}
	for i, a := range args {
		next := ""
		if i+1 < len(args) {
			next = unquoted(args[i+1])
		}
		if sendsFile.MatchString(a) || sendsData.MatchString(a) && strings.Contains(next, "@") {
			return name
		}
	}
	return ""
}

// codeOptions are options after which an interpreter is given its code.
var codeOptions = []string{"-c", "-e", "--eval", "-lc", "-ec", "-r"}

// given is the code that arguments give to an interpreter: what follows such an option, or a last argument of several
// words.
func given(args []string) (script string, is bool) {
	for i, a := range args[:max(0, len(args)-1)] {
		if slices.Contains(codeOptions, a) {
			return unquoted(strings.Join(args[i+1:], " ")), true
		}
	}
	if len(args) > 0 {
		return strings.Join(args, " "), strings.Contains(args[len(args)-1], " ")
	}
	return "", false
}
