package cookoff

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"cookoff/internal/faults"
	"cookoff/runner/losing"
	"cookoff/trial"
)

// Why looks for the losing moves of trials of a run that failed, of those tasks that
// Options.Select picks: ids names them, none means all. Their own calls are made
// again in fresh worlds, and the solutions of this recipe are tried after them; no
// model is asked. What was found before with this recipe is not looked for again.
// begin, when not nil, is told how many trials there are to look at, done how many
// were. What was found is kept beside the run's journal, also where ctx ends it. The
// error is ErrNoTrials where no trial of the recipe's tasks failed.
func (c *Comparison) Why(ctx context.Context, k *Kept, ids []string, begin func(trials int),
	done func(n, of int)) (trial.Losses, error) {
	asked, err := c.toJudge(ctx, k)
	if err != nil {
		return trial.Losses{}, err
	}
	known, err := trial.ReadLosses(k.Journal)
	if err != nil {
		return known, faults.Of(err)
	}
	if known.Recipe != c.given.Digest() {
		known = trial.Losses{Recipe: c.given.Digest()}
	}
	found := trial.Losses{Recipe: known.Recipe, Trials: map[string]trial.Loss{}}
	var list []losing.Failed
	for _, t := range k.Run.Trials {
		o, ended := k.Outcomes[t.ID]
		if !ended || o.Status != trial.Fail || !slices.Contains(asked, t.Task) || len(ids) > 0 && !slices.Contains(ids,
			t.ID) {
			continue
		}
		if l, ok := known.Trials[t.ID]; ok && l.Unknown == "" {
			found.Trials[t.ID] = l
			continue
		}
		list = append(list, losing.Failed{Trial: t, Outcome: o})
	}
	if len(list)+len(found.Trials) == 0 {
		return found, ErrNoTrials
	}
	if len(list) == 0 {
		return found, nil
	}
	if begin != nil {
		begin(len(list))
	}
	if err := fillTranscripts(k.Journal, list); err != nil {
		return found, faults.Of(err)
	}
	err = findLosses(ctx, &c.prep, list, done, &found)
	if filepath.Base(k.Journal) == trial.JournalFile {
		err = errors.Join(err, found.Add(k.Journal))
	}
	if ctx.Err() != nil {
		return found, ctx.Err()
	}
	return found, err
}

// fillTranscripts gives trials what was said and done in them.
func fillTranscripts(journal string, list []losing.Failed) error {
	at := map[string]int{}
	for i, f := range list {
		at[f.Trial.ID] = i
	}
	_, err := trial.ReadFile(journal, func(e trial.Event) error {
		if i, wanted := at[e.Trial]; wanted && e.Kind != trial.ModelCalled && e.Kind != trial.ModelReplied {
			list[i].Events = append(list[i].Events, e)
		}
		return nil
	})
	return err
}

// findLosses looks at trials, and notes what it finds of each.
func findLosses(ctx context.Context, p *preparation, list []losing.Failed, done func(n, of int),
	found *trial.Losses) error {
	got, err := losing.FindAll(ctx, &p.runner.Staging, p.env.Parallel, list, done)
	for i, l := range got {
		if l != nil {
			found.Trials[list[i].Trial.ID] = *l
		}
	}
	return err
}
