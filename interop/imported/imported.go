// Package imported makes events of results that other programs recorded, so that their
// runs get the same tables and tests as our own.
package imported

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cookoff/model"
	"cookoff/trial"
)

// Most is how many trials are taken of one run.
const Most = 1_000_000

// Run is a run of another program.
type Run struct {
	ID, Recipe, Source string
	Digest             string // of the recipe; "": made of the names
	Started            time.Time
	Ended              *trial.End // nil: it had not ended
	Trials             []Trial
	Warnings           []string // what can't be told
}

// Trial is a trial of another program. N counts from 1; 0: the next.
type Trial struct {
	Model, Task string
	N           int
	Started     time.Time
	Asked       bool           // a model was
	Outcome     *trial.Outcome // nil: none yet
}

// Emit gives the events of the run. The baseline is a contestant that does nothing,
// where there is one, else the first by name.
func (r Run) Emit(each func(trial.Event) error) error {
	plan := trial.Run{Schema: trial.Schema, ID: r.ID, Recipe: r.Recipe, Source: r.Source, Confidence: 0.95, Seed: 1,
		Parallel: 1, Warnings: r.Warnings}
	next := map[[2]string]int{}
	for i, t := range r.Trials {
		key := [2]string{t.Model, t.Task}
		if t.N == 0 {
			t.N = next[key] + 1
		}
		next[key] = max(next[key], t.N)
		plan.Trials = append(plan.Trials, trial.Trial{ID: fmt.Sprintf("t%03d", i+1), Model: t.Model,
			Task: t.Task, N: t.N})
		plan.Models, plan.Tasks = append(plan.Models, t.Model), append(plan.Tasks, t.Task)
	}
	slices.SortFunc(plan.Models,
		func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	slices.Sort(plan.Tasks)
	plan.Models, plan.Tasks = slices.Compact(plan.Models), slices.Compact(plan.Tasks)
	if len(plan.Models) > 0 {
		plan.Baseline = plan.Models[0]
	}
	sum := sha256.Sum256([]byte(r.Recipe + "\x00" + strings.Join(plan.Tasks, "\x00")))
	plan.Digest = cmp.Or(r.Digest, hex.EncodeToString(sum[:]))
	if err := each(trial.Event{Seq: 1, Kind: trial.RunStarted, At: r.Started, Run: &plan}); err != nil {
		return err
	}
	for i, t := range r.Trials {
		if err := t.emit(plan.Trials[i], each); err != nil {
			return err
		}
	}
	if r.Ended == nil {
		return nil
	}
	return each(trial.Event{Seq: 2, Kind: trial.RunFinished, At: r.Started, End: r.Ended})
}

func (t Trial) emit(as trial.Trial, each func(trial.Event) error) error {
	if t.Outcome == nil {
		return nil
	}
	if err := each(trial.Event{Seq: 1, Kind: trial.TrialStarted, At: t.Started, Trial: as.ID, Attempt: 1,
		Start: &as}); err != nil {
		return err
	}
	if t.Outcome.Steps == 0 && t.Asked { // how often is not told, but it was not for nothing
		reply := &trial.Replied{Reply: model.Reply{Usage: t.Outcome.Usage}, CostUSD: t.Outcome.CostUSD}
		if err := each(trial.Event{Seq: 2, Kind: trial.ModelReplied, At: t.Started, Trial: as.ID, Attempt: 1, Step: 1,
			Replied: reply}); err != nil {
			return err
		}
	}
	return each(trial.Event{Seq: 3, Kind: trial.TrialFinished, At: t.Started, Trial: as.ID, Attempt: 1,
		Outcome: t.Outcome})
}

// rank puts those first that do nothing.
func rank(model string) int {
	switch model {
	case "nop", "baseline/noop":
		return 0
	}
	return 1
}

// Time reads a time as Python writes it, with a zone or without one (then it is taken
// for UTC); zero for none.
func Time(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// DropImplausible drops what no trial can have, which is numbers below zero: how many steps it
// took, what it used, cost and waited. It counts in seen that it did.
func DropImplausible(o *trial.Outcome, seen map[string]int) {
	u := o.Usage
	used := min(u.Input, u.Output, u.Cached, u.CacheWrite5m, u.CacheWrite1h, u.Reasoning)
	if used < 0 {
		o.Usage = model.Usage{}
	}
	costs := o.CostUSD == nil || *o.CostUSD >= 0
	if !costs {
		o.CostUSD = nil
	}
	if used < 0 || !costs || o.Steps < 0 || o.Seconds.Agent < 0 {
		seen["trials with a number of steps, tokens, dollars or seconds below zero, which is left out"]++
	}
	o.Steps, o.Seconds.Agent = max(o.Steps, 0), max(o.Seconds.Agent, 0)
}

// Warnings are sentences that end with how often they are true.
func Warnings(seen map[string]int) []string {
	var out []string
	for _, s := range slices.Sorted(maps.Keys(seen)) {
		out = append(out, fmt.Sprintf("%s: %d", s, seen[s]))
	}
	return out
}
