package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/forecast"
	"cookoff/trial"
	"cookoff/verify/lint"
)

// maxLearned and maxLearnedBytes bound from how many of the latest runs of the
// project a forecast learns: it is made before each run that costs money.
const (
	maxLearned      = 20
	maxLearnedBytes = 64 << 20
)

// planFormats are those of --dry-run, the default first.
func planFormats() []string { return []string{"table", "json"} }

// planInfo is the result of "run --dry-run"; keys of its JSON are only added.
type planInfo struct {
	Recipe   string        `json:"recipe"`
	Parallel int           `json:"parallel"`
	Trials   []trial.Trial `json:"trials"`
	Estimate estimateInfo  `json:"estimate"`
	// NoControl are tasks of which nothing shows that their checks can fail.
	NoControl []string `json:"no_control,omitempty"`
}

// estimateInfo is what a run will probably take: USD, and seconds.
type estimateInfo struct {
	USD      *float64        `json:"usd"`      // null: not known
	Interval *[2]float64     `json:"interval"` // of usd
	MostUSD  *float64        `json:"most_usd"` // what limits leave; null: no limit
	Seconds  *float64        `json:"seconds"`  // null: not known
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

// forecast says what a run will probably take, from the latest runs of the
// project and the prices of today.
func (a *app) forecast(p *prepared) (forecast.Forecast, error) {
	plan := forecast.Plan{
		Recipe: p.recipe.Name, Trials: p.runner.Left(), Prices: p.env.Prices, Parallel: p.env.Parallel, MaxSteps: map[string]int{},
		TrialMost: p.recipe.Constraints.MaxCost, RunMost: p.env.MaxCost, Attempts: p.env.Retries + 1,
	}
	for _, t := range p.recipe.Tasks {
		plan.MaxSteps[t.Name()] = p.recipe.Constraints.MaxSteps
		if t.MaxSteps != nil {
			plan.MaxSteps[t.Name()] = *t.MaxSteps
		}
	}
	ids, err := trial.Runs(a.Dir)
	if err != nil {
		return forecast.Forecast{}, cli.Fail(cli.ExitInfra, err)
	}
	var h forecast.History
	room := int64(maxLearnedBytes)
	slices.Reverse(ids)
	for _, id := range ids[:min(len(ids), maxLearned)] {
		path, err := trial.FindRun(a.Dir, id)
		if err == nil {
			if st, err := os.Stat(path); err == nil {
				room -= st.Size()
			}
			if room < 0 {
				break
			}
			h.Next()
			_, err = trial.OutlineFile(path, h.Emit)
		}
		if err != nil && a.Verbose {
			a.Say("%s nothing is learned from run %s: %v", a.Err.Paint(screen.Yellow, "warning:"), id, err)
		}
	}
	return h.Of(plan), nil
}

// printPlan prints what would be run, and what it will probably cost.
func (a *app) printPlan(p *prepared, o reports.Output) error {
	f, err := a.forecast(p)
	if err != nil {
		return err
	}
	info := newPlanInfo(p, f)
	err = reports.Deliver(&a.Common, reports.Output{Format: o.Format, File: o.File}, func(opt report.Options) ([]byte, error) {
		var b bytes.Buffer
		if o.Format == "json" {
			err := cli.WriteJSON(&b, info)
			return b.Bytes(), err
		}
		err := printPlanned(&table.Table{To: &b, Limit: opt.Width}, info, a.Verbose)
		return b.Bytes(), err
	})
	if err != nil {
		return err
	}
	for _, line := range info.NoControl {
		a.Say("no control: %s", text.Line(line))
	}
	about := ""
	if f.Seconds != nil {
		about = ", about " + report.Seconds(*f.Seconds)
	}
	a.Say("%s, %d at once%s; nothing was run", text.Count(len(info.Trials), "trial"), info.Parallel, about)
	return nil
}

func newPlanInfo(p *prepared, f forecast.Forecast) planInfo {
	info := planInfo{Recipe: p.recipe.Name, Parallel: p.env.Parallel, Trials: p.runner.Left(), NoControl: lint.NoControl(p.recipe),
		Estimate: estimateInfo{USD: maybeMicros(f.USD), Interval: between(f.USD, f.Lo, f.Hi), MostUSD: f.Most, Seconds: f.Seconds, Models: []modelEstimate{}, Assumed: f.Assumed}}
	for _, m := range f.Models {
		info.Estimate.Models = append(info.Estimate.Models, modelEstimate{m.Name, m.Trials, maybeMicros(m.USD), between(m.USD, m.Lo, m.Hi), m.From})
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
	return printEstimate(w, info)
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
	w.Row("MODEL", "TRIALS", "COST", "BETWEEN", "KNOWN FROM")
	e := info.Estimate
	for _, m := range e.Models {
		w.Row(m.Model, fmt.Sprint(m.Trials), report.Money(m.USD), rangeText(m.Interval), m.From)
	}
	if len(e.Models) > 1 {
		w.Row("all", fmt.Sprint(len(info.Trials)), report.Money(e.USD), rangeText(e.Interval), limitText(e.MostUSD))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, line := range e.Assumed {
		io.WriteString(w.To, report.Wrap(line, w.Limit))
	}
	return nil
}

func rangeText(i *[2]float64) string {
	if i == nil || i[0] == i[1] {
		return "-"
	}
	return report.Money(&i[0]) + " and " + report.Money(&i[1])
}

func limitText(most *float64) string {
	if most == nil {
		return ""
	}
	return "limits leave " + report.Money(most)
}

// agreed says what a run will probably cost, and asks before one that may cost
// more than the user wants to spend without being asked: confirm_above_usd in
// cookoff.toml.
func (a *app) agreed(ctx context.Context, p *prepared, yes bool) error {
	if p.played != nil || !slices.ContainsFunc(p.recipe.Models, func(m string) bool { return !strings.HasPrefix(m, "baseline/") }) {
		return nil
	}
	f, err := a.forecast(p)
	if err != nil {
		return err
	}
	if p.confirm == nil || yes || within(f, *p.confirm) {
		if f.USD != nil && *f.USD > 0 {
			a.Say("%s (--dry-run says why)", probably(f))
		}
		return nil
	}
	what, hint := probably(f), "--max-total-cost limits what it may spend, --dry-run says more"
	if f.USD == nil && f.Most == nil {
		hint = fmt.Sprintf("[prices.%q] in cookoff.toml sets one", unpriced(f)[0])
	}
	what += fmt.Sprintf(" (confirm_above_usd is %s)", report.Money(p.confirm))
	if !a.Asks() {
		return cli.Usage("%s; nothing was run\n  hint: --yes runs it without asking, %s", what, text.Line(hint))
	}
	fmt.Fprintln(a.Err, strings.ToUpper(what[:1])+what[1:]+".")
	ok, err := a.Confirm(ctx, "Run it?")
	if err == nil && !ok {
		err = cli.Usage("nothing was run")
	}
	return err
}

// within reports whether a run costs no more than limit, as far as can be known.
func within(f forecast.Forecast, limit float64) bool {
	return f.Most != nil && *f.Most <= limit || f.USD != nil && f.Hi <= limit
}

// probably says what a run will cost.
func probably(f forecast.Forecast) string {
	switch {
	case f.USD != nil:
		return fmt.Sprintf("the run will probably cost %s, between %s and %s", report.Money(f.USD), report.Money(&f.Lo), report.Money(&f.Hi))
	case f.Most != nil:
		return fmt.Sprintf("the run may cost up to %s", report.Money(f.Most))
	}
	return text.Line(fmt.Sprintf("nobody knows what the run costs: no price of %s is known", strings.Join(unpriced(f), ", ")))
}

// unpriced names the models whose price is not known.
func unpriced(f forecast.Forecast) (names []string) {
	for _, m := range f.Models {
		if m.USD == nil {
			names = append(names, m.Name)
		}
	}
	return names
}
