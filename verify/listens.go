package verify

import (
	"context"
	"slices"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/footprint"
)

// processes is the check of who answers in the trial's own world.
const processes = "processes"

// impostors judges who waits for connections in the trial's own world, where live checks ask: where a
// solution has a program wait at a socket, no other does. None: none does, or nobody knows.
func (o ownWorld) impostors(ctx context.Context, now sandbox.Manifest) ([]trial.Verdict, error) {
	c := o.c
	if o.world == nil || c.foot == nil || !c.foot.Solved || !c.foot.Complete() || !c.AsksLive() {
		return nil, nil
	}
	waiting, err := footprint.Listeners(ctx, o.world, trustedEnv(o.s.Path))
	if err != nil {
		return nil, err
	}
	list := c.foot.Impostors(waiting, &o.s.Start, now)
	if len(list) == 0 {
		return nil, nil
	}
	return []trial.Verdict{{Check: processes, Kind: trial.KindProtect, Status: trial.NotHeld, Cause: trial.CauseForged,
		Strength: trial.StrengthLive, Evidence: listed(list),
		Detail: "another program answers than with the solution: " + someDeeds(list)}}, nil
}

// ofProcesses are verdicts on the processes of the trial's own world that no check of the task gave, now or when
// the state was judged before.
func ofProcesses(live []trial.Verdict) []trial.Verdict {
	return slices.DeleteFunc(slices.Clone(live), func(v trial.Verdict) bool {
		return v.Check != processes && (v.Check != "trap" || v.Status != trial.NotHeld)
	})
}
