package report

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report/number"
	"cookoff/report/stat"
	"cookoff/trial"
)

// Spread says how far the judged trials of a contestant at one task reach.
type Spread struct {
	Model, Task    string
	Trials         int // two at least
	Steps, Seconds stat.Range
	USD            *stat.Range // nil: the cost of one of them is unknown
}

// Spreads gives the tasks that contestants tried several times, by contestant.
func Spreads(r *Report) []Spread {
	var out []Spread
	for _, m := range r.Models {
		for _, t := range r.tries(m.Name) {
			if len(t.steps) < 2 {
				continue
			}
			s := Spread{Model: m.Name, Task: t.task, Trials: len(t.steps), Steps: stat.NewRange(t.steps),
				Seconds: stat.NewRange(t.seconds)}
			if len(t.usd) == len(t.steps) {
				s.USD = new(stat.NewRange(t.usd))
			}
			out = append(out, s)
		}
	}
	return out
}

// tries are what the judged trials of a contestant at one task took.
type tries struct {
	task                string
	steps, seconds, usd []float64
}

// tries gives those of a contestant by task.
func (r *Report) tries(model string) []tries {
	at := map[string]int{}
	var out []tries
	for _, task := range r.Tasks {
		at[task] = len(out)
		out = append(out, tries{task: task})
	}
	for _, t := range r.Trials {
		i, known := at[t.Task]
		if t.Model != model || !t.Judged() || !known {
			continue
		}
		x := &out[i]
		x.steps, x.seconds = append(x.steps, float64(t.Outcome.Steps)), append(x.seconds, t.Outcome.Seconds.Agent)
		if t.Outcome.CostUSD != nil {
			x.usd = append(x.usd, *t.Outcome.CostUSD)
		}
	}
	return out
}

// limits end a trial that would have gone on.
var limits = []trial.Stop{trial.StopMaxSteps, trial.StopTimeout, trial.StopMaxToolCalls, trial.StopMaxCost,
	trial.StopContextFull}

// fewRepeats is of how many trials of a task, beyond its first, a spread is no rough guess.
const fewRepeats = 10

// spreadLegend says for each contestant that asks a model by how much its trials of one
// task differ.
func spreadLegend(r *Report) (out []string) {
	for _, m := range r.Models {
		if r.control(m.Name) {
			continue
		}
		var steps, seconds, usd [][]float64
		repeats, priced := 0, true
		for _, t := range r.tries(m.Name) {
			repeats += max(len(t.steps)-1, 0)
			priced = priced && len(t.usd) == len(t.steps)
			steps, seconds, usd = append(steps, t.steps), append(seconds, t.seconds), append(usd, t.usd)
		}
		if repeats == 0 {
			continue
		}
		parts := []string{number.Percent(stat.Within(steps)) + " in steps",
			number.Percent(stat.Within(seconds)) + " in time"}
		if priced {
			parts = slices.Insert(parts, 1, number.Percent(stat.Within(usd))+" in cost")
		}
		line := fmt.Sprintf("%s: its trials of one task vary by %s",
			text.Middle(text.Visible(m.Name), NameMax), listed(parts))
		out = append(out, line+spreadDoubts(r, m.Name, repeats))
	}
	return out
}

// spreadDoubts says what a spread leaves out.
func spreadDoubts(r *Report, model string, repeats int) string {
	cut := 0
	for _, t := range r.Trials {
		if t.Model == model && t.Judged() && slices.Contains(limits, t.Outcome.Stop) {
			cut++
		}
	}
	doubts := ""
	if repeats < fewRepeats {
		doubts += fmt.Sprintf("; roughly, by %s", text.Count(repeats, "repeat"))
	}
	if cut > 0 {
		doubts += fmt.Sprintf("; by more without limits, at which %d ended", cut)
	}
	return doubts
}

// listed joins parts as a sentence does.
func listed(parts []string) string {
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
