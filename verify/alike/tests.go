package alike

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// Files of tests, by their names and by where they lie. Where a language has no custom of
// naming them, they lie among tests.
var (
	testFile = pattern.New(
		`^(.*_test\.go|test_.*\.py|.*_test\.py|.*\.(test|spec)\.([cm]?[jt]sx?)|.*_(spec|test)\.rb)$`)
	amongTests = pattern.New(
		`(^|/)(tests?|specs?|__tests__)/(.*/)?([\w-]+\.(c|cc|cpp|cxx|java|cs|rs|sh|bash|[cm]?js)|[\w-]+)$|` +
			`(^|/)([^/]*\.bats|(test[_-][^/]*|[^/]*[_-]test|tests?)\.(c|cc|cpp|cxx|rs|sh|bash)|` +
			`([^/]*[a-z0-9]Tests?|Test[A-Z][^/]*)\.(java|cs))$`)
	// setUp are files among tests that say how all of them run.
	setUp = pattern.New(`(?i)(setup|helper|global|config|hook|support|fixture)`)
)

// IsTest reports whether a file is called as those are that hold tests.
func IsTest(p string) bool {
	if !strings.Contains(p, "est") && !strings.Contains(p, "spec") && !strings.HasSuffix(p, ".bats") {
		return false // most of a large project, without a pattern
	}
	name := path.Base(p)
	return testFile.MatchString(name) || amongTests.MatchString(p) && !setUp.MatchString(name) && !Foreign(p)
}

// A dialect is how tests of some languages come to be more.
type dialect struct {
	is     func(name, text string) bool
	whole  func(lines []string) bool // nothing that the lines open stays open behind them
	over   func(line string) bool    // something else may stand behind a line of before
	begins *pattern.Pattern          // lines with which a test or helper of its own begins
	leaves *pattern.Pattern          // words that keep a test from coming to its end, or stand in its place
	rules  *pattern.Pattern          // what says how other tests run, or what they ask with; nil: of a shell
}

const (
	// leave are such words in many languages.
	leave = `\b(return|skip|skipIf|Skip|SkipNow|Skipf|skipTest|exit|Exit|_exit|todo|only|xfail|` +
		`expectedFailure|raise|throw|panic|continue|break|goto|del|Goexit|abort|pending)\b`
	rule = `\b(TestMain|load_tests|setUpModule|autouse|monkeypatch|jest\.mock|vi\.mock|__eq__|sys\.modules|` +
		`os\.Exit|os\._exit|process\.(exit|on|reallyExit)|__test__|collect_ignore\w*|pytest_\w+|` +
		`(jest|vi)\.(setTimeout|setConfig)|at_exit|atexit|exit!)\b|` +
		`^//go:build|^// ?\+build|\b(beforeEach|beforeAll|before)\(|\.only\(|^func init\(`
)

var dialects = []dialect{
	{is: extension(".py"), whole: wholePython, over: overPython, leaves: pattern.New(leave), rules: pattern.New(rule),
		begins: pattern.New(`^\s*((async )?def \w|class \w|@|import \w|from \w)`)},
	{is: extension(".go"), whole: wholeGo, over: overAny, leaves: pattern.New(leave), rules: pattern.New(rule),
		begins: pattern.New(`^func \w|^(type|var|const|import) `)},
	{is: extension(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), whole: wholeJS, over: overAny,
		leaves: pattern.New(leave), rules: pattern.New(rule),
		begins: pattern.New(`^\s*((test|it|describe)\(|(const|let|var|function|async function|class|import) )`)},
	{is: extension(".rb"), whole: wholeRuby, over: overAny, leaves: pattern.New(leave), rules: pattern.New(rule),
		begins: pattern.New(`^\s*(def |class |(test|it|describe|context|specify)\b)`)},
	{is: func(name, _ string) bool { return isBraced(name) }, whole: wholeBraced, over: overBraced,
		leaves: pattern.New(`\b(return|skip\w*|Skip\w*|exit|_exit|_Exit|break|continue|goto|throw|panic|todo|` +
			`unimplemented|unreachable|abort|longjmp|raise|kill|assume\w*|Assume\w*|yield|ignore|Ignore|Disabled)\b`),
		rules: pattern.New(`^\s*#\s*(if|ifdef|ifndef|else|elif|endif|define|undef|pragma|line|error|include\s*")|` +
			`\b(atexit|on_exit|_exit|_Exit|quick_exit|exit|abort|signal|sigaction|alarm|asm|__asm__|halt|` +
			`macro_rules|forbid)\s*[(!]|` +
			`__attribute__|\[\[|#!\[|#\[\s*(ignore|cfg(?:\(test\))?[^\]]*\(|path|ctor|no_|global_|panic_)|` +
			`\bstatic\s*\{|\b(Runtime|SecurityManager|set_hook|catch_unwind|process::)|` +
			`@(Disabled|Ignore|Before|After|Rule|ClassRule|Extend|RunWith|TestInstance|Timeout|Order|Enabled)|` +
			`\[(OneTime|SetUp|TearDown|Ignore|Order)`),
		begins: pattern.New(`^\s*(static |public |private |protected |void |int |bool |char |double |long |fn |pub |async |` +
			`#\[|@\w|\[\w|mod |use |class |struct |impl |final |import |using |const |let )`)},
	{is: isShell, whole: wholeShell, over: overShell},
}

func extension(list ...string) func(name, text string) bool {
	return func(name, _ string) bool { return slices.Contains(list, path.Ext(name)) }
}

// grownTest reports whether a file of tests has all its lines, in their order, and others
// that keep none of the tests that were there from saying what it said, as far as that can
// be read.
func grownTest(p string, was, is []byte) bool {
	at := slices.IndexFunc(dialects, func(d dialect) bool { return d.is(path.Base(p), string(was)) })
	if at < 0 {
		return false
	}
	g := growth{dialects[at], lines(was), strings.Join(lines(was), "\n")}
	chunks, ok := insertions(g.old, withoutRounds(g.old, lines(is)))
	least := 0
	for _, c := range chunks {
		ok = ok && g.harmless(c, least)
		least = c.before
	}
	return ok
}

// growth is a text of tests that has come to have more lines.
type growth struct {
	dialect
	old  []string
	text string
}

// harmless reports whether a chunk takes nothing from the tests around it. A chunk that
// ends like what stands before it may as well be the one that begins there: @Test and
// its method stand before another @Test.
func (g growth) harmless(c chunk, least int) bool {
	for {
		if g.placed(c) {
			return true
		}
		last := len(c.lines) - 1
		if c.before <= least || strings.TrimRight(g.old[c.before-1], " \t") != strings.TrimRight(c.lines[last], " \t") {
			return false
		}
		c = chunk{c.before - 1, append([]string{g.old[c.before-1]}, c.lines[:last]...)}
	}
}

func (g growth) placed(c chunk) bool {
	before := ""
	for i := c.before - 1; i >= 0 && before == ""; i-- {
		before = strings.TrimSpace(g.old[i])
	}
	if !g.whole(c.lines) || !g.over(before) {
		return false
	}
	if g.rules == nil {
		return g.shellBe(c)
	}
	return !slices.ContainsFunc(c.lines, g.rules.MatchString) && g.leavesBe(c)
}

// leavesBe reports whether what stands in a chunk at the depth of the lines around it ends no
// test, gives no name anew that the text has, and, where more of a test follows, no
// value to what it speaks of.
func (g growth) leavesBe(c chunk) bool {
	depth, own := -1, false // of the last such line; it begins a test or helper of its own
	headed := false         // the {, in which it has its lines, may follow
	goesOn := g.goesOn(c)
	for _, line := range c.lines {
		t := strings.TrimSpace(line)
		if t == "" || isRemark(t) {
			continue
		}
		in := Indent(line)
		if top := depth < 0 || in <= depth; top {
			if !closes.MatchString(t) {
				own = g.begins.MatchString(line) || own && t == "{" && headed
			}
			if depth = in; g.redeclares(t) || goesOn && g.reassigns(t) {
				return false
			}
		}
		if !own && g.leaves.MatchString(line) {
			return false
		}
		headed = strings.HasSuffix(t, ")")
	}
	return true
}

var (
	closes   = pattern.New(`^[\])}]`)
	declares = pattern.New(`^(?:(?:pub|public|static|final|export|async)\s+)*` +
		`(?:class|def|func|fn|function|struct|enum|mod|trait|interface)\s+(\w+)`)
	functions = pattern.New(`^(?:[A-Za-z_][\w<>\[\],:]*[\s*&]+)+([A-Za-z_]\w*)\s*\([^;]*$`)
	imports   = pattern.New(`^(?:from\b.*\bimport|import|pub use|use|using)\b(.*)$|^(?:const|let|var) (.*) = require\b`)
	qualifier = pattern.New(`\w+(::|\.)|["'][^"']*["']|\b(static|type|from|as)\b`)
	assigns   = pattern.New(`^(?:let (?:mut )?|\(?\*?)([A-Za-z_]\w*)[\w.\[\]>-]*\s*(?:[-+*/|&^%]|<<|>>|:)?=[^=>~]|` +
		`^--\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)--`)
)

// redeclares reports whether a line declares a test, or something to ask with, that
// the text has or uses already, or takes such a name from elsewhere.
func (g growth) redeclares(line string) bool {
	if m := imports.FindStringSubmatch(line); m != nil && !slices.Contains(g.old, line) {
		rest := qualifier.Regexp().ReplaceAllString(m[1]+m[2], " ")
		return slices.ContainsFunc(strings.FieldsFunc(rest, func(r rune) bool { return !isWordRune(r) }), g.has)
	}
	for _, p := range []*pattern.Pattern{declares, functions} {
		m := p.FindStringSubmatch(line)
		if m != nil && !strings.HasPrefix(line, "return") && !strings.HasPrefix(line, "else") && g.has(m[1]) {
			return true
		}
	}
	return false
}

func (g growth) reassigns(line string) bool {
	m := assigns.FindStringSubmatch(line)
	return m != nil && (g.has(m[1]) || g.has(m[2]) || g.has(m[3]))
}

// has reports whether a text has a word.
func (g growth) has(word string) bool {
	if strings.ContainsFunc(word, func(r rune) bool { return !isWordRune(r) }) {
		return strings.Contains(g.text, word)
	}
	return word != "" && slices.Contains(strings.FieldsFunc(g.text, func(r rune) bool { return !isWordRune(r) }), word)
}

func isWordRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= 0x80
}

// goesOn reports whether the block in which a chunk begins goes on behind it.
func (g growth) goesOn(c chunk) bool {
	first := slices.IndexFunc(c.lines, func(l string) bool { return strings.TrimSpace(l) != "" })
	for _, line := range g.old[c.before:] {
		if t := strings.TrimSpace(line); t != "" {
			return first >= 0 && Indent(line) >= Indent(c.lines[first]) && !closes.MatchString(t)
		}
	}
	return false
}

func isRemark(t string) bool {
	hash := strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "#[") && !strings.HasPrefix(t, "#!")
	return hash || strings.HasPrefix(t, "//") || strings.HasPrefix(t, "*")
}

// Indent is how wide the blanks are with which a line begins.
func Indent(line string) int {
	width := 0
	for _, r := range line {
		switch r {
		case ' ':
			width++
		case '\t':
			width += 8
		default:
			return width
		}
	}
	return width
}

var (
	// overList is the beginning of a line up to within a list that a test goes through.
	overList = pattern.New(`(\bfor\b.*(\brange\b|\bin\b|\bof\b)|\bparametrize\(|\.each\().*[\[{]`)
	// rounds are literals, or pairs of them, with which a test asks once more.
	rounds = func() *pattern.Pattern {
		one := `(?:"[^"\\]*"|'[^'\\]*'|-?[0-9][\w.]*|true|false|True|False|nil|null|None)`
		several := `[\[({]\s*` + one + `(?:\s*,\s*` + one + `)*\s*[\])}]`
		value := `(?:` + one + `|` + several + `)`
		pair := value + `(?:\s*:\s*` + value + `)?`
		return pattern.New(`^\s*,?\s*` + pair + `(?:\s*,\s*` + pair + `)*\s*,?\s*$`)
	}()
	key = pattern.New(`["'][^"'\\]*["']`)
)

// withoutRounds are lines of a test, each as it was where it has come to have nothing but more literals in a list that
// it goes through, none of which the line had.
func withoutRounds(was, is []string) []string {
	out := slices.Clone(is)
	for i, line := range is {
		if slices.Contains(was, line) {
			continue
		}
		at := slices.IndexFunc(was, func(old string) bool { return !slices.Contains(is, old) && moreRounds(old, line) })
		if at >= 0 {
			out[i] = was[at]
		}
	}
	return out
}

// moreRounds reports whether a line is an old one with more literals.
func moreRounds(old, line string) bool {
	if len(line) <= len(old) || !overList.MatchString(old) {
		return false
	}
	n := 0
	for n < len(old) && old[n] == line[n] {
		n++
	}
	rest := len(line) - len(old)
	for ; n >= 0; n-- { // what begins like what follows may stand in several places
		if old[n:] != line[n+rest:] {
			return false
		}
		if new := line[n : n+rest]; overList.MatchString(old[:n]) && strings.Count(old[:n], `"`)%2 == 0 &&
			rounds.MatchString(new) && !slices.ContainsFunc(key.FindAllString(new, -1),
			func(k string) bool { return strings.Contains(old, k) }) {
			return true
		}
	}
	return false
}
