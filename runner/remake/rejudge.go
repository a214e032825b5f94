package remake

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cookoff/runner/cores"
	"cookoff/runner/resolve"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/trial/final"
	"cookoff/verify"
	"cookoff/verify/verdict"
)

// Recorded is a trial of an earlier run, to be judged again.
type Recorded struct {
	Trial   trial.Trial
	Outcome trial.Outcome
	State   func() (*final.State, error) // opens what it left; called where Outcome has a State
}

// Rejudged is what became of it. Where Why is set it could not be judged again,
// and Is says nothing.
type Rejudged struct {
	Trial   trial.Trial
	Was, Is trial.Outcome // Is has status, cause, stop, detail and verdicts
	Why     string
	Carried []string // checks that only the trial's own world could judge: their recorded verdicts stand
}

// Rejudge judges what trials left with the checks that the recipe has now: each
// task is staged again, the changes are made in it, and the same judge as ever
// has the say. The answers come in the order of the list; where tasks build on
// each other, it has to hold all trials of a model. otherProject says that the
// project is not what it was. An error is ctx's, or the sandbox's.
func Rejudge(ctx context.Context, s *worlds.Staging, run trial.Run, list []Recorded,
	tell func(done, of int)) (out []Rejudged, otherProject bool, err error) {
	at, done, err := s.Snapshot(ctx)
	if err != nil {
		return nil, false, err
	}
	defer done()
	out = make([]Rejudged, len(list))
	var mu sync.Mutex
	n := 0
	answered := func(i int, g Rejudged) {
		mu.Lock()
		defer mu.Unlock()
		out[i] = g
		if n++; tell != nil {
			tell(n, len(list))
		}
	}
	again := rejudging{&at.Worlds}
	chains := again.chains(list)
	err = cores.Parallel(ctx, at.AtOnce, len(chains), func(ctx context.Context, i int) error {
		return again.chain(ctx, list, chains[i], answered)
	})
	return out, run.ProjectSum != "" && run.ProjectSum != at.Digest, err
}

// rejudging judges trials of an earlier run again.
type rejudging struct{ *worlds.Worlds }

// chains gives the trials that rest on each other, by their places in list.
func (j *rejudging) chains(list []Recorded) [][]int {
	var out [][]int
	at := map[string]int{}
	for i, g := range list {
		key := fmt.Sprintf("%d %s", g.Trial.N, g.Trial.Model)
		if !j.Sequential() {
			key = g.Trial.ID
		}
		n, ok := at[key]
		if !ok {
			n = len(out)
			at[key] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], i)
	}
	return out
}

// chain judges trials one after another.
func (j *rejudging) chain(ctx context.Context, list []Recorded, chain []int, tell func(int, Rejudged)) (err error) {
	var left sandbox.State // by the trial before; nil: nothing
	defer func() { err = errors.Join(err, worlds.Release(left)) }()
	broken := ""
	for _, i := range chain {
		g := list[i]
		out := Rejudged{Trial: g.Trial, Was: g.Outcome}
		counted := g.Outcome.Status != trial.Void && len(g.Outcome.Verdicts) > 0
		if broken != "" {
			out.Why = fmt.Sprintf("it began with what trial %s left, which could not be made again", broken)
			tell(i, out)
			continue
		}
		st, err := j.trial(ctx, g, left, &out)
		if err != nil {
			return err
		}
		switch {
		case st != nil && j.Sequential() && counted:
			err = worlds.Release(left)
			left = st
		case st != nil:
			err = st.Release()
		case j.Sequential() && counted:
			broken = g.Trial.ID
		}
		if err != nil {
			return err
		}
		tell(i, out)
	}
	return nil
}

// trial makes the final state of a trial anew and judges it. No state: out
// says why not.
func (j *rejudging) trial(ctx context.Context, g Recorded, from sandbox.State, out *Rejudged) (st sandbox.State,
	err error) {
	t := j.TaskOf[g.Trial.Task]
	switch {
	case t == nil:
		out.Why = "the recipe has no such task any more"
		return nil, nil
	case g.Outcome.State == nil && len(g.Outcome.Verdicts) == 0:
		out.Why = "it was not judged in the run"
		return nil, nil
	case g.Outcome.State == nil:
		out.Why = "its final state was not kept"
		return nil, nil
	}
	left, err := g.State()
	if err != nil {
		out.Why = err.Error()
		return nil, nil
	}
	if lost := left.Lost(); len(lost) > 0 {
		out.Why = "its final state is not whole: the content was not kept of " + lost[0]
		if len(lost) > 1 {
			out.Why += fmt.Sprintf(" and %d more", len(lost)-1)
		}
		return nil, nil
	}
	sb, err := j.Open(ctx, t, from, sandbox.Agent)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	start, why, err := stateOf(ctx, t.Checks, sb, left)
	if err != nil || why != "" {
		out.Why = why
		return nil, err
	}
	if st, err = sb.Seal(ctx); err != nil {
		return nil, err
	}
	if err := j.judge(ctx, t, remadeState{st, from, start, left, g.Trial}, out); err != nil {
		return nil, errors.Join(err, st.Release())
	}
	return st, nil
}

// remadeState is a final state that stands again.
type remadeState struct {
	state sandbox.State
	from  sandbox.State // which the trial began with; nil: the project
	start *verify.Start
	left  *final.State
	trial trial.Trial
}

// judge judges again what a trial left, with the facts of its conversation as they were
// recorded. Checks of processes that only the first world had keep their recorded verdicts.
func (j *rejudging) judge(ctx context.Context, t *resolve.Task, m remadeState, out *Rejudged) error {
	was := out.Was
	scene := verify.Scene{State: m.state, Open: j.Opening(t, m.from), Draw: j.Draw(m.trial)}
	facts := verify.Loop{Answer: was.Answer, Tools: m.left.Tools, ToolErrors: was.Counters.Failures(),
		Wrote: m.left.Wrote, CostUSD: was.CostUSD, Latency: time.Duration(was.Seconds.Agent * float64(time.Second))}
	for _, v := range was.Verdicts {
		if v.Strength == trial.StrengthLive {
			facts.Live = append(facts.Live, v)
		}
	}
	judged, err := t.Checks.Judge(ctx, scene, m.start, facts)
	if err != nil {
		return err
	}
	for _, v := range judged.Verdicts {
		switch {
		case v.Strength != trial.StrengthLive:
		case v.Status == trial.Undecided:
			out.Why = fmt.Sprintf("%s judges processes of the trial's own world, and the run has no verdict of it",
				v.Check)
			return nil
		default:
			out.Carried = append(out.Carried, v.Check)
		}
	}
	out.Is.Verdicts, out.Is.SideEffects, out.Is.Stop = judged.Verdicts, judged.SideEffects, was.Stop
	out.Is.Status, out.Is.Cause, out.Is.Detail = verdict.Decide(judged.Verdicts, judged.Changed, was.Stop)
	return nil
}
