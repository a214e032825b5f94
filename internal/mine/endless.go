package mine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/internal/mine/outcome"
	"cookoff/internal/mine/prompt"
	"cookoff/internal/mine/refusal"
)

// A fault may keep a test from ever ending, or have it take memory until there is none. Tests that a run was at when
// its time was over, or its memory, and that pass with the fix, are tests that fail: their check has a time limit,
// which rejects what hangs, and what is ended for its memory does not hold.

// mostPatience is what a check of tests that never end without the fix waits at most.
const mostPatience = 2 * time.Minute

// breaks runs the tests of a state that may be broken. Those that it was at when its time was over, or when it ended
// itself, as a program does that throws, have failed; where the runner does not say as it goes, one that did not end is
// run again so that it does.
func (a *attempt) breaks(ctx context.Context) (*outcome.Outcome, error) {
	run := a.world.test
	if a.hung {
		run = a.world.goes
	}
	out, err := run(ctx, a.command, a.most())
	if err == nil && !a.hung && (out.Reason == "timeout" || out.Grown()) && len(out.Unfinished) == 0 {
		out, err = a.world.goes(ctx, a.command, a.most())
	}
	if err == nil && len(a.unbuilt) > 0 && out.Unbuilt() {
		out.Fail(a.unbuilt)
	}
	if err != nil || out.OK() || len(out.Unfinished) == 0 {
		return out, err
	}
	if !out.Late() && !out.Grown() {
		out.Fail(out.Unfinished)
		return out, nil
	}
	if a.took > mostPatience/2 {
		return nil, refusal.New(refusal.Endless,
			fmt.Sprintf("without the fix; with it they take %s", a.took.Round(time.Second)))
	}
	a.hung, out.Hung, out.Full = true, out.Unfinished, out.Grown()
	out.Fail(out.Unfinished)
	return out, nil
}

// patience is the time limit of a check whose tests may never end, by how long they take with the fix.
func (a *attempt) patience(took time.Duration) time.Duration {
	return min(mostPatience, a.Limit(), max(leastTime, slowness*took)).Round(time.Second)
}

// fails are the tests that only the fix makes pass, as a prompt names them: of tests that hold others which fail,
// these.
func (a *attempt) fails() (out []prompt.Failing) {
	for _, n := range leaves(a.broken) {
		f := prompt.Failing{Name: n}
		if slices.Contains(a.failing.Hung, n) {
			f.Stopped, f.Full = a.patience(a.took), a.failing.Full
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
