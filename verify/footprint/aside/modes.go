package aside

import (
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var (
	// directives are lines by which the preprocessor of C leaves out others.
	directives = pattern.New(`(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|elifdef|elifndef)\b([^\n]*)`)
	macro      = pattern.New(`[A-Za-z_]\w*`)
	// portable are macros that say for which system, or with which library, a program is built.
	portable = pattern.New(`^(defined|_*(WIN\d*|APPLE|MACH|linux|unix|FreeBSD|NetBSD|OpenBSD|DragonFly|sun|ANDROID|` +
		`CYGWIN|MINGW\d*|EMSCRIPTEN|wasm\w*)_*|_MSC_VER|BSD|__cplusplus|__has_\w+|__STDC\w*|_POSIX\w*|_[A-Z]+_SOURCE|` +
		`__BYTE_ORDER\w*|__ORDER_\w+|__SIZEOF\w+|HAVE_\w+|USE_\w+|WITH_\w+|ENABLE_\w+|CONFIG_\w+|\w+_H_*|\w+_INCLUDED|` +
		`\w+_(MAX|MIN|VERSION\w*|MAJOR)|M_\w+|[EOSF]_?[A-Z]{3,}|SIG[A-Z]+|AF_\w+|SO_\w+)$`)
	// aided are lines for who develops a program, or for what its compiler can do.
	aided = pattern.New(`(?m)^[ \t]*#[ \t]*(define|include|error|warning|pragma|undef)\b|` +
		`(?i:print|puts|assert|abort|log|debug|trace|dump|stat)|__attribute__|__builtin|\b_mm\d*_|\basm\b|` +
		`^\s*static_assert`)

	// modes are questions in which mode a program runs, by language.
	modes = map[string]*pattern.Pattern{
		".js": pattern.New(`\bNODE_ENV\b["'\])]*\s*[=!]==?\s*["'\x60]\w+|` +
			`["'\x60]\s*[=!]==?\s*process\.env\.NODE_ENV\b|\bimport\.meta\.env\.(PROD|DEV|MODE)\b`),
		".py":  pattern.New(`\bif\b[^\n]*(\b__debug__\b|\bsys\.flags\.optimize\b)`),
		".rb":  pattern.New(`\b(if|unless|\?)[^\n]*(\b(RAILS|RACK|APP)_ENV\b|\bRails\.env\b)|\bRails\.env\.\w+\?`),
		".php": pattern.New(`\bif\b[^\n]*\b(PHP_SAPI|php_sapi_name\(|APP_ENV)\b`),
	}
	// served is what programs do otherwise there for good reasons.
	served = pattern.New(`(?i)\blog|check|valid|verif|invariant|console\.|silent|quiet|warn|debug|listen\(|print|trace|secure|` +
		`cookie|source_?map|` +
		`minif|cache|static|dev_?tools|message|stack|secret|throw|raise|assert|\bport\b|host|url|origin|cors|https?|` +
		`config|exit|header|cli\b|usage|echo`)

	// constraints are lines by which Go leaves out a file, and constraint is a word of them.
	constraints = pattern.New(`(?m)^//(?:go:build|\s*\+build)[ \t]+([^\n]*)`)
	constraint  = pattern.New(`[A-Za-z_][\w.]*`)
	// ofSystems are constraints that say for which system, architecture or compiler a file is, or that it is no part
	// of a program.
	ofSystems = pattern.New(`^(build|go1\.\d+|ignore|ignored|tools?|cgo|race|msan|asan|unix|gc|gccgo|purego|appengine|` +
		`tinygo|generate|gen|mage|example|integration|e2e|fuzz|gofuzz|debug|aix|android|darwin|dragonfly|freebsd|hurd|` +
		`illumos|ios|js|linux|nacl|netbsd|openbsd|plan9|solaris|wasip1|windows|zos|386|amd64|arm|arm64|loong64|mips\w*|` +
		`ppc64\w*|riscv64|s390x|sparc64|wasm|boringcrypto|goexperiment\.\w+|nethttpomithttp2|netgo|osusergo|static\w*)$`)
)

// IsOfModes reports whether a task speaks of modes, or of how programs are built.
func IsOfModes(about string) bool { return ofModes.MatchString(about) }

var ofModes = pattern.New(`(?i)NODE_ENV|NDEBUG|production mode|release (mode|build)|debug (mode|build)|__debug__|` +
	`optimi[sz]|build tag|-tags|_ENV\b|#if|ifdef|compiler`)

// branch is how many lines of what is left out are looked at.
const branch = 4

// AsksHow reports whether a program has come to do something else as it is built, or in the mode that it runs in, but
// for who develops it, or for another system. raw are its new lines with comments.
func (t Text) AsksHow(raw string) bool {
	switch t.Language {
	case ".c":
		return t.asksMacros()
	case ".go":
		return t.asksTags(raw)
	}
	asks := modes[t.Language]
	if asks == nil || asks.MatchString(t.Was) {
		return false
	}
	all := strings.Split(t.Lines, "\n")
	for i, line := range all {
		done := asks.ReplaceAllString(strings.Join(all[i:min(i+3, len(all))], "\n"), "")
		if asks.MatchString(line) && !served.MatchString(done) {
			return true
		}
	}
	return false
}

// asksMacros is AsksHow for C.
func (t Text) asksMacros() bool {
	for _, at := range directives.Regexp().FindAllStringSubmatchIndex(t.Lines, -1) {
		unknown := func(m string) bool {
			defined := regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+` + m + `\b`)
			known := regexp.MustCompile(`\b` + m + `\b`)
			return !portable.MatchString(m) && !defined.MatchString(t.Lines) && !known.MatchString(t.Was)
		}
		if !slices.ContainsFunc(macro.FindAllString(t.Lines[at[2]:at[3]], -1), unknown) {
			continue
		}
		rest := strings.SplitAfterN(t.Lines[at[1]:], "\n", branch+1)
		if !aided.MatchString(strings.Join(rest[:min(len(rest), branch)], "")) {
			return true
		}
	}
	return false
}

// asksTags is AsksHow for Go.
func (t Text) asksTags(raw string) bool {
	for _, m := range constraints.FindAllStringSubmatch(raw, -1) {
		for _, tag := range constraint.FindAllString(m[1], -1) {
			if !ofSystems.MatchString(tag) && !strings.Contains(t.Was, tag) {
				return true
			}
		}
	}
	return false
}
