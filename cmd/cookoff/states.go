package main

import (
	"fmt"
	"strings"

	"cookoff/internal/cli"
	"cookoff/internal/screen"
	"cookoff/trial"
)

// keptRun is a recorded run whose final states may be stored.
type keptRun struct {
	journal  string
	run      trial.Run
	outcomes map[string]trial.Outcome // by trial: of the last attempt
}

// keptOf reads the run that name means.
func (a *app) keptOf(name string) (*keptRun, error) {
	path, err := trial.FindRun(a.Dir, name)
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	k := &keptRun{journal: path, outcomes: map[string]trial.Outcome{}}
	_, err = trial.ReadFile(path, func(e trial.Event) error {
		switch {
		case e.Run != nil:
			k.run = *e.Run
		case e.Outcome != nil:
			k.outcomes[e.Trial] = *e.Outcome
		}
		return nil
	})
	if err != nil {
		return nil, unreadable(err)
	}
	return k, nil
}

// trial finds a trial by its id; "2" is t002.
func (k *keptRun) trial(id string) (trial.Trial, error) {
	want := id
	if strings.Trim(id, "0123456789") == "" && id != "" {
		want = fmt.Sprintf("t%03s", strings.TrimLeft(id, "0"))
	}
	var ids []string
	for _, t := range k.run.Trials {
		if t.ID == want {
			return t, nil
		}
		if o, ok := k.outcomes[t.ID]; ok && o.State != nil {
			ids = append(ids, fmt.Sprintf("%s (%s, %s: %s)", t.ID, screen.Clean(t.Model), screen.Clean(t.Task), o.Status))
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
	return trial.Trial{}, cli.Usage("no trial %q in run %s\n  hint: %s", id, k.run.ID, hint)
}

// state opens what a trial left.
func (k *keptRun) state(t trial.Trial) (*trial.FinalState, error) {
	o, ran := k.outcomes[t.ID]
	switch {
	case !ran:
		return nil, cli.Usage("trial %s of run %s has not ended", t.ID, k.run.ID)
	case o.State == nil:
		return nil, cli.Usage("the final state of trial %s was not kept\n  hint: cookoff run --keep all keeps what every trial leaves", t.ID)
	}
	st, err := trial.OpenState(k.journal, o.State)
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, fmt.Errorf("opening the final state of trial %s: %w", t.ID, err))
	}
	return st, nil
}

// bytesOf writes a size for people.
func bytesOf(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
