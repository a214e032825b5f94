package formats

import (
	"encoding/json"
	"fmt"
	"math"

	"cookoff/report"
	"cookoff/trial"
)

// known is 0 for what no number is known of.
func known(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// ReadJSON reads a report that JSON wrote: what a comparison with it needs, the
// plan and what became of each trial. ok is false where text is no report of
// this kind at all; an error says what is wrong with one.
func ReadJSON(text []byte) (r *report.Report, ok bool, err error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(text, &head) != nil || head.Schema == "" {
		return nil, false, nil
	}
	if head.Schema != Schema {
		return nil, true, fmt.Errorf("reading a report: its schema is %q, this version reads %q", head.Schema, Schema)
	}
	var j jsonReport
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, true, fmt.Errorf("reading a report: %v", err)
	}
	if !(j.Confidence > 0 && j.Confidence < 1) {
		return nil, true, fmt.Errorf("reading a report: confidence %v is not between 0 and 1", j.Confidence)
	}
	r = &report.Report{
		Run: trial.Run{ID: j.Run, Recipe: j.Recipe.Name, Digest: j.Recipe.Digest, Source: j.Recipe.Source,
			Metadata: j.Recipe.Metadata, Tasks: j.Tasks,
			Baseline: j.Baseline, Confidence: j.Confidence, Seed: j.Seed, Parallel: j.Parallel, Question: j.Question},
		State: j.State, Decision: j.Decision, Seconds: math.NaN(), Tasks: j.Tasks, Excluded: j.Excluded,
	}
	for _, t := range j.Trials {
		r.Trials = append(r.Trials, report.Trial{
			Trial:   trial.Trial{ID: t.ID, Model: t.Model, Task: t.Task, N: t.Trial},
			Attempt: t.Attempt, Outcome: trial.Outcome{Status: t.Status, Cause: t.Cause, Stop: t.Stop, Detail: t.Detail,
				Steps: t.Steps, CostUSD: t.CostUSD, Seconds: trial.Seconds{Agent: known(t.Seconds)}},
		})
	}
	for _, t := range j.Pending {
		r.Pending = append(r.Pending, report.Trial{Trial: trial.Trial{ID: t.ID, Model: t.Model,
			Task: t.Task, N: t.Trial}, Attempt: t.Attempt})
	}
	r.Run.Contestants = j.Contestants
	for _, m := range j.Models {
		r.Run.Models = append(r.Run.Models, m.Model)
		r.Models = append(r.Models, report.Model{Name: m.Model, Pass: m.Pass, Fail: m.Fail, Void: m.Void,
			Pending: m.Pending})
	}
	return r, true, nil
}
