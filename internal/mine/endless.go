package mine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/internal/pattern"
)

// A fault may keep a test from ever ending, or have it take memory until there is none. Tests that a run was at when
// its time was over, or its memory, and that pass with the fix, are tests that fail: their check has a time limit,
// which rejects what hangs, and what is ended for its memory does not hold.

// mostPatience is what a check of tests that never end without the fix waits at most.
const mostPatience = 2 * time.Minute

// goLate is how Go says that a run took longer than its own limit.
var goLate = pattern.New(`(?m)^panic: test timed out after`)

// late reports whether a run of tests did not end in time, by its limit or by that of its runner.
func (o *outcome) late() bool {
	return o.Reason == "timeout" || !o.OK() && o.Runner == "go test" && goLate.MatchString(o.plain())
}

// noMemory is how Node and Go say that there is no memory left for them.
var noMemory = pattern.New(`(?m)JavaScript heap out of memory|` +
	`^fatal error: (runtime: )?(out of memory|cannot allocate memory)`)

// grown reports whether a run of tests was ended for the memory that it took.
func (o *outcome) grown() bool {
	return o.Reason == "memory" || !o.OK() && noMemory.MatchString(o.plain())
}

// breaks runs the tests of a state that may be broken. Those that it was at when its time was over, or when it ended
// itself, as a program does that throws, have failed; where the runner does not say as it goes, one that did not end is
// run again so that it does.
func (a *attempt) breaks(ctx context.Context) (*outcome, error) {
	run := a.world.test
	if a.hung {
		run = a.world.goes
	}
	out, err := run(ctx, a.command, a.most())
	if err == nil && !a.hung && (out.Reason == "timeout" || out.grown()) && len(out.Begun) == 0 {
		out, err = a.world.goes(ctx, a.command, a.most())
	}
	if err != nil || out.OK() || len(out.Begun) == 0 {
		return out, err
	}
	if !out.late() && !out.grown() {
		out.fail(out.Begun)
		return out, nil
	}
	if a.took > mostPatience/2 {
		return nil, refuse(Endless, fmt.Sprintf("without the fix; with it they take %s", a.took.Round(time.Second)))
	}
	a.hung, out.hung, out.full = true, out.Begun, out.grown()
	out.fail(out.Begun)
	return out, nil
}

// fail has tests failed, whatever else is said of them.
func (o *outcome) fail(names []string) {
	o.Failed = slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.Failed, names))))
	o.Passed = slices.DeleteFunc(o.Passed, func(n string) bool { return slices.Contains(names, n) })
}

// patience is the time limit of a check whose tests may never end, by how long they take with the fix.
func (a *attempt) patience(took time.Duration) time.Duration {
	return min(mostPatience, a.Limit(), max(leastTime, slowness*took)).Round(time.Second)
}

// failing is a test that fails without the fix, as a prompt names it.
type failing struct {
	name    string
	stopped time.Duration // it never ends: when it was stopped; 0: it ends
	full    bool          // it takes all memory there is
}

// how says what it does; by says so of one that ends.
func (f failing) how(by string) string {
	switch {
	case f.full:
		return "takes all memory there is, and is ended for that"
	case f.stopped > 0:
		return fmt.Sprintf("does not end, and is stopped after %s", f.stopped)
	}
	return by
}

// fails are the tests that only the fix makes pass, as a prompt names them: of tests that hold others which fail,
// these.
func (a *attempt) fails() (out []failing) {
	for _, n := range leaves(a.broken) {
		f := failing{name: n}
		if slices.Contains(a.failing.hung, n) {
			f.stopped, f.full = a.patience(a.took), a.failing.full
		}
		out = append(out, f)
	}
	return out
}

// leaves leaves out of names those that stand, with " > ", in front of another of them.
func leaves(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return slices.ContainsFunc(names, func(other string) bool { return strings.HasPrefix(other, n+" > ") })
	})
}
