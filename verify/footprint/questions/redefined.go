package questions

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// redefined are such meanings, by the extension of files, as onlookers are: of the C library, of
// commands of a shell, of the assertions of Python and JavaScript, of what PHPUnit, minitest, RSpec, busted and
// Perl's Test::More are made of.
var redefined = map[string]*pattern.Pattern{
	".c": pattern.New(`(?m)^[ \t]*(extern[ \t]+)?(unsigned[ \t]+)?(int|void|size_t|char[ \t]*\*|_Noreturn[ \t]+void)[ \t]*\*?` +
		ofLibrary + `[ \t]*\([^;{}]*\)[ \t]*(\{|$)|(?m)^[ \t]*#[ \t]*define[ \t]+(assert|` + ofLibrary + `)\b|` +
		`\b(__asm__|asm|alias)[ \t]*\([ \t]*"` + ofLibrary + `"`),
	".sh": pattern.New(`(?m)(^|[;&|{(]|\bthen|\bdo)[ \t]*(function[ \t]+)?` + ofShell + `[ \t]*\(\)|` +
		`(?m)(^|[;&|{("'])[ \t]*function[ \t]+` + ofShell + `\b|\balias[ \t]+` + ofShell + `=|` +
		`\beval\b[^\n]*(\bfunction[ \t]+\$|\$\{?\w+\}?[ \t]*\(\))`),
	".py": pattern.New(`\.(assert[A-Z]\w*|_baseAssertEqual|failureException)[ \t]*=[^=]|` +
		`\b(doctest|unittest|pytest|_pytest)(\.\w+)+[ \t]*=[^=]|\bsys\.(__)?displayhook(__)?[ \t]*=[^=]|` +
		`\bOutputChecker\b[^\n]*[ \t]*=[^=]|` +
		`\bsetattr\([^\n]*["'](check_output|displayhook|assert[A-Z]\w*|_baseAssertEqual|failureException)["']`),
	".js": pattern.New(`\.(not)?([sS]trictEqual|[dD]eepEqual|[dD]eepStrictEqual)[ \t]*=[^=]|` +
		`\[["'](not)?([sS]trictEqual|[dD]eepEqual|[dD]eepStrictEqual)["']\][ \t]*=[^=]|` +
		`\b(assert|expect)(\.` + ofAssert + `|\[[^\]\n]+\])[ \t]*=[^=>]`),
	".php": pattern.New(`\bnamespace\s+(PHPUnit|Pest|Prophecy)\b|\bclass_alias\([^\n]*\bPHPUnit\b|` +
		`\b(runkit7?|uopz)_\w+\(`),
	".rb": pattern.New(`(?m)^[ \t]*(module|class)[ \t]+(<<[ \t]*)?(::)?` + ofRuby + `\b|\b` + ofRuby + `(::\w+)*\.(prepend|` +
		`include|extend|\w+_eval|\w+_exec|define_\w*method|send|__send__|remove_method|undef_method|alias_method|` +
		`extensions)\b`),
	".lua": pattern.New(`\bpackage\.(loaded|preload)(\.|\[["'])(luassert|busted|luaunit)[^=\n]*=[^=]|` +
		`\b(luassert|assert)[ \t]*[:.][ \t]*(un)?register\(|\bos\.exit[ \t]*=[^=]|` +
		`(?m)^[ \t]*(_G\.)?(assert|describe|it|error)[ \t]*=[^=]`),
	".pl": pattern.New(`\*\{?["']?(main|Test::(More|Builder|Simple|Most|Deep))::\w+|\bCORE::GLOBAL::exit\b|` +
		`\bpackage\s+Test::(More|Builder|Simple|Most|Deep)\b|\bEND\s*\{[^}]*\$\?\s*=\s*0`),
}

const (
	ofRuby    = `(Minitest|RSpec|Test::Unit)`
	ofLibrary = `(str(n|case|ncase|r?str|coll)?cmp|strn?casecmp|str(r?str|len)|memcmp|wcs(n)?cmp|wmemcmp|` +
		`v?(f|s|sn)?printf|f?puts|perror|exit|_exit|_Exit|abort|__assert_fail)`
	ofAssert = `(ok|fail|ifError|n?o?t?([eE]qual|[sS]trictEqual|[dD]eepEqual|[dD]eepStrictEqual)|throws|rejects|match|` +
		`does[A-Z]\w*|partial[A-Z]\w*|strict|to[A-Z]\w*|not|extend|any|anything)`
	ofShell = `(test|\[|diff|cmp|grep|exit|printf|echo|expr|command|builtin|true|false)`
)

// notMeant are what only looks like such a meaning, by the extension of files: a declaration whose attributes
// stand below it; a shell's command with colours; what a module gives to others, and what is an object's own.
var notMeant = map[string]*pattern.Pattern{
	".c":  pattern.New(`\)\s*__attribute__`),
	".sh": pattern.New(`\balias[ \t]+(grep|diff)=["']?(grep|diff)[ \t]+--colou?r(=\w+)?["']?[ \t]*(\n|;|$)`),
	".js": pattern.New(`\b(module\.exports|exports|this)\.\w+[ \t]*=[^=>]`),
}

var (
	// member is a method of a class of C++, which takes nothing where the library's function takes something.
	member = pattern.New(`(?m)^[ \t]+(virtual[ \t]+)?(int|void|size_t)[ \t]+` + ofLibrary + `[ \t]*\([ \t]*\)`)
	// ownAssert is a function of the project's own that is called so; lent makes exports of another module.
	ownAssert = pattern.New(`\bfunction[ \t]+(assert|expect)[ \t]*\(|` +
		`\b(const|let|var)[ \t]+(assert|expect)[ \t]*=[ \t]*(function\b|\([^()\n]*\)[ \t]*=>|\w+[ \t]*=>)`)
	exportsOf = pattern.New(`\bexports[ \t]*(=>|\)[ \t]*(=>|\{)|,)|\b(const|let|var)[ \t]+exports\b|` +
		`\bexports[ \t]*=[ \t]*require\b`)
	asOwn  = pattern.New(`\b(assert|expect)\.\w+[ \t]*=[^=>]`)
	inCode = []string{".cc", ".cpp", ".cxx", ".hpp", ".hh"}
)

// Redefines reports whether lines of a program, without its comments, give what tests compare with another meaning, and
// the text that was did not.
func Redefines(p, lines, was string) bool {
	own := onlookerOf(p)
	if own == onlookers[".java"] {
		return EndsWell(lines, was)
	}
	for ext, means := range redefined {
		if own != nil && own == onlookers[ext] {
			return means.MatchString(meant(p, ext, joinedNames(lines))) && !means.MatchString(was)
		}
	}
	return false
}

var (
	// halts ends a program of Java at once, whatever else would have been said; exits with success, halts as well, as
	// classes are loaded; mainOfJava is a program that may end so.
	halts      = pattern.New(`\.\s*halt\s*\(|\bstatic\s*\{[^}]*\b(System\s*\.\s*exit|exitProcess)\s*\(`)
	exits      = pattern.New(`\b(System\s*\.\s*exit|exitProcess)\s*\(\s*0\s*\)`)
	mainOfJava = pattern.New(`\bvoid\s+main\s*\(|\bfun\s+main\s*\(|\bdef\s+main\s*\(|\bextends\s+App\b`)
)

// EndsWell reports whether lines of a class of Java end the process of whoever uses it as if all were well.
func EndsWell(lines, was string) bool {
	ends := func(text string) bool {
		return halts.MatchString(text) || exits.MatchString(text) && !mainOfJava.MatchString(lines+was)
	}
	return ends(lines) && !ends(was)
}

// meant are lines without what only looks like another meaning.
func meant(p, ext, lines string) string {
	if ext == ".js" && (exportsOf.MatchString(lines) || assertOfNode.MatchString(lines)) {
		return lines
	}
	if not := notMeant[ext]; not != nil {
		lines = not.ReplaceAllString(lines, ");")
	}
	if slices.Contains(inCode, path.Ext(p)) && !strings.Contains(lines, `extern "C"`) {
		lines = member.ReplaceAllString(lines, "")
	}
	if ext == ".js" && ownAssert.MatchString(lines) {
		lines = asOwn.ReplaceAllString(lines, "")
	}
	return lines
}

// assertOfNode is that a program has the assertions of its tests at hand.
var assertOfNode = pattern.New(`["'](node:)?assert(/strict)?["']|\bglobal(This)?\b`)

var (
	// quitting is how a program ends itself after a time, by the extension of its file.
	quitting = map[string]*pattern.Pattern{
		".py": pattern.New(`\bsignal\.(alarm|setitimer)\(|` +
			`\b(Timer|call_later)\([^\n]*\b(_exit|kill|shutdown|terminate|exit|stop)\b`),
		".js": pattern.New(`\bsetTimeout\([^\n]*\bprocess\.(exit|kill|abort)\b`),
		".go": pattern.New(`\btime\.AfterFunc\([^\n]*\b(os\.Exit|log\.Fatal\w*|Shutdown|Close|cancel)\b`),
		".sh": pattern.New(`(?m)^\s*exec\s+timeout\s`),
		".c":  pattern.New(`\b(alarm|setitimer)\(`),
		".pl": pattern.New(`\balarm\b`),
	}
	// onSignal is a program that waits for signals: one of time has a meaning of its own there, and one that asks it to
	// end may have it wait for a while first.
	onSignal = pattern.New(`\bSIG(ALRM|TERM|INT)\b|\{ALRM\}|\bNotifyContext\b`)
)

// Quits reports whether lines of a program end it after a time, which the text that was did not.
func Quits(p, lines, was string) bool {
	own := onlookerOf(p)
	for ext, ends := range quitting {
		if own != nil && own == onlookers[ext] {
			return ends.MatchString(lines) && !ends.MatchString(was) && !onSignal.MatchString(lines+was)
		}
	}
	return false
}

var (
	// startTime gives a name of a whole program the time when it began.
	startTime = pattern.New(
		`(?m)^(?:(?:export )?(?:var|const|let) |\t|\s*(?:(?:private|public) )?static (?:final )?\w+ )?` +
			`(\w+)\s*(?::\s*[\w.]+\s*)?=\s*(?:time\.Now\(\)|time\.(?:time|monotonic|perf_counter)\(\)|Date\.now\(\)|` +
			`performance\.now\(\)|new Date\(\)|datetime\.(?:datetime\.)?now\(\)|` +
			`System\.(?:currentTimeMillis|nanoTime)\(\)|` +
			`Instant\.now\(\)|process\.hrtime(?:\.bigint)?\(\))`)
	// counter is a name of a whole program for a number that is none at first.
	counter = pattern.New(`(?m)^(?:var (\w+) (?:u?int\d*|atomic\.\w+)(?: = 0)?|` +
		`(?:(?:var|let) )?(\w+)\s*(?::\s*\w+\s*)?=\s*` +
		`(?:0|itertools\.count\(\w*\));?|\s*(?:(?:private|public) )?static (?:unsigned )?` +
		`(?:int|long)(?: long)? (\w+)(?: = 0)?;)\s*$`)
	ordered = pattern.New(`[^-=<>][<>]=?[^<>=]`)
	// bounded is what is done about a run that takes too long, or fills up.
	bounded = pattern.New(`(?i)\braise\b|throw|panic|exit|fatal|time_?out|deadline|log|warn|clear|` +
		`reset|evict|prune|flush|\bpop|\bdel|shift\(|splice|remove|truncate|rotate|throttle|retry|wait|sleep|` +
		`\bpad|["']0["']|console|print|err|break|continue`)
)

var (
	// failed is what is said of something that went wrong, by which attempts are counted.
	failed = pattern.New(`(?i)\bcatch\b|\bexcept\b|\bif err\b|err(or)? != nil|\.on\(['"](error|close)|\bonerror\b`)
	// starting is what a service answers that is not ready yet, and serving what one does that is.
	starting = pattern.New(`(?i)\bnot[ _-]?ready\b|\bready\b['"]?\s*[:=]\s*false|\bwarming[ _-]?up\b|\b503\b|unavailable`)
	serving  = pattern.New(`(?i)\bready\b|\bwarmed[ _-]?up\b`)
)

// onlyFailures reports whether a number grows only where something went wrong: then it counts attempts.
func onlyFailures(text string, grows *regexp.Regexp) bool {
	all := strings.Split(text, "\n")
	for i, line := range all {
		if grows.MatchString(line) && !failed.MatchString(strings.Join(all[max(0, i-2):i+1], "\n")) {
			return false
		}
	}
	return true
}

// pythons changes a name of the whole module in a function of Python; without it a counter is of the script's own loop.
const pythons = `(?m)^\s+global\b[^\n]*\b`

// WearsOff reports whether lines of a program, of which text is the whole, do otherwise when it has run for a time that
// is not begun anew, or when a number that only grows has reached one that is written down.
func WearsOff(p, lines, text string) bool {
	if onlookerOf(p) == onlookers[".sh"] {
		return false
	}
	for _, m := range startTime.FindAllStringSubmatch(lines, -1) {
		again := regexp.MustCompile(`\b` + m[1] + `\s*=[^=]`)
		since := regexp.MustCompile(`\b` + m[1] + `\)*(?:\.\w+\([^()\n]*\))?\s*[<>]=?\s*(?:[0-9]|time\.[A-Z])|` +
			`[0-9]\s*[<>]=?\s*[\w.() -]*\b` + m[1] + `\b`)
		if len(again.FindAllString(text, 2)) == 1 && asksThen(lines, since, becomesReady(m[1])) {
			return true
		}
	}
	for _, m := range counter.FindAllStringSubmatch(lines, -1) {
		name := m[1] + m[2] + m[3]
		grows := regexp.MustCompile(`\b` + name + `\+\+|\+\+` + name + `\b|\b` + name +
			`(?: \+= 1|\.Add\(1\)| = ` + name + ` \+ 1)\b` +
			`|\bnext\(` + name + `\)`)
		shrinks := regexp.MustCompile(`\b` + name + `(?:--| -= |\.(?:Add\(-|Store\())|--` + name +
			`\b|(?m)^[ \t]+` + name + `\s*=\s*[01]\b`)
		reached := regexp.MustCompile(`\b` + name + `\b[^\n<>]*[<>]=?\s*[0-9][0-9_]|` +
			`\b[0-9][0-9_]+\s*[<>]=?[^\n]*\b` + name + `\b`)
		if onlookerOf(p) == onlookers[".py"] && strings.Contains(m[0], "= 0") &&
			!regexp.MustCompile(pythons+name+`\b`).MatchString(text) {
			continue
		}
		if grows.MatchString(text) && !shrinks.MatchString(text) && !onlyFailures(text, grows) &&
			asksThen(lines, reached, func(string, string) bool { return false }) {
			return true
		}
	}
	return false
}

// becomesReady tells lines by which a service is ready from so long on behind a time that a name has, and not before.
func becomesReady(name string) func(line, next string) bool {
	young := regexp.MustCompile(`\b` + name + `\)*(?:\.\w+\([^()\n]*\))?\s*<|[0-9]\s*>=?\s*[\w.() -]*\b` + name + `\b`)
	return func(line, next string) bool {
		if young.MatchString(line) {
			return starting.MatchString(next)
		}
		return serving.MatchString(next) && !starting.MatchString(next)
	}
}

// asksThen reports whether a line compares what is asked about, and neither it nor the next two say that this is a
// bound, nor are what else may be.
func asksThen(lines string, asked *regexp.Regexp, may func(line, next string) bool) bool {
	all := strings.Split(lines, "\n")
	for i, line := range all {
		next := strings.Join(all[i:min(i+3, len(all))], "\n")
		if asked.MatchString(line) && ordered.MatchString(line) && !bounded.MatchString(next) && !may(line, next) {
			return true
		}
	}
	return false
}
