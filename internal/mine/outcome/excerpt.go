package outcome

import (
	"encoding/json"
	"slices"
	"strings"

	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
	"cookoff/verify/testrun"
)

// mostOutput is how many lines of failing output a prompt shows.
const mostOutput = 40

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// goEvents reads the events of a run; none where it is no record of Go's.
func goEvents(text string) (list []event) {
	for line := range strings.Lines(text) {
		var e event
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
			list = append(list, e)
		}
	}
	return list
}

// plain is what a run printed, as who runs it by hand sees it.
func (o *Outcome) plain() string {
	out, err := string(o.Stdout), string(o.Stderr)
	if list := goEvents(out); len(list) > 0 {
		var b strings.Builder
		for _, e := range list {
			b.WriteString(e.Output)
		}
		out = b.String()
	}
	return out + "\n" + err
}

// Excerpt gives what failing tests printed, without what differs from run to run, and without lines of
// the fix, where code is what that adds.
func (o *Outcome) Excerpt(names []string, code *lines.Code) string {
	same := map[string]bool{}
	if o.Other != nil {
		for _, l := range o.Other.told(names) {
			same[strings.TrimSpace(l)] = true
		}
	}
	var kept []string
	for _, l := range o.told(names) {
		if measured.MatchString(l) || covered.MatchString(l) || len(l) > mostMark && marker.MatchString(l) {
			continue
		}
		if l = strings.TrimRight(scrub(l, same[strings.TrimSpace(l)]), " \t\r"); code.Line(l) {
			l = "…"
		}
		if l == "" && (len(kept) == 0 || kept[len(kept)-1] == "") {
			continue
		}
		kept = append(kept, lines.Cut(l, 300))
	}
	if len(kept) > mostOutput {
		kept = append(kept[:mostOutput], "…")
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// measured is a line of code as nyc and jest run it where they measure what is run; marker, one of blanks and signs
// that points into the line above it, of which mostMark is where that is no line that somebody wrote.
var (
	measured = pattern.New(`\bcov_\w+(\(\))?\.[sfb]\[\d+\]`)
	marker   = pattern.New(`^[\s^~]*$`)
	// covered are lines in which nyc and c8 say how much of the code was run.
	covered = pattern.New(`^=+ Coverage summary =+$|^={80}$|^(Statements|Branches|Functions|Lines) +: [\d.]+% \(|` +
		`^-+\|(-+\|){3,}|^File +\| +% Stmts|^[^|]+\|( *[\d.]+ \|){4}`)
)

const mostMark = 300

// told are the lines of a run that say something of its failing tests.
func (o *Outcome) told(names []string) []string {
	list := o.ofRunner(names)
	if len(list) == 0 && len(o.Hung) == 0 { // what a run prints that is stopped says which tests there are
		list = slices.DeleteFunc(strings.Split(o.plain(), "\n"), passing.MatchString)
	}
	return list
}

// passing are lines that say of a test that it passed.
var passing = pattern.New(`^\s*(ok \d+\b|[✓✔√]|--- PASS|PASS(ED)?\b|test \S+ \.\.\. ok$)`)

// ofRunner gives what a runner that is known says of failing tests; none: nothing that can be told
// from the rest.
func (o *Outcome) ofRunner(names []string) (list []string) {
	for _, part := range o.Parts {
		if len(part.Failed)+len(part.Unfinished) > 0 {
			list = append(list, (&Outcome{Outcome: part}).ofRunner(names)...)
		}
	}
	if len(o.Parts) > 0 {
		return list
	}
	out, err := string(o.Stdout), string(o.Stderr)
	if o.Runner == "ctest" {
		if list = ctestExcerpt(out, o.Why, names); len(list) > 0 {
			return list
		}
	}
	if len(o.Why) > 0 {
		return whyExcerpt(o.Why, names)
	}
	switch o.Runner {
	case "go test":
		return goExcerpt(goEvents(out), names)
	case "pytest":
		return pytestExcerpt(out, names)
	case "unittest", testrun.Django:
		return unittestExcerpt(o.plain(), names)
	case "cargo test":
		return cargoExcerpt(out, names)
	case "node --test", "mocha", "ava", "tap":
		return tapExcerpt(out)
	case testrun.Ruby:
		return rubyExcerpt(out, names)
	case "TAP", "prove": // what a test says of itself goes to the other stream
		list := tapExcerpt(out)
		if len(list) == 0 && len(o.Unfinished) > 0 {
			list = o.fromTitle(o.Unfinished[len(o.Unfinished)-1])
		}
		if len(list) > 0 && strings.TrimSpace(err) != "" {
			list = append(list, slices.DeleteFunc(strings.Split(err, "\n"), frame.MatchString)...)
		}
		return list
	}
	return nil
}

// fromTitle gives what a program printed from the title on of the test in which it ended; none: it printed no such
// title.
func (o *Outcome) fromTitle(name string) []string {
	all := strings.Split(string(o.Stdout), "\n")
	for at := len(all) - 1; at >= 0; at-- {
		if strings.TrimRight(all[at], " \t\r") == "# "+name {
			return slices.DeleteFunc(all[at:], func(l string) bool { return frame.MatchString(l) || passing.MatchString(l) })
		}
	}
	return nil
}

// frame is a line of a stack, as JavaScript and Java print it.
var frame = pattern.New(`^\s+at \S.*[)\d>]$|^\s+\.\.\. \d+ more$`)

// whyExcerpt gives what the record of a run says of failing tests.
func whyExcerpt(why map[string]string, names []string) (out []string) {
	for _, n := range names {
		if why[n] == "" {
			continue
		}
		out = append(append(out, n), printedBy(strings.TrimSpace(why[n]))...)
	}
	return out
}

// cargoExcerpt keeps of each failing test what stands below its name.
func cargoExcerpt(text string, names []string) (out []string) {
	within := false
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		name, begins := strings.CutPrefix(l, "---- ")
		switch name, isOut := strings.CutSuffix(name, " stdout ----"); {
		case begins && isOut:
			if within = slices.Contains(names, name); within {
				out = append(out, l)
			}
		case l == "failures:" || l == "successes:" || strings.HasPrefix(l, "test result: "):
			within = false
		case within && l != "" && !strings.HasPrefix(l, "note: run with `RUST_BACKTRACE"):
			out = append(out, l)
		}
	}
	return out
}

// pytestExcerpt keeps of each failure the name and the lines that say what differs:
// the source of a test that is not shown is no part of it, nor is what others print.
func pytestExcerpt(text string, names []string) (out []string) {
	others := func(head string) bool {
		return !strings.HasPrefix(head, "ERROR ") && len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool {
			_, n, _ = strings.Cut(n, "::")
			return strings.ReplaceAll(n, "::", ".") == head
		})
	}
	within := false
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\n")
		switch {
		case strings.HasPrefix(l, "____"):
			head := strings.Trim(l, "_ ")
			if within = !others(head); within {
				out = append(out, head)
			}
		case strings.HasPrefix(l, "===="):
			within = false
		case within && strings.HasPrefix(l, "E "):
			out = append(out, l)
		}
	}
	if len(out) == 0 { // it was told to print less
		for l := range strings.Lines(text) {
			l = strings.TrimRight(l, "\n")
			if pytestFailed.MatchString(l) {
				out = append(out, l)
			}
		}
	}
	return out
}

var pytestFailed = pattern.New(`^(FAILED|ERROR) `)

var unittestRule = pattern.New(`^(={20,}|-{20,})$`)

// unittestHead begins what unittest prints of a failing test.
var unittestHead = pattern.New(`^(?:ERROR|FAIL): (\w+) \((\S+)\)`)

// unittestExcerpt keeps what stands between the dots and the count, of these tests and of what is no test: where none
// of it is, of all.
func unittestExcerpt(text string, names []string) (out []string) {
	var all []string
	within, ours := false, true
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\n")
		switch {
		case strings.HasPrefix(l, "===="):
			within, ours = true, true
		case strings.HasPrefix(l, "Ran "):
			within = false
		case within && !unittestRule.MatchString(l):
			if m := unittestHead.FindStringSubmatch(l); m != nil {
				ours = len(names) == 0 || !strings.HasPrefix(m[1], "test") || strings.Contains(m[2], "_FailedTest") ||
					slices.Contains(names, strings.TrimSuffix(m[2], "."+m[1])+"."+m[1])
			}
			if all = append(all, l); ours {
				out = append(out, l)
			}
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// what differs from run to run, and what tells of this machine. What is steady stands in a line that
// another run printed alike: a time or an address there is what a test has of it.
var scrubs = []struct {
	what   *pattern.Pattern
	by     string
	steady bool
}{
	{pattern.New(`/work/`), "", false},
	{pattern.New(`/home/agent\b`), "~", false},
	{pattern.New(`/tmp/[^\s"':,)]+`), "/tmp/…", false},
	{pattern.New(`\b0x[0-9a-f]{9,16}\b`), "0x…", false},
	{pattern.New(`\b0x[0-9a-f]{6,8}\b`), "0x…", true},
	{pattern.New(`\(\d+\.\d+s\)`), "", false},
	{pattern.New(`\bin \d+\.\d+s\b`), "", true},
	{pattern.New(`\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d([.,]\d+)?(Z\b|[+-]\d\d:?\d\d\b)?`), "…", true},
	{pattern.New(`\b\d+(\.\d+)? ?(ms|µs|ns)\b`), "…", true},
	{pattern.New(`\(\d+\) panicked at\b`), "panicked at", false},
	{pattern.New(`goroutine \d+`), "goroutine …", false},
	{pattern.New(`127\.0\.0\.1:\d{4,5}`), "127.0.0.1:…", true},
}

// scrub takes out of a line what would make the prompt another each time; same: another run printed the line alike.
func scrub(l string, same bool) string {
	l = lines.Visible(l)
	for _, s := range scrubs {
		if !s.steady || !same {
			l = s.what.ReplaceAllString(l, s.by)
		}
	}
	return l
}
