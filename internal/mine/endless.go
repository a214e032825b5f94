package mine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/internal/pattern"
)

// A fault may keep a test from ever ending. Tests that a run was at when its time was over, and
// that pass with the fix, are tests that fail: their check has a time limit, which rejects what hangs.

// mostPatience is what a check of tests that never end without the fix waits at most.
const mostPatience = 2 * time.Minute

// goLate is how Go says that a run took longer than its own limit.
var goLate = pattern.New(`(?m)^panic: test timed out after`)

// late reports whether a run of tests did not end in time, by its limit or by that of its runner.
func (o *outcome) late() bool {
	return o.Reason == "timeout" || !o.OK() && o.Runner == "go test" && goLate.MatchString(o.plain())
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
	if err == nil && !a.hung && out.Reason == "timeout" && len(out.Begun) == 0 {
		out, err = a.world.goes(ctx, a.command, a.most())
	}
	if err != nil || out.OK() || len(out.Begun) == 0 {
		return out, err
	}
	if !out.late() {
		out.fail(out.Begun)
		return out, nil
	}
	if a.took > mostPatience/2 {
		return nil, refuse(Endless, fmt.Sprintf("without the fix; with it they take %s", a.took.Round(time.Second)))
	}
	a.hung, out.hung = true, out.Begun
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
}

// how says what it does; by says so of one that ends.
func (f failing) how(by string) string {
	if f.stopped > 0 {
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
			f.stopped = a.patience(a.took)
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
