package report

import (
	"cookoff/report/number"
	"cookoff/report/stat"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/plan"
)

func newPlan(c *cli.Common) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:        "plan",
		SuggestFor: []string{"power", "estimate"},
		Short:      "Say how many tasks and trials tell models apart, before they are paid for",
		Long: `Says how many tasks, tried how often, it takes to see a difference between two
models, and what a run of a given size can show at best. How much outcomes vary
is taken from an earlier run (--from), whose costs are used too; without one it is
assumed, and what is assumed is printed. --rate, --alike, --apart and --trial-cost
say it themselves.

Tasks tell more than trials: twenty tasks tried once say more than ten tried twice.`,
		Example: `  cookoff plan --delta 10
  cookoff plan --from latest --delta 15 --power 90
  cookoff plan --tasks 14 --trials 3
  cookoff plan --rate 90 --trial-cost 0.05`,
		Args: cli.NoArguments("cookoff run --dry-run %s says what a run of a recipe would ask, and its cost"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.stated = cmd.Flags().Changed
			return f.run(c)
		},
	}
	fl, usual := cmd.Flags(), stat.Assumed()
	fl.Float64Var(&f.delta, "delta", 10, "the difference of rates to be seen, in `POINTS`")
	fl.Float64Var(&f.power, "power", 80, "see it in `PERCENT` of all runs, if it is there")
	fl.Float64Var(&f.alpha, "alpha", 5, "see one that is not there in `PERCENT` of all runs at most")
	fl.StringVar(&f.from, "from", "", "take how outcomes vary, and what trials cost, from `RUN` (or a report in JSON)")
	fl.IntVar(&f.tasks, "tasks", 0, "say what a run of `N` tasks shows")
	fl.IntVar(&f.trials, "trials", 1, "with --tasks: each tried `N` times")
	fl.Float64Var(&f.rate, "rate", 100*usual.Rate, "`PERCENT` of trials fix their task, about")
	fl.Float64Var(&f.correlation, "alike", usual.Correlation, "correlation `R` of two trials of one task by one model")
	fl.Float64Var(&f.apart, "apart", 100*usual.Apart,
		"by how many `POINTS` the difference of two models varies between tasks")
	fl.Float64Var(&f.trialUSD, "trial-cost", 0, "what a trial costs, in `USD`")
	fl.StringVar(&f.format, "format", "table", "table or json")
	_ = cmd.RegisterFlagCompletionFunc("from", reports.CompleteRuns(c)) // fails only for an unknown flag
	return cmd
}

// planFlags are the flags of "plan".
type planFlags struct {
	delta, power, alpha   float64 // in points and per cent
	from                  string  // a run; "": none
	tasks, trials         int     // 0 tasks: any number
	rate, apart           float64 // in per cent and points
	correlation, trialUSD float64
	stated                func(flag string) bool
	format                string
}

// planned is what "plan" says.
type planned struct {
	DeltaPoints float64     `json:"delta_points"`
	Power       float64     `json:"power"`
	Alpha       float64     `json:"alpha"`
	From        string      `json:"from,omitempty"`   // the run that the numbers below are of; absent: they are assumed
	Stated      []string    `json:"stated,omitempty"` // those of them that flags say
	Rate        float64     `json:"rate"`
	Correlation float64     `json:"alike"`
	ApartPoints float64     `json:"apart_points"`
	TrialUSD    *float64    `json:"trial_usd"`        // of a trial, by the run; null: unknown
	Doubts      []string    `json:"doubts,omitempty"` // why that run may be no good guess
	Sizes       []plannedOf `json:"sizes"`
	Shows       *shows      `json:"shows,omitempty"`
}

// plannedOf is a size that shows the difference.
type plannedOf struct {
	Trials int      `json:"trials"` // of each task
	Tasks  int      `json:"tasks"`
	USD    *float64 `json:"usd"` // of a run of two models
}

// shows is what a run of a given size shows.
type shows struct {
	Tasks  int      `json:"tasks"`
	Trials int      `json:"trials"`
	Points *float64 `json:"points"` // the smallest difference; null: none at all
}

func (f *planFlags) run(c *cli.Common) error {
	if err := f.check(); err != nil {
		return err
	}
	p, err := f.plan(c)
	if err != nil {
		return err
	}
	if f.format == "json" {
		return c.PrintJSON(p)
	}
	return cli.Written(p.print(c))
}

func (f *planFlags) check() error {
	if err := cli.OneOf("format", f.format, "table", "json"); err != nil {
		return err
	}
	for _, x := range []struct {
		flag     string
		is, most float64
	}{{"delta", f.delta, 100}, {"power", f.power, 99.9}, {"alpha", f.alpha, 50}} {
		if !(x.is > 0 && x.is <= x.most) {
			return cli.Usage("--%s %v: allowed is more than 0 and at most %v", x.flag, x.is, x.most)
		}
	}
	for _, x := range []struct {
		flag     string
		is, most float64
	}{{"rate", f.rate, 100}, {"alike", f.correlation, 1}, {"apart", f.apart, 100}, {"trial-cost", f.trialUSD, 1e6}} {
		if !(x.is >= 0 && x.is <= x.most) {
			return cli.Usage("--%s %v: allowed is from 0 to %v", x.flag, x.is, x.most)
		}
	}
	if f.tasks < 0 || f.trials < 1 {
		return cli.Usage("--tasks and --trials count from 1")
	}
	return nil
}

// plan works out how many tasks and repeats a run needs to see the difference that was
// asked about, with the spread of an earlier run or an assumed one.
func (f *planFlags) plan(c *cli.Common) (planned, error) {
	v := stat.Assumed()
	p := planned{DeltaPoints: f.delta, Power: f.power / 100, Alpha: f.alpha / 100, From: f.from}
	if f.from != "" {
		side, _, err := reports.ReadSide(c, f.from)
		if err != nil {
			return p, err
		}
		if v, err = plan.Seen(side.Report); err != nil {
			return p, cli.Usage("--from %s: %v\n  hint: without --from the variation is assumed", f.from, err)
		}
		p.TrialUSD, p.Doubts = meanCost(side.Report), plan.Doubts(side.Report, v)
	}
	f.state(&p, &v)
	p.Rate, p.Correlation, p.ApartPoints = v.Rate, v.Correlation, 100*v.Apart
	aim := stat.Aim{Delta: f.delta / 100, Power: p.Power, Level: p.Alpha}
	for _, trials := range []int{1, 2, 3, 5, 10} {
		n := v.Tasks(aim, trials)
		if math.IsInf(n, 0) || n > 1e6 {
			continue
		}
		size := plannedOf{Trials: trials, Tasks: int(n)}
		if p.TrialUSD != nil {
			size.USD = new(2 * n * float64(trials) * *p.TrialUSD)
		}
		p.Sizes = append(p.Sizes, size)
	}
	if f.tasks > 0 {
		p.Shows = &shows{Tasks: f.tasks, Trials: f.trials}
		if d, ok := v.Smallest(aim, f.tasks, f.trials); ok {
			p.Shows.Points = new(100 * d)
		}
	}
	return p, nil
}

// state has flags say what is neither assumed nor seen.
func (f *planFlags) state(p *planned, v *stat.Variation) {
	for _, x := range []struct {
		flag string
		say  func()
	}{
		{"rate", func() { v.Rate = f.rate / 100 }}, {"alike", func() { v.Correlation = f.correlation }},
		{"apart", func() { v.Apart = f.apart / 100 }}, {"trial-cost", func() { p.TrialUSD = &f.trialUSD }},
	} {
		if f.stated(x.flag) {
			x.say()
			p.Stated = append(p.Stated, x.flag)
		}
	}
}

// meanCost is what a trial of a model costs on average; nil: some cost is unknown.
func meanCost(r *report.Report) *float64 {
	sum, n := 0.0, 0
	for _, t := range r.Trials {
		switch {
		case report.Control(r.Run.Behind(t.Model)):
		case t.Outcome.CostUSD == nil:
			return nil
		default:
			sum, n = sum+*t.Outcome.CostUSD, n+1
		}
	}
	if n == 0 {
		return nil
	}
	return new(sum / float64(n))
}

func (p planned) print(c *cli.Common) error {
	how := "assumed; --from RUN takes them from a run"
	if p.From != "" {
		how = "as in " + text.Line(p.From)
	}
	if len(p.Stated) > 0 {
		how = "by --" + strings.Join(p.Stated, ", --") + "; else " + how
	}
	fmt.Fprintf(c.Out, "To see a difference of %g points between two models in %g%% of runs (false alarms: %g%%):\n\n",
		p.DeltaPoints, 100*p.Power, 100*p.Alpha)
	w := table.New(c.Out)
	w.Row("TRIALS OF EACH TASK", "TASKS", "TRIALS OF TWO MODELS", "COST")
	for _, s := range p.Sizes {
		w.Row(fmt.Sprint(s.Trials), fmt.Sprint(s.Tasks), fmt.Sprint(2*s.Tasks*s.Trials), number.Money(s.USD))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "\nrate %.0f%%, two trials of a task alike by %.2f, "+
		"differences vary by %.0f points between tasks: %s\n", 100*p.Rate, p.Correlation, p.ApartPoints, how)
	for _, line := range p.Doubts {
		fmt.Fprintln(c.Out, "! "+line)
	}
	if p.Shows == nil {
		return nil
	}
	size := fmt.Sprintf("%s tried %s each", text.Count(p.Shows.Tasks, "task"), text.Count(p.Shows.Trials, "time"))
	if p.Shows.Points == nil {
		_, err := fmt.Fprintf(c.Out, "%s: no difference can be seen, however large\n", size)
		return err
	}
	_, err := fmt.Fprintf(c.Out, "%s: no difference below %.0f points is seen that often\n", size,
		math.Ceil(*p.Shows.Points))
	return err
}
