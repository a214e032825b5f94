package plant

import (
	"slices"
	"testing"
	"time"

	"cookoff/verify/testrun"
)

// A fault that keeps a test from ending is no task: it may not cost ten runs of a suite.
func TestLimit(t *testing.T) {
	for _, c := range []struct{ took, timeout, want time.Duration }{
		{time.Second, 5 * time.Minute, 10 * time.Second},
		{18 * time.Second, 5 * time.Minute, 54 * time.Second},
		{18 * time.Second, 30 * time.Second, 30 * time.Second},
	} {
		if got := (Options{Timeout: c.timeout}).limit(c.took); got != c.want {
			t.Errorf("tests that take %s, of at most %s: %s, want %s", c.took, c.timeout, got, c.want)
		}
	}
}

// Of each fault is said what became of it.
func TestSince(t *testing.T) {
	before := Tried{Planted: 3, Killed: 1, Survived: 1, Unbuilt: 1}
	for want, now := range map[string]Tried{
		"survived":   {Planted: 4, Killed: 1, Survived: 2, Unbuilt: 1},
		"noticed":    {Planted: 4, Killed: 2, Survived: 1, Unbuilt: 1},
		"unbuilt":    {Planted: 4, Killed: 1, Survived: 1, Unbuilt: 2},
		"endless":    {Planted: 4, Killed: 1, Survived: 1, Unbuilt: 1, Endless: 1},
		"everywhere": {Planted: 4, Killed: 1, Survived: 1, Unbuilt: 1, Many: 1},
		"differing":  {Planted: 4, Killed: 1, Survived: 1, Unbuilt: 1, Differ: 1},
	} {
		if got := now.since(before); got != want {
			t.Errorf("%+v: %s, want %s", now, got, want)
		}
	}
}

// TestAlike: three runs with the same faults fail alike, also those of several faults, of which no run was known.
func TestAlike(t *testing.T) {
	red := func(names ...string) *testrun.Outcome { return &testrun.Outcome{Failed: names} }
	for _, c := range []struct {
		known *testrun.Outcome
		runs  []*testrun.Outcome
		asked int
		want  bool
	}{
		{red("a"), []*testrun.Outcome{red("a"), red("a")}, 2, true},
		{red("a"), []*testrun.Outcome{red("b")}, 1, false},
		{red("a"), []*testrun.Outcome{red("a"), nil}, 2, false},
		{nil, []*testrun.Outcome{red("a", "b"), red("a", "b"), red("a", "b")}, 3, true},
		{nil, []*testrun.Outcome{red("a", "b"), red("a")}, 2, false},
		{nil, []*testrun.Outcome{red("a", "b"), red("a", "b"), red("b")}, 3, false},
		{nil, []*testrun.Outcome{nil}, 1, false},
	} {
		asked := 0
		first, last, err := alike(c.known, func() (*testrun.Outcome, error) {
			asked++
			return c.runs[asked-1], nil
		})
		if err != nil || (last != nil) != c.want || asked != c.asked {
			t.Errorf("%+v: %v after %d runs, %v", c, last, asked, err)
		}
		if c.want && (first == last || !slices.Equal(first.Failed, last.Failed)) {
			t.Errorf("%+v: the first run is not the first: %v, %v", c, first, last)
		}
	}
}
