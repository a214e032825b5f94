// Package plan says before a run how many tasks and trials it takes to see a
// difference, what that costs, and what a run of a given size can show at best.
package plan

import (
	"errors"
	"fmt"

	"cookoff/report"
	"cookoff/report/stat"
	"cookoff/trial"
)

// enoughSeen is of how many tasks a variation is no rough guess.
const enoughSeen = 20

// Doubts says why a variation that was seen in a run may be no good guess of the next
// one's; nil: nothing speaks against it.
func Doubts(r *report.Report, v stat.Variation) (out []string) {
	models, tasks := clusters(r)
	if tasks < enoughSeen {
		out = append(out, fmt.Sprintf("%d tasks tell little of how outcomes vary: sizes are rough", tasks))
	}
	if v.Rate < 0.1 || v.Rate > 0.9 {
		out = append(out, "nearly all trials ended the same: tasks on which outcomes differ more need more of them")
	}
	for _, m := range models {
		for _, c := range m {
			if c.N > 1 {
				return out
			}
		}
	}
	return append(out, fmt.Sprintf("no task was tried twice: that two trials are alike by %.2f is assumed", v.Correlation))
}

// Seen is how outcomes varied in a run, over its models but cookoff's own
// baselines. The error says that it shows too little.
func Seen(r *report.Report) (stat.Variation, error) {
	models, tasks := clusters(r)
	if len(models) < 2 || tasks < 5 {
		return stat.Variation{}, errors.New("it takes two models at least, and five tasks that both were judged on")
	}
	return stat.SeenVariation(models), nil
}

// clusters is what became of the trials of each model by task, and how many tasks
// all were judged on.
func clusters(r *report.Report) (models []map[string]stat.Cluster, shared int) {
	at := map[string]map[string]stat.Cluster{}
	for _, t := range r.Trials {
		if report.Control(r.Run.Behind(t.Model)) || t.Outcome.Status != trial.Pass && t.Outcome.Status != trial.Fail {
			continue
		}
		if at[t.Model] == nil {
			at[t.Model] = map[string]stat.Cluster{}
		}
		c := at[t.Model][t.Task]
		c.N++
		if t.Outcome.Status == trial.Pass {
			c.Pass++
		}
		at[t.Model][t.Task] = c
	}
	for _, m := range r.Models {
		if at[m.Name] != nil {
			models = append(models, at[m.Name])
		}
	}
	for _, task := range r.Tasks {
		all := true
		for _, m := range models {
			all = all && m[task].N > 0
		}
		if all {
			shared++
		}
	}
	return models, shared
}
