package played_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"cookoff/internal/daily"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verdict"
)

// TestBenchIsSteady stages, mends and judges every task of builtin:bench many times, eight
// at once, and demands that all checks hold each time: COOKOFF_STEADY=50 in a nightly job,
// COOKOFF_BENCH_TASKS for those whose title matches. -v says how long each takes.
func TestBenchIsSteady(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("COOKOFF_STEADY"))
	if err != nil {
		t.Skip("COOKOFF_STEADY=N says how often")
	}
	w, r := newWorld(t), builtinRecipe(t, "bench")
	only, places := regexp.MustCompile(os.Getenv("COOKOFF_BENCH_TASKS")), make(chan bool, 8)
	for _, task := range r.Drawn().Tasks {
		if !only.MatchString(task.Title) {
			continue
		}
		t.Run(slug(task.Title), func(t *testing.T) {
			t.Parallel()
			c := admittedCase(t, w, r, task)
			a := &verify.Admission{Case: c, Open: w.open(task)}
			times := make([]time.Duration, n)
			for i := range times {
				places <- true
				began := time.Now()
				why, err := mendedOnce(t.Context(), a, task)
				times[i] = time.Since(began)
				<-places
				if err != nil || why != "" {
					t.Errorf("time %d of %d: %s %v", i+1, n, why, err)
				}
			}
			slices.Sort(times)
			t.Logf("median %v, longest %v", times[n/2].Round(time.Millisecond), times[n-1].Round(time.Millisecond))
		})
	}
}

// admittedCase is a task as it was proven, where this machine has its tools.
func admittedCase(t *testing.T, w world, r *recipe.Recipe, task recipe.Task) *verify.Case {
	t.Helper()
	for _, tool := range task.Needs {
		w.needs(t, task, tool)
	}
	c, err := verify.NewCase(r, task)
	if err != nil {
		t.Fatal(err)
	}
	if ex, err := c.Admit(t.Context(), w.open(task), nil); err != nil || ex != nil {
		t.Fatalf("not admitted: %v %v", ex, err)
	}
	return c
}

// mendedOnce stages a task, mends it and has it judged; why says which check does not hold.
func mendedOnce(ctx context.Context, a *verify.Admission, task recipe.Task) (why string, err error) {
	err = a.Staged(ctx, func(sb sandbox.Sandbox, s *verify.Start) error {
		if err := a.Solve(ctx, sb, task.Solution, "solution"); err != nil {
			return err
		}
		out, err := a.SealAndJudge(ctx, sb, s, false)
		if err != nil {
			return err
		}
		if v := verdict.First(out.Verdicts, func(v trial.Verdict) bool { return v.Status != trial.Held }); v != nil {
			why = fmt.Sprintf("%s\n%+v", verdict.Sentence(v), v.Evidence)
		}
		return nil
	})
	return why, err
}

// TestBenchRejectsWhateverIsDrawn has one witness ask, with other draws each time, whether
// the broken state and each shortcut of a task of builtin:bench is a repair: no draw may make
// it one. In CI a few draws of the day's tasks (TestBenchIsAdmitted); COOKOFF_STEADY=10 asks
// ten times of each task whose title COOKOFF_BENCH_TASKS matches.
func TestBenchRejectsWhateverIsDrawn(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: some ten worlds a task")
	}
	n, err := strconv.Atoi(cmp.Or(os.Getenv("COOKOFF_STEADY"), "3"))
	if err != nil {
		t.Fatal(err)
	}
	w, r := newWorld(t), builtinRecipe(t, "bench")
	r.Comparison.Seed = seedOf(daily.Day())
	only, all := regexp.MustCompile(os.Getenv("COOKOFF_BENCH_TASKS")), os.Getenv("COOKOFF_STEADY") != ""
	for _, task := range r.Drawn().Tasks {
		if !only.MatchString(task.Title) || !all && !today(task.Title, daily.Day()) {
			continue
		}
		t.Run(slug(task.Title), func(t *testing.T) {
			t.Parallel()
			c := admittedCase(t, w, r, task)
			for i, script := range append([]string{"true"}, task.Shortcuts...) {
				for draw := range n {
					a := &verify.Admission{Case: c, Open: w.open(task), Alone: true, Draw: strconv.Itoa(draw)}
					rejected, err := rejectedOnce(t.Context(), a, script)
					if err != nil {
						t.Fatal(err)
					}
					if !rejected {
						t.Errorf("draw %d passes shortcut %d (0: nothing was done)", draw, i)
					}
				}
			}
		})
	}
}

// rejectedOnce stages a task, runs a script in it and has one witness judge what it left.
func rejectedOnce(ctx context.Context, a *verify.Admission, script string) (rejected bool, err error) {
	err = a.Staged(ctx, func(sb sandbox.Sandbox, s *verify.Start) error {
		if _, err := sb.Exec(ctx, sandbox.Cmd{Script: script}); err != nil {
			return err
		}
		out, err := a.SealAndJudge(ctx, sb, s, false)
		rejected = verdict.Failing(out.Verdicts)
		return err
	})
	return rejected, err
}
