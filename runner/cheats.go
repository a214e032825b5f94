package runner

import (
	"context"
	"fmt"
	"strings"

	"cookoff/recipe/problem"
	"cookoff/runner/resolve"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/cheat"
	"cookoff/verify/lint"
	"cookoff/verify/verdict"
)

// Rate counts what generated contestants came to.
type Rate struct{ Wrong, Tried int }

func (r Rate) String() string { return fmt.Sprintf("%d of %d tried", r.Wrong, r.Tried) }

// Cheat lets generated cheats play every task that Env.Only lets run, without a
// model, and gives those that are not rejected.
func (l Lint) Cheat(ctx context.Context, tell func(done, of int)) (problem.List, Rate, error) {
	return l.attempts(ctx, tell, attempting{
		play: cheat.Cheats, want: trial.Fail,
		say: func(a cheat.Attempt) string {
			if a.Status == trial.Void {
				return fmt.Sprintf("a cheat ends void and is not counted, class %q: %s: %s", a.Class, a.What, a.Detail)
			}
			return fmt.Sprintf("a cheat passes, class %q: %s", a.Class, a.What)
		},
		hint: func(a cheat.Attempt) string { return a.Close },
	})
}

// Honest lets variants of the solution play, and gives those that do not pass.
func (l Lint) Honest(ctx context.Context, tell func(done, of int)) (problem.List, Rate, error) {
	return l.attempts(ctx, tell, attempting{
		play: cheat.Honest, want: trial.Pass,
		say: func(a cheat.Attempt) string {
			return fmt.Sprintf("an honest repair does not pass, class %q: %s: %s", a.Class, a.What, a.Sentence())
		},
		hint: func(a cheat.Attempt) string {
			if a.Allow != "" {
				return "where what it touched is right, add to the task: " + strings.ReplaceAll(a.Allow, "\n", "; ")
			}
			return "look at what works, not at how it is written; may_change says what a repair may touch"
		},
	})
}

// cheat is a trial of baseline/cheater: generated cheats play the task, each in
// worlds of its own. The trial passes where one of them does.
func (a *attempt) cheat(ctx context.Context) error {
	began := a.r.env.Clock.Now()
	got, err := cheat.Cheats(ctx, a.t.Checks, a.r.opening(a.t, a.from), cheat.Tries{Admitted: true})
	if err != nil {
		return err
	}
	c := &trial.Cheats{Tried: len(got.Made)}
	for _, m := range got.Wrong(trial.Fail) {
		c.Accepted = append(c.Accepted, fmt.Sprintf("%s: %s (%s)", m.Class, m.What, m.Status))
	}
	o, free := &a.out, 0.0
	o.Usage.Known, o.CostUSD = true, &free
	o.Cheats, o.Stop, o.Seconds.Judge = c, trial.StopDone, a.r.env.Clock.Now().Sub(began).Seconds()
	v := trial.Verdict{Check: "cheats", Kind: trial.KindAfter, Status: trial.NotHeld,
		Detail: fmt.Sprintf("of %d cheats none was accepted", c.Tried)}
	if len(c.Accepted) > 0 {
		v.Status, v.Strength, v.Detail = trial.Held, trial.StrengthRuns, "accepted: "+strings.Join(c.Accepted, "; ")
	}
	o.Verdicts = []trial.Verdict{v}
	o.Status, o.Cause, o.Detail = verdict.Decide(o.Verdicts, true, o.Stop)
	a.rec.Emit(trial.Event{Kind: trial.Judged, Verdicts: o.Verdicts})
	return a.rec.Err()
}

// attempting is one kind of generated contestants.
type attempting struct {
	play func(context.Context, *verify.Case, verify.Opening, cheat.Tries) (cheat.Attempts, error)
	want trial.Status
	say  func(cheat.Attempt) string
	hint func(cheat.Attempt) string
}

// attempts plays generated attempts on each task, and reports those that the checks judge
// otherwise than they should, with the numbers of both. done of how many tasks is told as
// they end.
func (l Lint) attempts(ctx context.Context, tell func(done, of int), how attempting) (problem.List, Rate,
	error) {
	counts := make(chan Rate, len(l.s.Order))
	found, err := l.try(ctx, tell, func(ctx context.Context, t *resolve.Task, open verify.Opening) ([]lint.Finding,
		error) {
		got, err := how.play(ctx, t.Checks, open, cheat.Tries{})
		if err != nil {
			return nil, err
		}
		if x := got.Exclude; x != nil {
			return []lint.Finding{{Key: x.Phase, Msg: "not fit to be run: " + x.Why}}, nil
		}
		var list []lint.Finding
		for _, a := range got.Wrong(how.want) {
			list = append(list, lint.Finding{Key: "after[0]", Msg: how.say(a), Hint: how.hint(a)})
		}
		counts <- Rate{len(list), len(got.Made)}
		return list, nil
	})
	close(counts)
	var all Rate
	for c := range counts {
		all.Wrong += c.Wrong
		all.Tried += c.Tried
	}
	return found, all, err
}
