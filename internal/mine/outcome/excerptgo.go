package outcome

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var goFrame = pattern.New(`^(=== (RUN|PAUSE|CONT|NAME)|--- PASS|\s+--- PASS|PASS$|ok\s|\?\s|coverage:)`)

// goExcerpt keeps of each failing test that it fails, and then what it says, as go test shows it that is not asked for
// a record: there, what tests say comes before. Of a test that fails for its parts alone, these tell.
func goExcerpt(list []event, names []string) (out []string) {
	var tests []string
	said := map[string][]string{}
	for _, e := range list {
		name := e.Package + " " + e.Test
		if e.Test == "" || !slices.Contains(names, name) {
			continue
		}
		if said[name] == nil {
			tests, said[name] = append(tests, name), []string{}
		}
		for l := range strings.Lines(e.Output) {
			switch l = strings.TrimRight(l, "\n"); {
			case goFrame.MatchString(l):
			case goFails.MatchString(l):
				said[name] = slices.Insert(said[name], 0, strings.TrimSpace(l))
			default:
				said[name] = append(said[name], l)
			}
		}
	}
	for _, name := range tests {
		said[name] = withoutStacks(said[name])
		part := func(n string) bool { return strings.HasPrefix(n, name+"/") && len(said[n]) > 0 }
		if len(said[name]) > 1 || !slices.ContainsFunc(tests, part) {
			out = append(out, said[name]...)
		}
	}
	return out
}

var goFails = pattern.New(`^\s*--- FAIL: `)

var (
	goStack = pattern.New(`^goroutine \d+ .*\[.*\]:$`)
	// goCalled are lines of a stack of Go's: what is called, and where that stands.
	goCalled = pattern.New(`^(?:\S.*\(.*\)|created by \S.*|panic\(.*|\.\.\.\d+ frames elided\.\.\.)$|^\t\S+:\d+`)
	goPlace  = pattern.New(`^(\t/work/\S+:\d+)`)
)

// withoutStacks leaves of the stacks of Go's programs the places in the project: functions are called with addresses,
// and the others are of the runner.
func withoutStacks(list []string) (out []string) {
	within := false
	for _, l := range list {
		if goStack.MatchString(l) {
			within = true
			continue
		}
		if within = within && goCalled.MatchString(l); !within {
			out = append(out, l)
		} else if place := goPlace.FindString(l); place != "" {
			out = append(out, place)
		}
	}
	return out
}
