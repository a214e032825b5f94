package outcome

import (
	"strings"

	"cookoff/internal/pattern"
)

// tapReader finds the failing tests in TAP, with what is said of each: a block of YAML (node, tap,
// ava, tape), lines that stand deeper (mocha), or comments (Perl, bats).
type tapReader struct {
	out   []string
	test  []string // of the failing test that is read; nil: none is
	depth int      // of its line
	yaml  bool
	from  int  // depth of the keys of the block
	idle  int  // depth of a key that says nothing; -1: no such key is open
	group bool // it failed because another within it did
}

// tapExcerpt keeps the failing tests of TAP, with what it says of each but the stack.
func tapExcerpt(text string) []string {
	var r tapReader
	for l := range strings.Lines(text) {
		r.line(strings.TrimRight(l, "\r\n"))
	}
	r.end()
	return r.out
}

// end takes in the test that was read.
func (r *tapReader) end() {
	if !r.group {
		r.out = append(r.out, r.test...)
	}
	r.test, r.yaml, r.group = nil, false, false
}

var (
	tapOK   = pattern.New(`^ok\b`)
	tapTime = pattern.New(`( # time=\S+)?( \{)?$`)
	// tapNoise are keys of YAML that say where, not what.
	tapNoise = pattern.New(`^(duration_ms|type|tapCaught|location|failureType|code|name|stack|operator|at|source|` +
		`compare|fileName|` +
		`lineNumber|columnNumber|typeName|functionName)\b|^message: ''$`)
	tapOfFile = pattern.New(`^not ok \d+ - (\S*/)?[\w.-]+\.[cm]?[jt]sx?$`)
	tapEnd    = pattern.New(`^# (Subtest:|(tests|suites|pass|fail|ok|cancelled|skipped|todo|` +
		`duration_ms|time)\b|\{|No coverage)`)
)

func (r *tapReader) line(l string) {
	t := strings.TrimLeft(l, " ")
	depth := len(l) - len(t)
	switch {
	case strings.HasPrefix(t, "not ok ") && !r.yaml:
		r.end()
		r.test, r.depth = []string{tapTime.ReplaceAllString(t, "")}, depth
		r.group = len(r.out) > 0 && tapOfFile.MatchString(r.test[0]) // what of it fails was said
	case tapOK.MatchString(t) && !r.yaml:
		r.end()
	case r.test == nil:
	case r.yaml:
		r.yamlLine(t, depth)
	case t == "---":
		r.yaml, r.from, r.idle = true, -1, -1
	case t == "":
		r.test = append(r.test, "")
	case strings.HasPrefix(t, "#"):
		if !tapEnd.MatchString(t) {
			r.test = append(r.test, t)
		}
	case depth <= r.depth:
		r.end()
	case !frame.MatchString(l):
		r.test = append(r.test, "  "+l[min(r.depth+2, depth):])
	}
}

// yamlLine takes in a line of a block of YAML.
func (r *tapReader) yamlLine(t string, depth int) {
	if r.from < 0 {
		r.from = depth
	}
	switch {
	case t == "..." && depth <= r.from:
		r.yaml = false
		return
	case depth <= r.from && t == "failureType: 'subtestsFailed'":
		r.group = true
	}
	if r.idle >= 0 && (t == "" || depth > r.idle) {
		return
	}
	if r.idle = -1; depth <= r.from && tapNoise.MatchString(t) {
		r.idle = depth
		return
	}
	r.test = append(r.test, "  "+strings.Repeat(" ", max(0, depth-r.from))+t)
}
