package formats

import "cookoff/report"

// jsonSpread is how far the trials of a contestant at a task reach.
type jsonSpread struct {
	Model   string     `json:"model"`
	Task    string     `json:"task"`
	Trials  int        `json:"trials"`
	Steps   jsonRange  `json:"steps"`
	CostUSD *jsonRange `json:"cost_usd"` // null: of one nobody knows it
	Seconds jsonRange  `json:"seconds"`  // of the agent
}

type jsonRange struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

func newJSONSpread(r *report.Report) (out []jsonSpread) {
	for _, s := range report.Spreads(r) {
		j := jsonSpread{Model: s.Model, Task: s.Task, Trials: s.Trials, Steps: jsonRange(s.Steps),
			Seconds: jsonRange(s.Seconds)}
		if s.USD != nil {
			j.CostUSD = new(jsonRange(*s.USD))
		}
		out = append(out, j)
	}
	return out
}
