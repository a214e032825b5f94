package verify

import (
	"context"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/distrust/tools"
	"cookoff/verify/footprint"
	"cookoff/verify/witness"
)

// ownWorld is a trial's own world, in which what was left running goes on. Errors of its methods are
// the sandbox's.
type ownWorld struct {
	c     *Case
	world sandbox.Sandbox
	s     *Start
}

// Live runs the checks that judge processes and ports, in the trial's own
// world before it is sealed. A contestant's processes run beside them, so
// that their verdicts are weaker. Errors are the sandbox's.
func (c *Case) Live(ctx context.Context, sb sandbox.Sandbox, s *Start) ([]trial.Verdict, error) {
	p := ownWorld{c, sb, s}.place()
	var vs []trial.Verdict
	for _, ch := range slices.Concat(c.Guard, c.After) {
		if !ch.Live {
			continue
		}
		v, err := p.Script(ctx, ch)
		if err != nil {
			return vs, err
		}
		v.Strength = trial.StrengthLive
		vs = append(vs, byUser(v))
	}
	for _, b := range c.Blocks {
		if !b.Live {
			continue
		}
		v, err := p.Block(ctx, b)
		if err != nil {
			return vs, err
		}
		vs = append(vs, byUser(v))
	}
	return vs, nil
}

// place is where live checks run.
func (o ownWorld) place() witness.Place {
	return witness.Place{World: o.world, Env: slices.Concat(trustedEnv(o.s.Path), o.c.env, o.c.told),
		Missing: o.s.missing, Versions: o.s.Versions}
}

// questions are the live scripts, to be asked again.
func (o ownWorld) questions() (list []witness.Question) {
	for _, ch := range slices.Concat(o.c.Guard, o.c.After) {
		if ch.Live {
			list = append(list, func(ctx context.Context, _ witness.Place) (trial.Verdict, error) {
				return o.place().Script(ctx, ch)
			})
		}
	}
	return list
}

// byUser marks the verdict of a live check: nobody else can be asked.
func byUser(v trial.Verdict) trial.Verdict {
	v.Witnesses = []trial.Testimony{{Witness: trial.User, Status: v.Status}}
	return v
}

// trustedEnv is what a check in the trial's own world runs under: system
// directories first on PATH, and nothing of the contestant's that configures
// the tools a check calls.
func trustedEnv(path string) []string {
	var system, own []string
	for _, dir := range strings.Split(path, ":") {
		switch {
		case dir == "":
		case strings.HasPrefix(dir, sandbox.HomeDir) || strings.HasPrefix(dir, sandbox.WorkDir) ||
			!strings.HasPrefix(dir, "/"):
			own = append(own, dir)
		default:
			system = append(system, dir)
		}
	}
	return append([]string{"PATH=" + strings.Join(slices.Concat(system, own), ":")}, tools.Live()...)
}

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
		Detail: "another program answers than with the solution: " + firstDifferences(list)}}, nil
}

// ofProcesses are verdicts on the processes of the trial's own world that no check of the task gave, now or when
// the state was judged before.
func ofProcesses(live []trial.Verdict) []trial.Verdict {
	return slices.DeleteFunc(slices.Clone(live), func(v trial.Verdict) bool {
		return v.Check != processes && (v.Check != "trap" || v.Status != trial.NotHeld)
	})
}
