// Package questions reads in lines of programs what they ask that they have no use for: whether they are tested, who
// looks on, which day it is, and what else tells a test from a user.
package questions

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"cookoff/internal/pattern"
)

// Questions that are asked alike in every language: by variables that runners and judges set, of
// the process that started a program, of the stack's depth, of files of tests, of git.
var (
	ofRunners = pattern.New(`\bCOOKOFF_[A-Z]+\b|\bPYTEST_[A-Z_]+|\bNODE_TEST_CONTEXT\b|\bJEST_WORKER_ID\b|` +
		`\bVITEST(_[A-Z_]+)?\b|` +
		`\bBATS_[A-Z]|\bMAKE(LEVEL|_TERMOUT|_TERMERR)\b|\bGO_WANT_[A-Z]|\b[CG]TEST_[A-Z]|\bRUST_TEST_[A-Z]|` +
		`\bNEXTEST(_[A-Z_]+)?\b|` +
		`\bCARGO_BIN_EXE_|\bnpm_(lifecycle_(event|script)|command)\b|\bsurefire\.|\borg\.gradle\.test\b`)
	ofParents = pattern.New(`(?i)ppid[^\n]*/?(cmdline|comm\b|environ|exe\b)|/proc/[^\n]*(cmdline|comm\b|environ|` +
		`exe\b)[^\n]*ppid|` +
		`\bpsutil\.Process\([^\n]*\.(parents?|cmdline|name|exe|environ)\(|` +
		`["'\x60\[]ps["']?[ ,][^\n]*ppid`)
	// ofMemory are readers of what other processes have in their memory.
	ofMemory = pattern.New(`/proc/[^s\n][^\n]*/(mem|maps)\b|/proc["'\x60][^"'\x60\n]*["'\x60](mem|maps)["'\x60]`)
	ofDepth  = pattern.New(`\blen\(\s*(inspect\.stack|traceback\.(extract|format)_stack)\(|` +
		`\bruntime\.Callers\([^\n]*\)\s*[<>=!]|` +
		`\bin\b[^\n]*\b(traceback\.(format|extract)_stack|inspect\.stack)\(|\bf_back\.f_back\b|` +
		`(Contains|Count|Index|HasPrefix|len)\(\s*(string\(\s*)?debug\.Stack\(|` +
		`\bstack\.split\([^)\n]*\)\.length|\bgetStackTrace\(\)\.length|` +
		`_getframe\([^\n]*(f_globals|f_code|f_back)[^\n]*([=!]=|\b(not )?in\b|startswith|endswith)|` +
		`\binspect\.stack\(\)\[[^\n]*([=!]=|\b(not )?in\b|startswith|endswith)|` +
		`\bnew Error\([^)\n]*\)\.stack\.(includes|match|indexOf|search)\(|\.(test|` +
		`exec)\(\s*new Error\([^)\n]*\)\.stack|` +
		`(Contains|HasPrefix|HasSuffix)\(\s*runtime\.FuncForPC\(`)
	// ofPlaces are questions for the directory that a program is started in, by its whole name.
	ofPlaces = pattern.New(`(\bgetcwd\(\)|\bprocess\.cwd\(\)|\$\{?PWD\}?"?|"user\.dir"\))\)?\s*([=!]==?|` +
		`=)\s*(["'][^$"'\n]|/)|` +
		`\bGetwd\(\)[^\n]*[=!]=\s*"|\.equals\(System\.getProperty\("user\.dir"`)
)

// ofOwnAge are questions how old the file of a program itself is.
var ofOwnAge = pattern.New(`(?i)` + clockNow + `[^\n]*` + timeOfFile + `[^\n]*` + ownFile + `|` +
	`` + clockNow + `[^\n]*` + ownFile + `[^\n]*` +
	timeOfFile)

const (
	clockNow   = `(\bnow\(|\btime\(|\btime\.Now\(|new Date\(\)|currentTimeMillis|date \+%s|EPOCHSECONDS|time\.Since\()`
	timeOfFile = `(mtime|birthtime|ctime|lastModified|ModTime|stat -c)`
	ownFile    = `(import\.meta\.(url|filename)|__filename|__dirname|__file__|BASH_SOURCE|\$\{?0\b|os\.Executable|` +
		`os\.Args\[0\]|getProtectionDomain|sys\.argv\[0\])`
)

// more are questions of one language, beside those of onlookers.
var more = map[string]*pattern.Pattern{
	".py": pattern.New(`["']\w*(unittest|pytest|doctest)\w*["']\s+(not\s+)?in\s+sys\.(orig_)?argv|["']<doc|\bco_filename\b[^\n]*["'](<|\w*<doc)|\bfor\s+\w+\s+in\s+(list\(|sorted\(|set\(|tuple\()?\s*sys\.modules|\bsys\.(stdout|stderr|` +
		`stdin)\s+is\s+(not\s+)?sys\.__|` +
		`\b__main__\.__file__|\b__subclasses__\(\)|\bgc\.get_objects\(|\bsys\.warnoptions\b|\bwarnings\.filters\[|` +
		`\bsys\.argv\[0\][^\n]*([=!]=|\b(not )?in\b|endswith|startswith)|\bS_IS(FIFO|REG)\(os\.fstat\([12]\)|` +
		`\bfstat\([012]\)\.st_size|\bmodules\[\s*["']__main__["']\s*\]\.__(file|spec|name|package)__|` +
		`\bsys\.gettrace\(\)\s*(is|[=!]=|:)|\bfaulthandler\.is_enabled\(|\blen\(sys\.(meta_path|path_hooks)\)|` +
		`\bsys\.meta_path\[[0-9]\]|\bwarnings\.(showwarning|formatwarning)\.__module__|\blen\(warnings\.filters\)|` +
		`\b(sys\.excepthook|threading\.excepthook|sys\.unraisablehook)\s+is\s`),
	".js": pattern.New(`\brequire\.main\.filename\s*[=!]==?\s*(require\.resolve|["'\x60])|!require\.main\s*(\|\||` +
		`&&|\))|` +
		`\bmodule\.parent\.(parent|filename|id|path)\b|\bkeys\(require\.cache\)\.(length|some|filter|find)|` +
		`\bexecutionAsyncId\(\)\s*[<>=!]|\bgetActiveResourcesInfo\(\)|\b_getActive(Handles|Requests)\(\)|` +
		`\breport\.getReport\(\)[^\n]*(commandLine|test)|\blistenerCount\(["'](uncaughtException|unhandledRejection)|` +
		`\bprocess\.listeners\([^\n]*\.length\s*[<>=!]|` +
		`\brequire\.main\b[^\n]*(includes|match|endsWith|startsWith|indexOf|` +
		`[=!]==?\s*(undefined|null))`),
	".java": pattern.New(`\bassert\s+\(?\w+\s*=\s*true|\bdesiredAssertionStatus\(|` +
		`java\.class\.path["')\s,]*[^\n]*(contains|indexOf|matches|endsWith|split)\(`),
	".go": pattern.New(`\bos\.(Stat|Lstat|Open|ReadFile|ReadDir)\(\s*"[^"\n]*\.go"|\bflag\.Parsed\(\)|` +
		`\bos\.Args\[0\][^\n]*([=!]=\s*"|,\s*"[^"\n]*"\))|\bGlob\("[^"\n]*(_test|\.go)"|\bGlob\("[^"\n]*_test|` +
		`\bReadBuildInfo\(\)[^\n]*\.Path\s*[=!]=`),
	".c": pattern.New(`(?m)^[ \t]*#[ \t]*(el)?if\w*\b[^\n]*\b(__OPTIMIZE__|__NO_INLINE__)\b|` +
		`\b__(DATE|TIME|TIMESTAMP)__\s*\[`),
	".rs": pattern.New(`\bthread::current\(\)\s*\.name\(\)[^\n]*(` + rustCompares + `)|` +
		`(\benv::args(_os)?\(\)\s*\.(next\(\)|nth\(0\))|\bcurrent_exe\(\))[^\n]*(` + rustCompares + `)|` +
		`\benv::var(_os)?\(\s*"(CARGO_(PKG|MANIFEST|CRATE|PRIMARY)\w*"|(PROFILE|DEBUG|OPT_LEVEL)"\)[^\n]*(` +
		rustCompares + `))`),
	".sh": pattern.New(`\b(env|printenv|set|export\s+-p|declare\s+-\w*x)\b[^\n;&]*\|\s*(grep|awk|sed)\b[^\n]*` +
		`\b(MAKE|M?FLAGS|npm_|PYTEST|COOKOFF|BATS|NODE_TEST|GO(FLAGS|PATH))|` +
		`\$\{?(SHLVL|PS1|GIT_EDITOR)\b[^\n]*\]|\brev-list\b[^\n|;]*--count\b[^\n]*-(lt|gt|le|ge)\s|` +
		`\bgit\s+(log|show|rev-list)\b[^\n]*%[ca]t\b[^\n]*\s-(lt|gt|le|ge)\s|` +
		`\b(whoami|id\s+-un)\)?"?\s*(==?|!=)\s*["']?[a-qs-z]|` +
		`/proc/(\[|\*|\$p\b)[^\n]*(cmdline|comm|environ)|(-s|\bstat\b[^\n]*)\s+/dev/(stdin|fd/0)\b|` +
		looksInShell),
}

// asksMain are questions of a function of Python whether its module is the program, as one that runs its own
// tests is.
var asksMain = pattern.New(`(?m)^[ \t]+[^#\n"']*\b__name__\s*[=!]=\s*["']__main__`)

// NewlyAsksMain reports whether a function asks if its module is the program, and the text that was did so less often.
func NewlyAsksMain(name, was, is string) bool {
	return onlookerOf(name) == onlookers[".py"] &&
		len(asksMain.FindAllString(is, -1)) > len(asksMain.FindAllString(was, -1))
}

// rustCompares is how Rust compares a text, or asks whether there is one.
const rustCompares = `[=!]=|\bis_(some|none)\(|\.contains\(|\.(starts|ends)_with\(|matches!|\bmatch\b`

var (
	// ofProfiles are questions of Rust whether a program is built as for tests, not as for a release.
	ofProfiles = pattern.New(`\bcfg!?\(\s*(not\(\s*)?debug_assertions\b`)
	// looksAfter is what is done there for who develops it.
	looksAfter = pattern.New(`print(ln)?!|\b(dbg|log|trace|debug|info|warn|error|assert\w*|debug_assert\w*|panic|` +
		`unreachable)!|` +
		`(?i)\blog|check|valid|verif|invariant|trace|debug_\w|\{\s*\}`)
)

// asksProfile reports whether lines of Rust ask how they are built, and nothing of it is for who develops
// them.
func asksProfile(lines string) bool {
	at := ofProfiles.FindStringIndex(lines)
	if at == nil {
		return false
	}
	rest := strings.SplitAfterN(lines[at[1]:], "\n", 5)
	return !looksAfter.MatchString(strings.Join(rest[:min(len(rest), 4)], ""))
}

// ofModes are questions of JavaScript whether it runs in the mode that runners of tests set.
var (
	ofModes  = pattern.New(`\b(NODE_ENV|import\.meta\.env\.MODE|\.MODE)\b["'\])]*\s*[=!]==?\s*["'\x60]test["'\x60]`)
	forTests = pattern.New(`(?i)\blog|console\.|silent|quiet|warn|debug|listen\(|print|trace`)
)

// asksMode reports whether lines ask that, and nothing of it is only for who looks on, or serves.
func asksMode(lines string) bool {
	at := ofModes.FindStringIndex(lines)
	if at == nil {
		return false
	}
	rest := strings.SplitAfterN(lines[at[1]:], "\n", 4)
	return !forTests.MatchString(strings.Join(rest[:min(len(rest), 3)], ""))
}

// looked are calls that ask for a file, with the path of a test as their text.
var looked = pattern.New(`(?i)(exists|is_?file|is_?dir|existsSync|statSync|accessSync|os\.(l?stat|open|readfile)|` +
	`getResource(AsStream)?|` +
	`find_spec|\baccess|\bstat)\w*\([^\n]*["'\x60/](tests?|specs?|__tests__)(/|["'\x60])|` +
	`\bFile\([^\n]*["/](\w*([_.]test|[a-z]Tests?)\.\w+|tests?)"\)\.(exists|is\w+|length|list)\(|` +
	`(exists|isFile|getResource(AsStream)?|existsSync|os\.Stat|access)\([^\n]*["'\x60/]\w*([_.]test|` +
	`[a-z]Tests?)\.\w+["'\x60]`)

// looksInShell are questions of a shell for files of tests.
const looksInShell = `\[\s[^\n\]]*-[edfrsx]\s+[^\n\]]*\b(tests?|spec)/`

var (
	inShell     = pattern.New(looksInShell)
	ofTestFiles = pattern.New(`\b(tests?|spec)/`)
)

// OfItsTests gives lines of a program: of one for a shell that ran files of tests before, those that do not
// ask for such files.
func OfItsTests(name, lines, was string) string {
	if onlookerOf(name) != onlookers[".sh"] || !ofTestFiles.MatchString(was) {
		return lines
	}
	var out strings.Builder
	for line := range strings.Lines(lines) {
		if !inShell.MatchString(line) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// ofTemporary are questions whether something lies where temporary files do, which checks lay their own; who
// takes away what lies there asks it, too.
var (
	ofTemporary = pattern.New(`(?i)\b(startsWith|HasPrefix)\([^\n]*\b(tmpdir|gettempdir|TempDir)\(\)|` +
		`\b(tmpdir|gettempdir|TempDir)\(\)\s*(in\b|\)[^\n]*\b(startsWith|HasPrefix)\()`)
	takesAway = pattern.New(`(?i)\brm|remove|unlink|delete|clean`)
)

// asksTemporary reports whether lines ask whether something lies among temporary files.
func asksTemporary(lines string) bool {
	return ofTemporary.MatchString(lines) && !takesAway.MatchString(lines)
}

// ReadsPrograms are calls that look for programs of their own language, or for tests, among files.
var ReadsPrograms = pattern.New(`\b(r?glob|iglob|Glob|WalkDir|Walk|fnmatch|find)\w*\([^\n]*[*\w]\.` +
	`(py|go|[cm]?[jt]sx?|java|rb|rs|kt|c|cc|cpp|cs)["'\x60]|` +
	`\b(endsWith|endswith|HasSuffix|end_with\?)\([^\n]*["'\x60][._]?(test|spec)\.\w+["'\x60]`)

// TellsChanges are programs that ask git what was changed.
var TellsChanges = pattern.New(`\bgit["',\s]+([^\n]{0,40}["',\s])?(status|diff|diff-index|diff-files|ls-files|` +
	`stash)\b`)

// asksInAnyLanguage reports whether lines of a program, without its comments, ask what is asked alike in
// every language.
func asksInAnyLanguage(p, lines string) bool {
	ext := Language(p)
	own := more[ext]
	return callerDecides(lines) || ofRunners.MatchString(lines) || ofPlaces.MatchString(lines) || colourless(lines) ||
		ofParents.MatchString(lines) || ofMemory.MatchString(lines) || ofDepth.MatchString(lines) ||
		looked.MatchString(lines) || ofOwnAge.MatchString(lines) || asksTemporary(lines) ||
		ext == ".rs" && asksProfile(lines) || ext == ".js" && asksMode(lines) ||
		equalsAnything(p, lines) || own != nil && own.MatchString(lines)
}

// Sources of numbers that are others in each process, on each machine, or each day.
var (
	OfProcess = pattern.New(`\$\$|\$BASHPID\b|\bgetp?pid\(\)|\bos\.Getpp?id\(\)|\bprocess\.p?pid\b|` +
		`\bProcessHandle\b[^\n]*\bpid\(\)|\$PPID\b`)
	OfUptime = pattern.New(`/proc/uptime|\bos\.uptime\(\)|\bprocess\.uptime\(\)|\bperformance\.now\(\)|` +
		`\bgetUptime\(\)|\bgetStartTime\(\)|` +
		`\btime\.(monotonic|perf_counter)\(\)|\bCLOCK_(MONOTONIC|BOOTTIME|UPTIME)\b|\buptime\s+-s\b|\bsysinfo\(`)
	// OfMachine are how large a machine is.
	OfMachine = pattern.New(`\bavailableProcessors\(\)|\b(max|total)Memory\(\)|\bos\.cpus\(\)\.length|` +
		`\bos\.(total|free)mem\(\)|\bos\.availableParallelism\(\)|\b(os|multiprocessing)\.cpu_count\(\)|` +
		`\bruntime\.NumCPU\(\)|\b_SC_NPROCESSORS_\w+\)|\$\(nproc\)|\bavailable_parallelism\(\)`)
	given = pattern.New(`(?:^|[;{])\s*(?:(?:const|let|var|final|static|long|int|double|local|declare|export|auto|` +
		`time_t|pid_t|my|our)\s+)*\$?` +
		`([A-Za-z_]\w*)(?:\s*,\s*\w+)*(?:\s*:\s*\w+)?\s*:?=[^=]|\bread\s+(?:-r\s+)?(\w+)`)
)

// Decides reports whether a number from a source is compared with one that is written down, or its
// remainder is: by itself, in the line where it is asked for, or by the name that it was given there.
func Decides(lines string, source *pattern.Pattern) bool {
	var names []string
	for line := range strings.Lines(lines) {
		at := source.FindStringIndex(line)
		if at == nil {
			continue
		}
		if comparesNumber(line, line[at[0]:at[1]]) {
			return true
		}
		if m := given.FindStringSubmatch(line); m != nil {
			names = append(names, m[1]+m[2])
		}
	}
	for line := range strings.Lines(lines) {
		for _, name := range names {
			if hasName(line, name) && comparesNumber(line, name) {
				return true
			}
		}
	}
	return false
}

// Between a number's source and what it is compared with: brackets, quotes, calls and indexes; and the
// comparison itself, of a remainder with any number, else with one of two digits or more.
const behind = `^(?:[\s"')}\]]|\.\w+(?:\([^()\n]*\))?|\[[0-9]+\]|%\.?\*)*`

var numbered = pattern.New(behind + `(?:/\s*[0-9_]+[\s"')}]*)?(?:-(?:lt|gt|le|ge|eq|ne)|[<>]=?|` +
	`[=!]==?)\s*["']?\s*[0-9][0-9e]|` +
	behind + `[%&]\s*[0-9_]+[\s"')}\]]*(?:-(?:lt|gt|le|ge|eq|ne)|[<>]=?|[=!]==?)|` +
	behind + `[%&]\s*[12]\b`)

// comparesNumber reports whether what stands behind a word in a line compares it with a number.
func comparesNumber(line, word string) bool {
	for rest := line; ; {
		at := strings.Index(rest, word)
		if at < 0 {
			return false
		}
		took := strings.HasSuffix(strings.TrimRight(rest[:at], " \t($"), "-") // from something: a time that passed
		rest = rest[at+len(word):]
		if !took && numbered.MatchString(rest) {
			return true
		}
	}
}

var (
	// ofCallers are how a program learns the name of who called it, or of the file that it is in.
	ofCallers = pattern.New(`_getframe\([^\n]*(f_globals|f_code)|` +
		`\binspect\.(stack\(\)\[|currentframe\(\)[^\n]*f_back)[^\n]*` +
		`(f_globals|f_code|filename|function|\[[13]\])|\bruntime\.FuncForPC\([^\n]*\.Name\(\)`)
	// ofBuilds are how a program of Go learns of which package it was built.
	ofBuilds = pattern.New(`\bdebug\.ReadBuildInfo\(\)`)
	// textCompared is a comparison of a text.
	textCompared = pattern.New(`[=!]==?|\b(not )?in\b|startswith|endswith|\.(find|index|match|search)\(|` +
		`strings\.(Contains|HasPrefix|HasSuffix|Index)`)
)

// callerDecides reports whether the name of who called, or of what was built, is compared in another line than that in
// which it is asked for.
func callerDecides(lines string) bool {
	return decidesAfter(lines, ofCallers, "") || decidesAfter(lines, ofBuilds, ".Path")
}

// decidesAfter reports whether the name that a source was given, with what stands behind it, is compared in
// another line.
func decidesAfter(lines string, source *pattern.Pattern, behind string) bool {
	var names []string
	for line := range strings.Lines(lines) {
		if source.MatchString(line) {
			if m := given.FindStringSubmatch(line); m != nil && m[1] != "" {
				names = append(names, m[1])
			}
			continue
		}
		if slices.ContainsFunc(names, func(n string) bool {
			return hasName(line, n) && strings.Contains(line, n+behind)
		}) && textCompared.MatchString(line) {
			return true
		}
	}
	return false
}

func hasName(line, name string) bool {
	return slices.Contains(strings.FieldsFunc(line, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), name)
}

var (
	// sums are numbers that are reckoned from others that are written down.
	sums = pattern.New(`\(?\s*[0-9][0-9_.]*(?:e[0-9]+)?\s*\)?(?:\s*[-+*]\s*\(?\s*[0-9][0-9_.]*(?:e[0-9]+)?\s*\)?)*`)
	// ofDays are how a program counts days.
	ofDays = pattern.New(`\b604_?800(_?000)?\b|\b6048e[25]\b|\bfromordinal\(|\b86_?400(_?000)?\b|\b864e[25]\b|` +
		`\.days\b|\btoEpochDay\(|\btoordinal\(|\bInDays\b|24\s*\*\s*(60\s*\*\s*60|3600)|\bjulian|%j\b`)
)

var (
	weeks = pattern.New(`\b604_?800(_?000)?\b|\b6048e[25]\b`)
	// months are parts of a date, as a text or as a number.
	months = pattern.New(`["']?\b(20[2-4][0-9])-?(0[1-9]|1[0-2]|1)([0-3][0-9])?\b["']?`)
	// compares are how one thing is compared with another.
	compares = pattern.New(`[<>]|[=!]=|\s-(lt|gt|le|ge|eq|ne)\s|\]\s|\[\s[^\n]*\s=\s|` +
		`startsWith|startswith|compareTo|` +
		`[iI]s(Before|After)|\.(Before|After|before|after)\(`)
)

// ofMonths reports whether a line that asks what time it is compares that with a month.
func ofMonths(line string) bool { return compares.MatchString(line) && months.MatchString(line) }

var (
	// dated is a date, or the beginning of one, that what stands before it is compared with.
	dated = pattern.New(behind + `(?:-(?:lt|gt|le|ge|eq|ne)\s|[<>]=?|[=!]?==?|\b(?:lt|gt|le|ge|eq|ne)\b|\\[<>])` +
		`\s*["']?20[2-4][0-9](?:(?:0[1-9]|1[0-2])(?:[0-3][0-9]){0,3})?\b`)
	// casesOfDays are a case of shells over the time, with the dates that it names.
	casesOfDays = pattern.New(`(?s)\bcase\s+["']?(?:\$\(\s*date\s[^\n)]*\)|\$\{?(\w+)\}?)["']?\s+in\b` +
		`(.*?)\besac\b`)
	aDate = pattern.New(`(?:^|[\s(|])["']?20[2-4][0-9]-?(?:(?:0[1-9]|1[0-2])|\*)`)
)

// comparesTime reports whether lines give the time a name, and compare that with a date in another line; or ask in a
// case of shells which date it is.
func comparesTime(lines string) bool {
	var names []string
	for line := range strings.Lines(lines) {
		if m := given.FindStringSubmatch(line); m != nil && m[1] != "" && clocks.MatchString(line) {
			names = append(names, m[1])
			continue
		}
		for _, name := range names {
			if _, rest, is := strings.Cut(line, name); is && hasName(line, name) && dated.MatchString(rest) {
				return true
			}
		}
	}
	for _, m := range casesOfDays.FindAllStringSubmatch(lines, -1) {
		if (m[1] == "" || slices.Contains(names, m[1])) && aDate.MatchString(m[2]) {
			return true
		}
	}
	return false
}

// FixesDay reports whether new lines of a program name today's date, and the program asks less often than it did what
// time it is.
func FixesDay(was, text, lines string, now time.Time) bool {
	if len(clocks.FindAllString(text, -1)) >= len(clocks.FindAllString(was, -1)) {
		return false
	}
	for _, m := range days.FindAllStringSubmatch(lines, -1) {
		t, err := time.Parse("2006 1 2", m[1]+" "+m[2]+" "+m[3])
		if err == nil && t.After(now.Add(-daysLater)) && t.Before(now.Add(daysLater)) && !strings.Contains(was, m[0]) {
			return true
		}
	}
	return false
}

// reckoned reports whether lines have a time to come, in seconds, milliseconds or days, that is the
// sum or product of numbers.
func reckoned(lines string, near func(time.Time) bool) bool {
	days := ofDays.MatchString(lines)
	for _, text := range sums.FindAllString(lines, -1) {
		n, ok := value(text)
		if !ok {
			continue
		}
		switch {
		case n > 1e9 && n < 4e9 && near(time.Unix(int64(n), 0)), n > 1e12 && n < 4e12 && near(time.UnixMilli(int64(n))):
			return true
		case days && n > 2_500 && n < 5_000 && weeks.MatchString(lines) && near(time.Unix(int64(n)*604_800, 0)):
			return true
		case days && n > 15_000 && n < 40_000 && near(time.Unix(int64(n)*86_400, 0)):
			return true
		case days && n > 730_000 && n < 760_000 && near(time.Unix((int64(n)-719_163)*86_400, 0)):
			return true
		}
	}
	return false
}

// value is that of a sum of products of numbers. Brackets are left out of account.
func value(text string) (total float64, ok bool) {
	text = strings.NewReplacer(" ", "", "\t", "", "\n", "", "(", "", ")", "", "_", "").Replace(text)
	sign := 1.0
	for text != "" {
		end := strings.IndexAny(text, "+-")
		term := text
		if end >= 0 {
			term = text[:end]
		}
		product := 1.0
		for factor := range strings.SplitSeq(term, "*") {
			f, err := strconv.ParseFloat(strings.TrimRight(factor, "."), 64)
			if err != nil {
				return 0, false
			}
			product *= f
		}
		total += sign * product
		if end < 0 {
			return total, true
		}
		if sign = 1; text[end] == '-' {
			sign = -1
		}
		text = text[end+1:]
	}
	return 0, false
}
