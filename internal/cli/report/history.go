package report

import (
	"cookoff/report/number"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/history"
	"cookoff/trial"
)

func newHistory(c *cli.Common) *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history [MODEL]",
		Short: "Show each contestant over time, and when it changed",
		Long: `Reads the journals of this project's runs and shows, for each contestant, a line a
run, and from which run on it did better or worse than chance explains: paired by
the tasks that runs share, among the runs of the latest recipe. Nothing is stored.

MODEL is a contestant, or a glob such as 'openai/*'.`,
		Example: `  cookoff history
  cookoff history 'openai/*' --format json`,
		Args: cli.Positional(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error { return f.run(c, append(args, "*")[0]) },
	}
	cmd.Flags().StringVar(&f.format, "format", "table", "table or json")
	cmd.Flags().Float64Var(&f.alpha, "alpha", 0.05,
		"say that one changed where chance does so in `ALPHA` of all histories at most")
	return cmd
}

// historyFlags are the flags of "history".
type historyFlags struct {
	format string
	alpha  float64
}

// contestantJSON is a contestant over time.
type contestantJSON struct {
	Model   string       `json:"model"`
	Runs    []resultJSON `json:"runs"`
	Changed *changeJSON  `json:"changed"` // null: no change is told from chance
}

// resultJSON is what became of a contestant in one run.
type resultJSON struct {
	Run     string    `json:"run"`
	When    time.Time `json:"when"`
	Version string    `json:"version"` // of cookoff
	Recipe  string    `json:"recipe"`
	Digest  string    `json:"digest"`
	Pass    int       `json:"pass"`
	Judged  int       `json:"judged"`
	CostUSD *float64  `json:"cost_usd"`
	Served  []string  `json:"served,omitempty"`
}

type changeJSON struct {
	Run     string    `json:"run"` // the first that is different
	Tasks   int       `json:"tasks"`
	Diff    float64   `json:"diff"`
	P       float64   `json:"p"`
	When    time.Time `json:"when"`           // that run was begun
	Version string    `json:"version"`        // of cookoff there
	Before  string    `json:"version_before"` // of cookoff in the run before
	Edited  bool      `json:"recipe_edited"`  // in between or elsewhere: tasks of one name may differ
}

func (f *historyFlags) run(c *cli.Common, glob string) error {
	if err := cli.OneOf("format", f.format, "table", "json"); err != nil {
		return err
	}
	if err := reports.CheckAlpha(f.alpha); err != nil {
		return err
	}
	if _, err := path.Match(glob, ""); err != nil {
		return cli.Usage("%q is no glob: %v", glob, err)
	}
	ids, err := trial.Runs(c.Dir)
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	var all []*report.Report
	for _, id := range ids {
		r, err := reports.Read(c, []string{id}, reports.Reading{})
		if err != nil {
			c.Say("run %s is left out: %v", id, err)
			continue
		}
		all = append(all, r.Report)
	}
	var shown []history.Contestant
	for _, x := range history.Of(all, f.alpha) {
		if fits, _ := path.Match(glob, x.Name); fits || glob == "*" {
			shown = append(shown, x)
		}
	}
	if f.format == "json" {
		return c.PrintJSON(historyJSON(shown))
	}
	if len(all) == 0 {
		c.Say("no runs in this project\n  hint: cookoff run makes one")
		return nil
	}
	if len(shown) == 0 {
		c.Say("no run of this project judged %s\n  hint: cookoff runs lists the runs", text.Line(glob))
		return nil
	}
	return cli.Written(printHistory(c, shown))
}

func historyJSON(all []history.Contestant) []contestantJSON {
	out := []contestantJSON{}
	for _, x := range all {
		j := contestantJSON{Model: x.Name, Runs: []resultJSON{}}
		for _, r := range x.Runs {
			j.Runs = append(j.Runs, resultJSON{r.ID, r.When, r.Version, r.Recipe, r.Digest, r.Pass, r.Judged,
				r.USD, r.Served})
		}
		if ch := x.Changed; ch != nil {
			j.Changed = &changeJSON{ch.Run, ch.Tasks, ch.Diff, ch.P, ch.Since.When, ch.Since.Version,
				ch.Last.Version, ch.Edited}
		}
		out = append(out, j)
	}
	return out
}

func printHistory(c *cli.Common, all []history.Contestant) error {
	for i, x := range all {
		if i > 0 {
			fmt.Fprintln(c.Out)
		}
		fmt.Fprintln(c.Out, text.Line(x.Name))
		w := table.New(c.Out)
		w.Row("RUN", "STARTED", "RECIPE", "FIXED", "RATE", "COST", "VERSION", "ANSWERED BY")
		for _, r := range x.Runs {
			w.Row(r.ID, r.When.Local().Format("2006-01-02 15:04"), text.Cut(r.Recipe, 30),
				fmt.Sprintf("%d/%d", r.Pass, r.Judged),
				fmt.Sprintf("%.0f%%", 100*r.Rate), number.Money(r.USD), r.Version, strings.Join(r.Served, ", "))
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if ch := x.Changed; ch != nil {
			fmt.Fprintf(c.Out, "changed with run %s: %+.0f points on %s since then (p=%.3f for a change at any time)\n",
				ch.Run, 100*ch.Diff, text.Count(ch.Tasks, "task"), ch.P)
			for _, line := range circumstances(ch) {
				fmt.Fprintln(c.Out, "  "+line)
			}
		} else if len(x.Runs) > 1 {
			fmt.Fprintln(c.Out, "no change is told from chance")
		}
	}
	return nil
}

// circumstances says when a change came, and what else was other than in the run before.
func circumstances(ch *history.Change) []string {
	last, since := ch.Last, ch.Since
	day := func(r history.Run) string { return r.When.Local().Format(time.DateOnly) }
	out := []string{fmt.Sprintf("between %s and %s", day(last), day(since))}
	differ := func(what, before, after string) {
		if before != after {
			out = append(out, fmt.Sprintf("%s: %s before, %s since", what, number.OrDash(text.Line(before)),
				number.OrDash(text.Line(after))))
		}
	}
	differ("cookoff", last.Version, since.Version)
	differ("answered by", strings.Join(last.Served, ", "), strings.Join(since.Served, ", "))
	if ch.Edited {
		out = append(out, "the recipe is not the same in all of these runs: a task of the same name may be another")
	}
	return out
}
