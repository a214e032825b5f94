package verify_test

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/verify"
	"cookoff/verify/verdict"
	"cookoff/verify/verifytest"
	"cookoff/verify/witness"
)

// processor is the time that this process and those it waited for took of the
// processor.
func processor(tb testing.TB) (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			tb.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// tool is a task with three checks: programs that print, programs that are
// compared, files that are kept.
func tool() recipe.Task {
	return recipe.Task{Title: "tool",
		Setup: `mkdir bin lib; printf '#!/bin/sh\necho tool 1.0.0\n' > lib/v1; sed s/1.0/2.0/ lib/v1 > lib/v2
		chmod +x lib/v*; ln -s ../lib/v1 bin/tool; echo keep > notes`,
		Solution: "ln -sf ../lib/v2 bin/tool", Protect: []string{"lib/**"},
		Guard:  []recipe.Check{{Script: "grep -qx keep notes"}},
		After:  verifytest.One("cmp -s bin/tool lib/v2 && bin/tool | grep -q 2.0.0"),
		Verify: []recipe.VerifyBlock{{Command: "bin/tool", Pattern: "tool {version}", Version: "2.0.0"}}}
}

// tried is what trying a task takes.
type tried struct {
	took   time.Duration // of the processor
	worlds int64
}

// try stages a task, mends it, and has it judged.
func try(tb testing.TB, c *verify.Case, open verify.Opening, judged bool) tried {
	tb.Helper()
	ctx, began := tb.Context(), processor(tb)
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	var worlds atomic.Int64
	counted := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		worlds.Add(1)
		return open(ctx, st, p)
	}
	w, err := counted(ctx, nil, sandbox.Agent)
	must(err)
	s, err := c.Stage(ctx, w)
	must(err)
	_, err = w.Exec(ctx, sandbox.Cmd{Script: c.Solutions[0]})
	must(err)
	sc, _, err := c.End(ctx, w, s, counted)
	must(err)
	if judged {
		j, err := c.Judge(ctx, sc, s, verify.Loop{})
		must(err)
		if v := verdict.FirstNotHeld(j.Verdicts); v != nil {
			tb.Fatal(verdict.Sentence(v))
		}
	}
	must(w.Close())
	must(sc.State.Release())
	return tried{processor(tb) - began, worlds.Load()}
}

func judge(tb testing.TB, open verify.Opening, without func(*witness.Bench)) *verify.Case {
	tb.Helper()
	c, err := verify.NewCase(&recipe.Recipe{}, tool())
	if err == nil {
		err = c.Trace(tb.Context(), open) // as admission does
	}
	if err != nil {
		tb.Fatal(err)
	}
	verify.Without(c, without)
	return c
}

func refereeAlone(b *witness.Bench) { b.User, b.Stranger = nil, nil }

// BenchmarkWitnesses says what three witnesses take of the processor for three
// checks, beside what the referee alone takes.
func BenchmarkWitnesses(b *testing.B) {
	open := verifytest.Kernel(b)
	one, three := judge(b, open, refereeAlone), judge(b, open, nil)
	var none, alone, all time.Duration
	for b.Loop() {
		none += try(b, three, open, false).took
		alone += try(b, one, open, true).took
		all += try(b, three, open, true).took
	}
	b.ReportMetric(float64((alone-none).Milliseconds())/float64(b.N), "ms-one-witness")
	b.ReportMetric(float64((all-none).Milliseconds())/float64(b.N), "ms-three-witnesses")
	b.ReportMetric(float64(all-none)/float64(alone-none), "ratio")
}

// Two more witnesses take one more world, whatever the number of checks.
func TestNativeWorldsOfWitnesses(t *testing.T) {
	open := verifytest.Kernel(t)
	alone, all := try(t, judge(t, open, refereeAlone), open, true), try(t, judge(t, open, nil), open, true)
	if alone.worlds != 4 || all.worlds != 5 {
		t.Errorf("%d worlds for the referee alone, %d for all", alone.worlds, all.worlds)
	}
}
