package runner

import (
	"context"
	"fmt"
	"strings"

	"cookoff/trial"
	"cookoff/verify/cheat"
	"cookoff/verify/verdict"
)

// cheat is a trial of baseline/cheater: generated cheats play the task, each in
// worlds of its own. The trial passes where one of them does.
func (a *attempt) cheat(ctx context.Context) error {
	began := a.r.env.Clock.Now()
	got, err := cheat.Cheats(ctx, a.t.Checks, a.r.Opening(a.t, a.from), cheat.Tries{Admitted: true})
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
