// Package printed shows what commands printed, and how they ended.
package printed

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cookoff/internal/pattern"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
)

// MaxTail bounds the output that is kept as evidence, in bytes.
const MaxTail = 2 << 10

// Tail gives the end of an output, all of it visible: what a checked program
// printed must control neither a terminal nor a report, and is evidence.
func Tail(out []byte) string {
	cut := len(out) > 2*MaxTail
	if cut {
		out = out[len(out)-2*MaxTail:]
		for len(out) > 0 && !utf8.RuneStart(out[0]) {
			out = out[1:]
		}
	}
	s := strings.TrimSpace(text.Lines(string(out)))
	if len(s) > MaxTail {
		s, cut = s[len(s)-MaxTail:], true
		for s != "" && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
	}
	if cut {
		return "…" + s
	}
	return s
}

// shownLines is how many of the last lines of a stream are evidence.
const shownLines = 20

// LastLines gives the last of the lines of a text.
func LastLines(s string) string {
	lines := strings.Split(s, "\n")
	if len(lines) <= shownLines {
		return s
	}
	return "…\n" + strings.Join(lines[len(lines)-shownLines:], "\n")
}

// Ended says how a command ended, with the last of what it printed.
func Ended(res sandbox.Result) string {
	s := fmt.Sprintf("exit status %d", res.Exit)
	switch {
	case res.Reason != "":
		s = "stopped: " + res.Reason
	case res.Signal != "":
		s = "killed by " + res.Signal
	case res.OK():
		s = "exit status 0"
	}
	for _, out := range [][]byte{res.Stderr, res.Stdout} {
		if line := lastLine(out); line != "" {
			return s + ": " + strings.ReplaceAll(strings.TrimSpace(line), "\t", " ")
		}
	}
	return s
}

// colors are what programs colour their text with, also where nobody sees colours.
var colors = pattern.New(`\x1b\[[0-9;]*m`)

// mavenError begins the lines with which Maven ends: the first of them says what is wrong, and the
// others where to read on.
const mavenError = "[ERROR] "

// npmError begins the lines with which npm ends; npmAside are those of them that don't say what is wrong.
var (
	npmError = pattern.New(`^npm (error|ERR!)( |$)`)
	npmGit   = pattern.New(`^npm (error|ERR!) fatal: `) // what git says of a package that it should get
	npmAside = pattern.New(`^npm (error|ERR!)( (code|errno|syscall|path|command|workspace|location) .*|` +
		` A complete log .*|\s+/.*|\s*)$`)
)

// pipAside are lines with which pip ends, that say where to read on, or that there is a newer one; pipError are those
// that say what is wrong.
var (
	pipAside = pattern.New(`^\s*(hint: See above|note: This (error|is)|\[notice\] |\[end of output\])`)
	pipError = pattern.New(`^\s*(ERROR: |\w+Error: )`)
	pipLacks = pattern.New(`^\s*ERROR: No matching distribution found for `)
)

// tapEnd are lines with which TAP ends, that count its tests; tapFailed are those of a test that failed.
var (
	tapEnd    = pattern.New(`^\s*(1\.\.\d+|# \w+ [\d.]+)\s*$`)
	tapFailed = pattern.New(`^\s*not ok\b`)
	tapTodo   = pattern.New(`(?i)# *(todo|skip)\b`)
)

// lastLine gives the line of an output that says best how it ended, without its colours; "": none says anything.
func lastLine(out []byte) string {
	plain := Tail([]byte(colors.ReplaceAllString(string(out), "")))
	lines := slices.DeleteFunc(strings.Split(plain, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	if len(lines) == 0 {
		return ""
	}
	last := lines[len(lines)-1]
	failed := func(l string) bool { return tapFailed.MatchString(l) && !tapTodo.MatchString(l) }
	if at := slices.IndexFunc(lines, failed); at >= 0 && tapEnd.MatchString(last) {
		return lines[at]
	}
	if pipAside.MatchString(last) {
		for _, is := range []func(string) bool{pipLacks.MatchString, pipError.MatchString,
			func(l string) bool { return !pipAside.MatchString(l) }} {
			for _, l := range slices.Backward(lines) {
				if is(l) {
					return l
				}
			}
		}
	}
	says := func(l string) bool { return npmError.MatchString(l) && !npmAside.MatchString(l) }
	if at := slices.IndexFunc(lines, says); at >= 0 && npmError.MatchString(last) {
		if git := slices.IndexFunc(lines, npmGit.MatchString); git >= 0 {
			at = git
		}
		return lines[at]
	}
	if !strings.HasPrefix(last+" ", mavenError) {
		return last
	}
	return lines[slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l+" ", mavenError) })]
}
