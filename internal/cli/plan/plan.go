// Package plan says what a run would do, and what it will probably cost.
package plan

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/reports"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/forecast"
	"cookoff/report/formats"
	"cookoff/report/number"
	"cookoff/trial"
	"cookoff/verify/lint"
)

// Formats are those of --dry-run, the default first.
func Formats() []string { return []string{"table", "json"} }

// planInfo is the result of "run --dry-run"; keys of its JSON are only added.
type planInfo struct {
	Recipe   string        `json:"recipe"`
	Parallel int           `json:"parallel"`
	Trials   []trial.Trial `json:"trials"`
	Estimate estimateInfo  `json:"estimate"`
	// Contestants are those of the models that are no more than names.
	Contestants []trial.Contestant `json:"contestants,omitempty"`
	// NoControl are tasks of which nothing shows that their checks can fail.
	NoControl []string `json:"no_control,omitempty"`
}

// estimateInfo is what a run will probably take: USD, and seconds.
type estimateInfo struct {
	USD      *float64        `json:"usd"`                        // null: not known
	Interval *[2]float64     `json:"interval"`                   // of usd
	MostUSD  *float64        `json:"most_usd"`                   // what limits leave; null: no limit
	Seconds  *float64        `json:"seconds"`                    // null: there are no trials
	Between  *[2]float64     `json:"seconds_interval,omitempty"` // of seconds, where they are assumed
	Models   []modelEstimate `json:"models"`
	Assumed  []string        `json:"assumed,omitempty"`
}

type modelEstimate struct {
	Model    string      `json:"model"`
	Trials   int         `json:"trials"`
	USD      *float64    `json:"usd"`
	Interval *[2]float64 `json:"interval"`
	From     string      `json:"from"`
}

// Print prints what would be run, and what it will probably cost.
func Print(d *door.Door, c *cookoff.Comparison, o reports.Output) error {
	f, err := c.Forecast()
	if err != nil {
		return err
	}
	info := newPlanInfo(c, f)
	err = reports.WriteOutput(d.Common, reports.Output{Format: o.Format, File: o.File},
		func(opt formats.Options) ([]byte, error) {
			var b bytes.Buffer
			if o.Format == "json" {
				err := cli.WriteJSON(&b, info)
				return b.Bytes(), err
			}
			err := printPlanned(&table.Table{To: &b, Limit: opt.Width}, info, d.Verbose)
			return b.Bytes(), err
		})
	if err != nil {
		return err
	}
	if q := c.Recipe().Comparison.UntilDecided; q != "" {
		d.Say("until it is decided (%s): fewer trials where the answer comes early", text.Line(q))
	}
	for _, line := range info.NoControl {
		d.Say("no control: %s", text.Line(line))
	}
	for _, line := range networks(c.Recipe(), func(task string) bool {
		return slices.ContainsFunc(info.Trials, func(t trial.Trial) bool { return t.Task == task })
	}) {
		d.Say("%s", line)
	}
	about := ""
	if f.Seconds != nil {
		about = ", about " + number.Seconds(*f.Seconds)
		if b := info.Estimate.Between; b != nil {
			about += fmt.Sprintf(" (assumed; between %s and %s)", number.Seconds(b[0]), number.Seconds(b[1]))
		}
	}
	d.Say("%s, %d at once%s; nothing was run", text.Count(len(info.Trials), "trial"), info.Parallel, about)
	return nil
}

func newPlanInfo(c *cookoff.Comparison, f forecast.Forecast) planInfo {
	info := planInfo{Recipe: c.Recipe().Name, Parallel: c.Options().Parallel, Trials: c.Plan(),
		NoControl: lint.NoControl(c.Recipe()), Contestants: c.Contestants(),
		Estimate: estimateInfo{USD: maybeMicros(f.USD), Interval: between(f.USD, f.Lo, f.Hi), MostUSD: f.Most,
			Seconds: f.Seconds, Models: []modelEstimate{}, Assumed: f.Assumed}}
	if f.Seconds != nil && f.Soonest < f.Latest {
		info.Estimate.Between = &[2]float64{f.Soonest, f.Latest}
	}
	for _, m := range f.Models {
		info.Estimate.Models = append(info.Estimate.Models,
			modelEstimate{m.Name, m.Trials, maybeMicros(m.USD), between(m.USD, m.Lo, m.Hi), m.From})
	}
	return info
}

func between(usd *float64, lo, hi float64) *[2]float64 {
	if usd == nil {
		return nil
	}
	return &[2]float64{micros(lo), micros(hi)}
}

// micros leaves out what is less than a millionth of a dollar.
func micros(usd float64) float64 { return math.Round(1e6*usd) / 1e6 }

func maybeMicros(usd *float64) *float64 {
	if usd == nil {
		return nil
	}
	return new(micros(*usd))
}

// printPlanned draws the tasks with how many trials each has, or with all every
// trial, then the estimate.
func printPlanned(w *table.Table, info planInfo, all bool) error {
	if all {
		w.Row("TRIAL", "MODEL", "TASK", "GO")
		for _, t := range info.Trials {
			w.Row(t.ID, t.Model, t.Task, fmt.Sprint(t.N))
		}
	} else {
		groupTrials(w, info.Trials)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	io.WriteString(w.To, "\n") // kept in memory
	if err := printContestants(w, info.Contestants); err != nil {
		return err
	}
	return printEstimate(w, info)
}

// printContestants draws what contestants with names of their own are, and what
// differs between them.
func printContestants(w *table.Table, list []trial.Contestant) error {
	if len(list) == 0 {
		return nil
	}
	w.Row("CONTESTANT", "MODEL", "WHAT DIFFERS")
	for _, d := range report.Differences(list) {
		w.Row(d.Name, d.Model, cmp.Or(d.Given, "-"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, _ = io.WriteString(w.To, "\n") // kept in memory
	return nil
}

// groupTrials adds a row a task: models × trials. In a run that goes on they may be
// uneven.
func groupTrials(w *table.Table, trials []trial.Trial) {
	var tasks []string
	models, n := map[string]map[string]bool{}, map[string]int{}
	for _, t := range trials {
		if models[t.Task] == nil {
			tasks, models[t.Task] = append(tasks, t.Task), map[string]bool{}
		}
		models[t.Task][t.Model] = true
		n[t.Task]++
	}
	w.Row("TASK", "MODELS", "TRIALS OF EACH", "TRIALS")
	for _, task := range tasks {
		each := "uneven"
		if m := len(models[task]); n[task]%m == 0 {
			each = fmt.Sprint(n[task] / m)
		}
		w.Row(task, fmt.Sprint(len(models[task])), each, fmt.Sprint(n[task]))
	}
}

// printEstimate draws what each model will probably cost.
func printEstimate(w *table.Table, info planInfo) error {
	w.Keep, w.Below = 3, true
	w.Row("MODEL", "TRIALS", "COST", "BETWEEN", "KNOWN FROM")
	e := info.Estimate
	for _, m := range e.Models {
		w.Row(m.Model, fmt.Sprint(m.Trials), number.Money(m.USD), rangeText(m.Interval), m.From)
	}
	if len(e.Models) > 1 {
		w.Row("all", fmt.Sprint(len(info.Trials)), number.Money(e.USD), rangeText(e.Interval), limitText(e.MostUSD))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, line := range e.Assumed {
		io.WriteString(w.To, formats.Wrap(line, w.Limit))
	}
	return nil
}

func rangeText(i *[2]float64) string {
	if i == nil || i[0] == i[1] {
		return "-"
	}
	return number.Money(&i[0]) + " and " + number.Money(&i[1])
}

func limitText(most *float64) string {
	if most == nil {
		return ""
	}
	return "limits leave " + number.Money(most)
}
