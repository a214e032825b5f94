// Package kept finds recorded runs and what their trials left.
package kept

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/faults"
	"cookoff/internal/runs"
	"cookoff/internal/ui/text"
	"cookoff/runner/remake"
	"cookoff/trial"
	"cookoff/trial/final"
)

// Run is a recorded run whose final states may be stored.
type Run struct {
	Journal  string
	Run      trial.Run
	Outcomes map[string]trial.Outcome // by trial: of the last attempt
}

// Find reads the run that name means.
func Find(dir, name string) (*Run, error) {
	path, err := trial.FindRun(dir, name)
	if err != nil {
		return nil, err
	}
	k := &Run{Journal: path, Outcomes: map[string]trial.Outcome{}}
	_, err = trial.ReadFile(path, func(e trial.Event) error {
		switch {
		case e.Run != nil:
			k.Run = *e.Run
		case e.Outcome != nil:
			k.Outcomes[e.Trial] = *e.Outcome
		}
		return nil
	})
	if err != nil {
		return nil, runs.Unreadable(err)
	}
	if k.Run.ID == "" {
		return nil, runs.Empty(path)
	}
	return k, nil
}

// Trial finds a trial by its id; "2" is t002.
func (k *Run) Trial(id string) (trial.Trial, error) {
	want := id
	if strings.Trim(id, "0123456789") == "" && id != "" {
		want = fmt.Sprintf("t%03s", strings.TrimLeft(id, "0"))
	}
	var ids []string
	for _, t := range k.Run.Trials {
		if t.ID == want {
			return t, nil
		}
		if o, ok := k.Outcomes[t.ID]; ok && o.State != nil {
			ids = append(ids, fmt.Sprintf("%s (%s, %s: %s)", t.ID, text.Line(t.Model), text.Line(t.Task), o.Status))
		}
	}
	hint := "no final state of the run was kept"
	if len(ids) > 0 {
		more := ""
		if len(ids) > 12 {
			ids, more = ids[:12], "; …"
		}
		hint = "trials are " + strings.Join(ids, "; ") + more
	}
	return trial.Trial{}, fmt.Errorf("no trial %q in run %s\n  hint: %s", id, k.Run.ID, hint)
}

// State opens what a trial left.
func (k *Run) State(t trial.Trial) (*final.State, error) {
	o, ran := k.Outcomes[t.ID]
	switch {
	case !ran, o.State == nil && o.Stop == trial.StopCancelled: // it was interrupted
		return nil, fmt.Errorf("trial %s of run %s has not ended\n"+
			"  hint: cookoff watch %[2]s shows how far a run is that is under way, and cookoff resume %[2]s goes on with one "+
			"that was cut off",
			t.ID, k.Run.ID)
	case o.State == nil:
		return nil, fmt.Errorf("the final state of trial %s was not kept\n"+
			"  hint: cookoff view %s shows what it did; cookoff run --keep all has a next run keep what every trial leaves",
			t.ID, k.Run.ID)
	}
	st, err := final.Open(k.Journal, o.State)
	if err != nil {
		return nil, faults.Of(fmt.Errorf("opening the final state of trial %s: %w", t.ID, err))
	}
	return st, nil
}

// Recorded gives the trials of the tasks that ended, in plan order.
func (k *Run) Recorded(tasks []string, states *final.Reader) []remake.Recorded {
	var out []remake.Recorded
	for _, t := range k.Run.Trials {
		o, ended := k.Outcomes[t.ID]
		if !ended || !slices.Contains(tasks, t.Task) {
			continue
		}
		out = append(out, remake.Recorded{Trial: t, Outcome: o,
			State: func() (*final.State, error) { return states.Open(o.State) }})
	}
	return out
}

// Failed gives the trials that failed, in plan order.
func (k *Run) Failed() []trial.Trial {
	var out []trial.Trial
	for _, t := range k.Run.Trials {
		if o, ended := k.Outcomes[t.ID]; ended && o.Status == trial.Fail {
			out = append(out, t)
		}
	}
	return out
}
