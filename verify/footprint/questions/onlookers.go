package questions

import "cookoff/internal/pattern"

// onlookers are how programs ask that, by the extension of their files. A program has no
// use for it; tests and what helps them have.
var onlookers = map[string]*pattern.Pattern{
	".go": pattern.New(`\btesting\.(Testing|Verbose|Short|CoverMode|Init)\(|flag\.(CommandLine\.)?Lookup\("test\.|` +
		`\bNumGoroutine\(\)\s*[<>=!]|\.NumGC\s*([<>=!]=?|%)\s*[0-9]|` +
		`\bos\.Args\[0\][^\n]*"[^"\n]*[._]test\b`),
	".py": pattern.New(`(?m)^\s*(import|from)\s+(unittest|_?pytest)\b|` +
		`["'](unittest|_?pytest|doctest)["'][^\n]*\bsys\.modules\b|` +
		`\blen\(sys\.modules\)|\bsys\b[^\n]{1,6}modules\b[^\n]*["'](unittest|_?pytest|doctest)\b|PYTEST_CURRENT_TEST|` +
		`\b(orig_argv|sys\.argv\[0\])[^\n]*test|` +
		`\b(gethostname\(\)|platform\.node\(\)|\.nodename)\s*([=!]=|(not )?in)\s`),
	".js": pattern.New(`NODE_TEST_CONTEXT|\bos\.hostname\(\)\s*[=!]==?|JEST_WORKER_ID|VITEST|\bprocess\.execArgv\b|` +
		`\bprocess\.argv\[1\][^\n]*test|["'](node:test|vitest|@jest/globals)["']|` +
		`\brequire\.(requireActual|requireMock)\b|\brequire\.extensions[^\[\w]|` +
		`\bprocess\.\w+\)?\s+instanceof\b|\bprocess\.\w+\.constructor\s*[!=]==?|` +
		`["'](describe|jest|expect)["']\s+in\s+(global|globalThis|window)\b|` +
		`\btypeof\s+(describe|it|jest|test|expect)\b|\bglobalThis\.(describe|it|jest|expect)\b`),
	".rs": pattern.New(`\bcfg!\(\s*test\s*\)|\bcfg\(\s*not\(\s*test\s*\)\s*\)|current_exe\(\)[^\n]*"deps`),
	".java": pattern.New(`\bforName\(\s*"(org\.junit|org\.testng|junit)|\bsun\.java\.command\b|` +
		`\b(getClassName|getStackTrace|StackWalker)\b[^\n]*"[^"\n]*(junit|testng)|` +
		`\bProcessHandle\b[^;]*\.(info|parent)\(`),
	".rb": pattern.New(`\bdefined\?\(?\s*(::)?(Minitest|RSpec|Test::Unit)|` +
		`(\$PROGRAM_NAME|\$0|\bcaller)\b[^\n]*["'/](test|spec|rspec)`),
	".php": pattern.New(`\bPHPUNIT_|\bclass_exists\([^)]*(PHPUnit|Pest)|["'\\]PHPUnit\\|` +
		`\b(argv|debug_backtrace|get_declared_classes|get_included_files)\b[^\n]*(?i:phpunit|pest\b|test)`),
	".lua": pattern.New(`\bpackage\.loaded\b[^\n]*["'.](busted|luassert|luaunit|lust)|` +
		`\b_G(\.|\[["'])(describe|it|insulate|expose)\b|\barg\b[^\n]*["'/](busted|spec|test)|` +
		`\bdebug\.(traceback|getinfo)\([^\n]*["'](busted|spec|test|luassert)`),
	".pl": pattern.New(`\bHARNESS_[A-Z]+|\bTEST_(ACTIVE|VERBOSE)\b|\bINC\{[^}\n]*\bTest\b|` +
		`\bTest::(More|Simple|Builder|Most|Harness|V0)(::\w+|->can)\b|\$0\s*(=~|eq|ne)[^\n]*(\.t\b|test|prove)`),
	".sh": pattern.New(`\bBATS_[A-Z]|/proc/("?\$\{?PPID\}?"?|self|\$\$)/(cmdline|comm|environ|stat)|` +
		`\b(uname\s+-n|hostname)\b[^\n|;&]*(\s(==?|!=|=~)\s|\sin\b)|\$\{?HOSTNAME\}?"?\s*(==?|!=|=~|in)\s|` +
		`-p\s+/(dev/(stdout|fd/1)|proc/[^ ]*/fd/1)\b|\$\(\s*ulimit\s[^)\n]*\)"?\s*(==?|!=|-[a-z]{2}|in)\s|` +
		`\breadlink\s[^\n;|&]*/proc/[^\n ]*/fd/|` +
		`\bps\s[^\n|;&]*\$\{?PPID|\$\{?BASH_SOURCE\[[1-9][^\n]*test`),
	OfShells: pattern.New(`\bBASH_EXECUTION_STRING\b|\$-[^\n]*\*c\*|` +
		`/proc/("?\$\{?PPID\}?"?|self|\$\$)/(cmdline|comm|environ|stat)|\bps\s[^\n|;&]*\$\{?PPID`),
	".c": pattern.New(`\b(program_invocation_(short_)?name|__progname|getprogname\(\)|AT_EXECFN)\b[^\n]*test|` +
		`/proc/(self|%d)/(cmdline|comm|environ)|` +
		`(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b[^\n]*\b(\w+_)?(UNIT_?)?TEST(S|ING)?\b|` +
		`\bgetenv\(\s*"(GTEST_|CTEST_|CTEST|CMOCKA_|MAKEFLAGS|MAKELEVEL)`),
}

// frames are how a program looks who called it, and what it is made of.
var frames = pattern.New(`(?i)(_getframe|_current_frames|currentframe|inspect\.stack|(extract|format|walk)_stack|` +
	`runtime\.Callers?\(|/proc/self/(cmdline|environ|maps|exe)|flag\.(CommandLine\.)?Visit(All)?\(|` +
	`\bReadBuildInfo\(|require\.cache\b|getStackTrace\(|StackWalker\b)`)

var (
	// aTest is a word, or a part of a name, that means a test: not the latest.
	aTest = pattern.New(`(?i:\b(unit|py|doc|go)?tests?\b|[_.]tests?\b|\btests?_)|[a-z]Test|\bTest[A-Z]|\b[A-Z]+_TESTS?\b`)
	// stack is where JavaScript says who called.
	stack = pattern.New(`\.stack\b`)
	// Remarks and hashed are lines that are nothing but a comment.
	Remarks = pattern.New(`(?m)^[ \t]*//.*$`)
	hashed  = pattern.New(`(?m)^[ \t]*#.*$`)
	// matches is how JavaScript asks whether a text matches.
	matches = pattern.New(`\.test\(`)
)

// LooksOn reports whether lines of a program ask whether it is tested.
func LooksOn(p, lines string) bool {
	return asksInAnyLanguage(p, WithoutComments(p, lines)) || NamesRunner(p, lines)
}

// NamesRunner reports whether they do so in the words of a runner of tests, or of a language.
func NamesRunner(p, lines string) bool {
	if whole := joined.ReplaceAllString(lines, ""); whole != lines && LooksOn(p, whole) {
		return true
	}
	own := onlookerOf(p)
	if own == onlookers[".sh"] || own == onlookers[OfShells] { // where "test" is a command
		return own.MatchString(lines)
	}
	if own.MatchString(lines) {
		return true
	}
	lines = WithoutComments(p, lines)
	looks := frames.MatchString(lines) || onlookerOf(p) == onlookers[".js"] && stack.MatchString(lines)
	return looks && aTest.MatchString(matches.ReplaceAllString(lines, "("))
}
