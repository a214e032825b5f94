package propose

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// Fault is a small change of one line that may make tests fail.
type Fault struct {
	File    string // slash path, relative to the project
	Line    int    // from 1
	Old     string
	New     string
	comment string // what starts a comment in its language
}

// Setup is the shell command that plants the fault; it changes nothing where
// the line is not as it was.
func (f Fault) Setup() string { return f.sed(f.Old, f.New) }

// Solution is the shell command that takes the fault out again.
func (f Fault) Solution() string { return f.sed(f.New, f.Old) }

var (
	special     = pattern.New(`[\\.*\[\]^$]`)
	replacement = pattern.New(`[\\&]`)
)

// sed replaces one line by another; "" where that can't be written.
func (f Fault) sed(from, to string) string {
	at := strings.IndexFunc("|#~,@%", func(r rune) bool { return !strings.ContainsRune(from+to, r) })
	if at < 0 {
		return ""
	}
	sep := "|#~,@%"[at : at+1]
	script := fmt.Sprintf("%ds%s^%s$%s%s%s", f.Line, sep, special.ReplaceAllString(from, `\$0`), sep,
		replacement.ReplaceAllString(to, `\$0`), sep)
	return "sed -i " + quote(script) + " " + quote(f.File)
}

var plain = pattern.New(`^[\w./+-]+$`)

// quote makes one word of the shell's.
func quote(s string) string {
	if plain.MatchString(s) && !strings.HasPrefix(s, "-") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Bounds of what is looked at for faults.
const (
	mostSources = 200
	mostOfFile  = 6 // faults
)

// twist makes one line wrong in a small way.
type twist struct {
	from *pattern.Pattern
	to   string
}

// operand is a number, a name or a plain string.
const operand = `-?[\w.]+|'[^'\\]*'|"[^"\\]*"`

var twists = []twist{
	{pattern.New(` == `), " != "}, {pattern.New(` === `), " !== "}, {pattern.New(` != `), " == "},
	{pattern.New(` !== `), " === "}, {pattern.New(` <= `), " < "}, {pattern.New(` >= `), " > "},
	{pattern.New(` \? (` + operand + `) : (` + operand + `)`), " ? $2 : $1"}, {pattern.New(` < `), " <= "}, {pattern.New(` > `), " >= "},
	{pattern.New(`([\d)\]]|\w) \+ ([\w(])`), "$1 - $2"}, {pattern.New(`([\w)\]]) - ([\w(])`), "$1 + $2"},
	{pattern.New(` \* `), " + "}, {pattern.New(` && `), " || "}, {pattern.New(` and `), " or "},
	{pattern.New(`\breturn true\b`), "return false"}, {pattern.New(`\breturn True\b`), "return False"},
	{pattern.New(`\b0\b`), "10"}, {pattern.New(`\b([1-9]\d*)\b`), "${1}1"},
}

// lastTwists are tried where a line gives no more than one other, by the ending of a source file.
var lastTwists = map[string][]twist{
	".js": javascript, ".mjs": javascript, ".cjs": javascript, ".jsx": javascript,
	".ts": javascript, ".mts": javascript, ".cts": javascript, ".tsx": javascript,
	".c": {negated, unless}, ".cc": {negated, unless}, ".cpp": {negated, unless}, ".php": {negated, unless},
	".java": {unless}, ".kt": {unless}, ".cs": {unless}, ".scala": {unless}, ".dart": {unless},
	".go": {{pattern.New(`^(\s*(?:\} else )?if )([^;{]+) \{$`), "${1}!($2) {"}},
	".rs": {{pattern.New(`^(\s*(?:\} else )?if )([^;{=]+) \{$`), "${1}!($2) {"}}, // no "if let x = y"
	".py": {{pattern.New(`^(\s*return )([^#(\[{]+|.*[)\]}])$`), "${1}not ($2)"}},
	".rb": {{pattern.New(`^(\s*)if (.+)$`), "${1}unless $2"}, {pattern.New(`^(\s*)unless (.+)$`), "${1}if $2"}},
}

var (
	javascript = []twist{negated, unless}
	negated    = twist{pattern.New(`\breturn ([^;]+);$`), "return !($1);"} // the contrary of what a line returns
	unless     = twist{pattern.New(`^(\s*(?:\} else )?if )\((.+)\) \{$`), "${1}(!($2)) {"}
)

// comments are what starts a comment, by the ending of a source file.
var comments = map[string]string{
	".go": "//", ".rs": "//", ".java": "//", ".kt": "//", ".js": "//", ".mjs": "//", ".cjs": "//", ".jsx": "//",
	".ts": "//", ".mts": "//", ".cts": "//", ".tsx": "//", ".c": "//",
	".cc": "//", ".cpp": "//",
	".cs": "//", ".swift": "//", ".scala": "//", ".dart": "//", ".php": "//",
	".py": "#", ".rb": "#", ".pl": "#", ".ex": "#", ".lua": "--",
	".sh": "#", ".bash": "#", ".zsh": "#", ".ksh": "#",
}

// script is the ending by which a program of the shell is known that has none.
const script = ".sh"

// ending is that of a source file, as its name or its first line says; "": it is none.
func (p project) ending(file string) string {
	switch e := path.Ext(file); {
	case comments[e] != "":
		return e
	case e == "" && shellBang.MatchString(p.text(file)):
		return script
	}
	return ""
}

// shellTwists are tried first in what the shell runs.
var shellTwists = []twist{
	{pattern.New(` -eq `), " -ne "}, {pattern.New(` -ne `), " -eq "}, {pattern.New(` -lt `), " -ge "},
	{pattern.New(` -gt `), " -le "}, {pattern.New(` -le `), " -gt "}, {pattern.New(` -ge `), " -lt "},
	{pattern.New(`(\[ .*) == `), "$1 != "}, {pattern.New(`(\[ .*) = `), "$1 != "}, {pattern.New(` -z `), " -n "},
	{pattern.New(` -n `), " -z "}, {pattern.New(`\bhead `), "tail "}, {pattern.New(`\btail `), "head "},
	{pattern.New(` \|\| `), " && "}, {pattern.New(`^(\s*while )`), "${1}! "},
}

// shellSettings are lines of the shell that set up and decide nothing.
var shellSettings = pattern.New(`^\s*(set|shopt|trap|source|\.|local -r|readonly)\s`)

var (
	testFile = pattern.New(
		`(^|/)(tests?|__tests__|testdata|spec|docs|examples?|scripts)/|(^|/)(test_|conftest)[^/]*$|` +
			`[._-](test|spec)\.[^/]*$|(^|/)Test[A-Z][^/]*\.(java|kt|cs|swift)$|[a-z0-9](Tests?|TestCase|Spec)\.(java|kt|cs|swift)$|` +
			`_pb2?\.|\.pb\.|setup\.py$|\.config\.[cm]?[jt]s$|\.d\.ts$`)
	noFault   = pattern.New(`^\s*(import|from|package|use|#include|assert|@)\b|__version__|__name__|version`)
	generated = pattern.New(`(?mi)^.{0,4}(code generated .* do not edit|@generated)`)
)

// Faults proposes faults for the sources in dir: those of files that the most
// tests are named after come first, and each file's in turn. No file is changed.
func Faults(dir string) []Fault {
	p := project{dir}
	var files []string
	tests := map[string]bool{}
	p.walk(func(rel string) bool {
		switch {
		case testFile.MatchString(rel):
			tests[stem(rel)] = true
		case p.ending(rel) != "":
			files = append(files, rel)
		}
		return true
	})
	slices.SortStableFunc(files, func(a, b string) int {
		return cmp.Or(-less(tests[stem(a)], tests[stem(b)]), strings.Count(a, "/")-strings.Count(b, "/"))
	})
	var byFile [][]Fault
	for _, f := range files[:min(len(files), mostSources)] {
		if list := faultsIn(f, p.ending(f), p.text(f)); len(list) > 0 {
			byFile = append(byFile, list)
		}
	}
	var out []Fault
	for i := range mostOfFile {
		for _, list := range byFile {
			if i < len(list) {
				out = append(out, list[i])
			}
		}
	}
	return out
}

func less(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// stem is a file's name without what marks it as a test, and its ending.
func stem(rel string) string {
	s, _, _ := strings.Cut(path.Base(rel), ".")
	for _, before := range []string{"test_", "Test"} {
		s = strings.TrimPrefix(s, before)
	}
	for _, after := range []string{"_test", "Test", "Tests", "TestCase", "Spec"} {
		s = strings.TrimSuffix(s, after)
	}
	return s
}

// faultsIn gives the faults of one file, those of its middle first: what is at
// its top declares, and what is at its end starts.
func faultsIn(file, ending, text string) []Fault {
	if generated.MatchString(text) || strings.Contains(text, "\r\n") {
		return nil
	}
	var list, more []Fault // more: further ones of the same lines
	for i, line := range strings.Split(text, "\n") {
		f := Fault{File: file, Line: i + 1, Old: line, comment: comments[ending]}
		for n, twist := range twisted(line, f.comment, ending) {
			f.New = twist
			switch {
			case f.Setup() == "" || f.Solution() == "":
			case n == 0:
				list = append(list, f)
			default:
				more = append(more, f)
			}
		}
	}
	mid := len(list) / 2
	out := slices.Concat(list[mid:], list[:mid], more)
	return out[:min(len(out), mostOfFile)]
}

// mostOfLine bounds the ways in which one line is made wrong.
const mostOfLine = 2

// twisted gives a line made wrong, in the ways that are tried.
func twisted(line, comment, ending string) (list []string) {
	if len(line) > 200 || noFault.MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), comment) ||
		strings.HasPrefix(strings.TrimSpace(line), "*") {
		return nil
	}
	code, tail := line, ""
	isShell := comment == "#" && strings.HasSuffix(ending, "sh")
	if isShell {
		comment = " #" // $# is a number
	}
	if at := strings.Index(line, comment); at >= 0 {
		code, tail = line[:at], line[at:]
	}
	if strings.Contains(code, `"""`) || strings.Contains(code, "'''") {
		return nil
	}
	ways := twists
	if isShell {
		if shellSettings.MatchString(line) {
			return nil
		}
		ways = slices.Concat(shellTwists, twists)
	}
	ways = slices.Concat(ways, lastTwists[ending])
	for _, t := range ways {
		loc := t.from.FindStringIndex(code)
		if loc == nil || quoted(code[:loc[0]]) || len(list) == mostOfLine {
			continue
		}
		list = append(list, code[:loc[0]]+t.from.ReplaceAllString(code[loc[0]:loc[1]], t.to)+code[loc[1]:]+tail)
	}
	return list
}

// quoted reports whether a string has begun and not ended.
func quoted(s string) bool {
	return strings.Count(s, `"`)%2 == 1 || strings.Count(s, `'`)%2 == 1 || strings.Count(s, "`")%2 == 1
}
