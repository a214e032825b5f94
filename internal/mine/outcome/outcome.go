// Package outcome reads what runs of tests showed: how they ended, which tests failed, and what of that a prompt shows.
package outcome

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/internal/diagnose"
	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
	"cookoff/verify/testrun"
)

// Outcome is what a run of tests showed.
type Outcome struct {
	*testrun.Outcome
	Took  time.Duration
	Hung  []string // of its failed tests: those that it was at when its time was over
	Full  bool     // these took all memory there is
	Other *Outcome // another run of the same state; nil: there was none
}

// cantBuild is what is said where tests can't be run at all; cantBuildGo, where go does not build them, which says so
// of each package: what else its tests print is theirs, as the name of TestSyntaxError.
var (
	cantBuildGo = pattern.New(`\[build failed\]|\[setup failed\]|"FailedBuild"|"Action":"build-fail"`)
	// Python's errors begin what is said: pytest shows sources around them, which may name what they catch.
	cantBuild = pattern.New(`(?m)^ERROR collecting |error during collection|errors during collection|cannot import name|` +
		`^(?:E? *|(?:FAILED|ERROR) \S.* - |\S+:\d+: |.*\bUncaught |\s*\w+: ['"]?)(?:\w+\.)*` +
		`(?:ModuleNotFoundError|ImportError|SyntaxError)(?:$|['"]|:| \[| while importing )|` +
		`Cannot find module|Failed to (?:load url|resolve import) |does not provide an export|error\[E\d+\]|could not compile|` +
		`COMPILATION ERROR|\bTS\d{4}: |undefined reference to|\.(?:c|h|cc|cpp|cxx|hpp):\d+(?::\d+)?: (?:fatal )?error: `)
)

// Unbuilt reports whether a run failed, in part, because something can't be built.
func (o *Outcome) Unbuilt() bool {
	if o.OK() {
		return false
	}
	said := func(by *pattern.Pattern) bool {
		return by.MatchString(string(o.Stdout)) || by.MatchString(string(o.Stderr))
	}
	return said(cantBuildGo) || o.Runner != "go test" && said(cantBuild)
}

// FewFailed reports whether a run failed for some of its tests alone, fewer than passed.
func (o *Outcome) FewFailed() bool {
	return o.Reason == "" && !o.Late() && len(o.Failed) > 0 && len(o.Failed) < len(o.Passed) && !o.Unbuilt()
}

// byKill is what is said where a program was ended from outside, or for want of memory.
var byKill = pattern.New(`(?m)(^|"Output":")signal: (killed|terminated)\b|` +
	`successfully: .*\(signal: (9|15), SIG|by another process: signal=SIG(KILL|TERM)|JavaScript heap out of memory|^fatal error: (runtime: )?(out of memory|cannot allocate memory)|` +
	`worker '?\w+'? crashed|^make.*: .* (Killed|Terminated)$`)

// noneChosen is what runners say that were told of tests that are not there, or to leave out all that are.
var noneChosen = pattern.New(`(?m)^\W*\d+ deselected\b|^No tests were found!!!|\bNo tests (?:were executed|matching pattern)`)

// NoneRan reports whether a run ended without a test, as its runner says: there is none, or none was chosen.
func (o *Outcome) NoneRan() bool {
	said := colors.ReplaceAllString(o.plain(), "")
	return len(o.Passed) == 0 && len(o.Failed) == 0 &&
		(diagnose.NoTests(o.OK(), said) || noneChosen.MatchString(said))
}

// Killed says how a run of tests was ended from outside; "": it was not. What failed then says nothing.
func (o *Outcome) Killed() string {
	switch {
	case o.OK(), len(o.Hung) > 0:
		return ""
	case o.Reason != "":
		return "its limit of " + o.Reason
	case o.Exit == 137 || o.Exit == 143: // SIGKILL, SIGTERM
		return fmt.Sprintf("exit status %d", o.Exit)
	}
	if m := byKill.FindString(o.plain()); m != "" {
		return strings.TrimSpace(m)
	}
	return ""
}

// KeyLine is the line that tells most of how a run ended.
func (o *Outcome) KeyLine() string {
	if o.Reason != "" {
		return "its limit of " + o.Reason
	}
	all := slices.DeleteFunc(strings.Split(colors.ReplaceAllString(o.plain(), ""), "\n"), tapPassed.MatchString)
	for _, l := range all {
		if l, is := strings.CutPrefix(l, "[ERROR] "); is && !mavenAside.MatchString(l) {
			return lines.Cut(strings.TrimSpace(l), 160)
		}
		if at := telling.FindStringIndex(l); at != nil {
			if strings.HasPrefix(l, "{") && len(l) > 160 { // a record in one line
				l = l[strings.LastIndex(l[:at[0]], `"`)+1:]
				l, _, _ = strings.Cut(l, `"`)
			}
			return lines.Cut(strings.TrimSpace(l), 160)
		}
	}
	for _, l := range all {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "not ok ") {
			return lines.Cut(l, 160)
		}
	}
	if m := rustError.FindStringSubmatch(strings.Join(all, "\n")); m != nil { // cargo's last line counts them
		return lines.Cut(m[1]+" ("+m[2]+")", 160)
	}
	for _, l := range slices.Backward(all) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "FAIL") && !tapCount.MatchString(l) &&
			!npmAside.MatchString(l) && !allWell.MatchString(l) {
			return lines.Cut(l, 160)
		}
	}
	return fmt.Sprintf("exit status %d", o.Exit)
}

// EvenSo says of a command that failed though its tests passed, so many, what it said.
func (o *Outcome) EvenSo(passed int) string {
	return fmt.Sprintf("its tests pass (%d), and the command fails even so (it says: %s)", passed, o.KeyLine())
}

// goUnbuilt are errors of go's compiler: where, and what.
var goUnbuilt = pattern.New(`(?m)^(?:vet: )?(?:\./)?(\S+\.go):\d+:\d+: (.*)$`)

// goUndefined are those that name what is not there.
var goUndefined = pattern.New(`^undefined: (\S+)$|^\S+\.(\S+) undefined|^unknown field (\S+)`)

// TestsUnbuilt reports whether, of what go can't build, some is tests, or it does not say what.
func (o *Outcome) TestsUnbuilt() bool {
	all := goUnbuilt.FindAllStringSubmatch(o.plain(), -1)
	return len(all) == 0 || slices.ContainsFunc(all, func(m []string) bool { return strings.HasSuffix(m[1], "_test.go") })
}

// NewNames says which names tests need that are not there, and in which files; where that is not known, what the run
// said. One of them keeps all tests of its package of Go's from being built.
func (o *Outcome) NewNames() string {
	var files []string
	names := map[string][]string{}
	for _, m := range goUnbuilt.FindAllStringSubmatch(o.plain(), -1) {
		is := goUndefined.FindStringSubmatch(m[2])
		if is == nil || !strings.HasSuffix(m[1], "_test.go") {
			continue
		}
		if names[m[1]] == nil {
			files = append(files, m[1])
		}
		if name := is[1] + is[2] + is[3]; !slices.Contains(names[m[1]], name) {
			names[m[1]] = append(names[m[1]], name)
		}
	}
	if len(files) == 0 {
		return o.KeyLine()
	}
	for i, f := range files {
		files[i] = strings.Join(names[f], ", ") + " in " + f
	}
	return strings.Join(files, "; ")
}

// lacking are names that are said not to be there, by runners of tests and compilers.
var lacking = pattern.New(`cannot import name '(\w+)'|does not provide an export named '([\w$]+)'|` +
	"error\\[E04(?:25|32|33|12)\\].*[`:](\\w+)`|error\\[E0(?:599|609|560)\\]: .*named `(\\w+)`|no `(\\w+)` in `" +
	`|ModuleNotFoundError: No module named '(?:[\w.]+\.)?(\w+)'|Cannot find module '[^']*?([\w-]+)(?:\.\w+)?'` +
	`|Failed to (?:load url|resolve import) "?[^\s"]*?([\w-]+)(?:\.\w+)?"?[\s"]` +
	`|\bTS\d{4}: .*(?:no exported member(?: named)?|Property|Cannot find name|known properties, and) '([\w$]+)'` +
	// Of a call that does not fit, Rust shows where what is called is defined.
	`|defined here\n\s+-->.*\n\s+\|\n\s*\d+\s*\|.*?\bfn (\w+)`)

// goMiscalled are errors of go's compiler that name what is there otherwise than tests have it, or a package that is
// not there.
var goMiscalled = pattern.New(`arguments in call to (?:\w+\.)*(\w+)$|in argument to (?:\w+\.)*(\w+)|` +
	`^assignment mismatch: .* but (?:\w+\.)*(\w+)\b.* returns? |missing method (\w+)|` +
	`package (?:\S+/)?([\w-]+) is not in std|no required module provides package (?:\S+/)?([\w-]+)`)

// Lacks gives the names that tests which can't be built say are not there, or are otherwise; none: they don't say.
func (o *Outcome) Lacks() (names []string) {
	add := func(groups []string) {
		for _, name := range groups {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if o.Runner == "go test" {
		for _, m := range goUnbuilt.FindAllStringSubmatch(o.plain(), -1) {
			if is := goUndefined.FindStringSubmatch(m[2]); is != nil {
				for i, name := range is {
					is[i] = name[strings.LastIndex(name, ".")+1:]
				}
				add(is[1:])
			} else if is := goMiscalled.FindStringSubmatch(m[2]); is != nil {
				add(is[1:])
			}
		}
		return names
	}
	for _, m := range lacking.FindAllStringSubmatch(o.plain(), -1) {
		add(m[1:])
	}
	return names
}

// npmAside are lines with which npm ends, that say where to read on, or what it was doing.
var npmAside = pattern.New(`^npm (error|ERR!)( (code|errno|syscall|path|command|workspace|location) .*| A complete log .*|\s*)$`)

var (
	colors = pattern.New(`\x1b\[[0-9;]*m`) // what programs colour their text with, also where nobody sees colours
	// mavenAside are lines of Maven's that say no more than that something is wrong.
	mavenAside = pattern.New(`^\s*$|^COMPILATION ERROR|^(Failures|Errors): *$|^Tests run:|^-> \[Help`)
)

// rustError is an error of Rust's compiler that has no number, and where it is.
var rustError = pattern.New(`(?m)^error: (.*)\n +--> (\S+)`)

var telling = pattern.New(`undefined:|\bNo matching distribution found for |[Cc]annot |Failed to (?:load url|resolve import) |\bTS\d{4}: |has no field|unknown field|not enough arguments|too many arguments|Error:|no required module|not found|E\d{4}` +
	`|\.(?:c|h|cc|cpp|cxx|hpp|java):\d+(?::\d+)?: (?:fatal )?error: |undefined reference to`)

// tapPassed are lines of tests that passed, or begin, whatever words their names hold.
var tapPassed = pattern.New(`^\s*ok( \d+| -|$)|^\s*--- (PASS|SKIP): |^=== `)

// allWell are lines of runners whose tests pass: what fails beside them is said elsewhere.
var allWell = pattern.New(`^-+$|^[.s]+$|^Ran \d+ tests? in [\d.]+s$|^OK(?: \(.*\))?$|^=+ \d+ passed\b.* =+$|^# ok$`)

// tapCount are lines with which TAP begins, and ends.
var tapCount = pattern.New(`^TAP version \d+$|` +
	`^# (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$|^1\.\.\d+$|^\.\.\.$`)

// Of gives what a run of tests showed of which nothing else is known: neither how long it took, nor another run.
func Of(o *testrun.Outcome) *Outcome { return &Outcome{Outcome: o} }
