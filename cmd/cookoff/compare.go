package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/screen"
	"cookoff/report"
	"cookoff/report/html"
	"cookoff/trial"
)

func (a *app) compareCommand() *cobra.Command {
	var o output
	var alpha float64
	cmd := &cobra.Command{
		Use:   "compare RUN RUN...",
		Short: "Say what changed between runs, task by task",
		Long: `Compares runs with the first of them: for each model the tasks that both judged
are paired by name, and the difference is tested as in every report. Tasks and
models that only one run has are left out, and named. Runs of different recipes
are compared too; the output says so. The page of --format html shows the
transcripts of what changed side by side.

RUN is the id of a run, the beginning of it, the path of its directory or
journal, "latest", or a report written with --format json.`,
		Example: `  cookoff compare 20261120-09 20261121-08
  cookoff compare 20261120-09 20261121-08 --format html -o compare.html
  cookoff compare main.json .cookoff/runs/20261121-080000-a1b2c3 --format markdown`,
		Args:              cli.Positional(2, -1, "two runs"),
		ValidArgsFunction: a.completeRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.check(comparisonFormats()...); err != nil {
				return err
			}
			if err := checkAlpha(alpha); err != nil {
				return err
			}
			return a.compare(args, alpha, o)
		},
	}
	formats := comparisonFormats()
	cmd.Flags().StringVar(&o.format, "format", "", "print the comparison as `FORMAT`: "+strings.Join(formats, ", ")+" (none: as the name of -o says, else "+formats[0]+")")
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "write the comparison to `FILE` instead of standard output (-: standard output)")
	cmd.Flags().Float64Var(&alpha, "alpha", 0, "call a difference significant at `ALPHA` (0: as the confidence of the first run says)")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return cmd
}

// comparisonFormats are those of "compare", the default first.
func comparisonFormats() []string { return append(report.ComparisonFormats(), formatHTML) }

// checkAlpha refuses a chance that is none; 0 is the default.
func checkAlpha(alpha float64) error {
	if !(alpha >= 0 && alpha < 1) {
		return cli.Usage("--alpha %v: give a fraction between 0 and 1, as 0.05", alpha)
	}
	return nil
}

func (a *app) compare(args []string, alpha float64, o output) error {
	var sides []report.Side
	var journals []string
	for _, name := range args {
		s, journal, err := a.side(name)
		if err != nil {
			return err
		}
		sides, journals = append(sides, s), append(journals, journal)
	}
	c, err := report.Compare(sides, alpha)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	return a.deliver(o, func(opt report.Options) ([]byte, error) {
		var b bytes.Buffer
		if o.format == formatHTML {
			err := comparisonPage(&b, c, journals)
			return b.Bytes(), err
		}
		err := c.Write(&b, o.format, opt)
		return b.Bytes(), err
	})
}

// comparisonPage shows a comparison with the transcripts in the journals of its
// runs, "" for one that has none.
func comparisonPage(w io.Writer, c *report.Comparison, journals []string) error {
	t := html.NewTranscripts()
	for i, path := range journals {
		if path == "" {
			continue
		}
		done := t.In(path)
		_, err := trial.ReadFile(path, t.Side(i).Emit)
		if done(); err != nil {
			return err
		}
	}
	return html.WriteComparison(w, c, t)
}

// side reads one run to compare: a report in JSON, or the journal that name
// means; journal is "" for a report.
func (a *app) side(name string) (s report.Side, journal string, err error) {
	if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
		text, err := os.ReadFile(name)
		if err != nil {
			return s, "", cli.Fail(cli.ExitInfra, err)
		}
		r, ok, err := report.ReadJSON(text)
		if err != nil {
			return s, "", cli.Fail(cli.ExitUsage, fmt.Errorf("%s: %w", name, err))
		}
		if ok {
			return report.Side{Name: name, Report: r}, "", nil
		}
	}
	r, err := a.readRuns([]string{name}, reportReading{})
	if err != nil {
		return s, "", err
	}
	return report.Side{Name: name, Report: r.Report}, r.journals[0], nil
}

// reportReading says how journals are read.
type reportReading struct{ mix, corrupt bool }

// readRuns folds the journals of the runs that names mean, into one report. Runs
// of different recipes need mix.
func (a *app) readRuns(names []string, how reportReading) (recorded, error) {
	var paths []string
	for _, name := range names {
		path, err := trial.FindRun(a.Dir, name)
		if err != nil {
			return recorded{}, cli.Fail(cli.ExitUsage, err)
		}
		paths = append(paths, path)
	}
	b := report.New()
	read := reading(trial.OutlineFile)
	if how.corrupt {
		read = func(path string, each func(trial.Event) error) (bool, error) {
			damage, err := trial.ReadDamaged(path, each)
			a.sayDamage(damage)
			return false, err
		}
	}
	join, torn, err := readJournals(paths, read, b)
	if err != nil {
		return recorded{}, unreadable(err)
	}
	for _, path := range torn {
		a.Say("%s %s ends in the middle of a line: what was written before it is shown", a.Err.Paint(screen.Yellow, "warning:"), path)
	}
	switch ids := join.Runs(); {
	case len(paths) > 1 && len(ids) < len(paths):
		return recorded{}, cli.Usage("these are not %d different runs: %s", len(paths), strings.Join(ids, ", "))
	case len(paths) > 1 && join.Mixed() && !how.mix:
		return recorded{}, cli.Usage("these runs are of different recipes: their trials do not belong into one table\n  hint: cookoff compare pairs what they share, --mix joins them all the same")
	}
	if !slices.ContainsFunc(paths, trial.Written) {
		b.Abandoned()
	}
	return recorded{b.Report(), paths}, nil
}

// unreadable is the failure of a command that could not read a journal: what is
// none was named by mistake.
func unreadable(err error) error {
	if errors.Is(err, trial.ErrNoJournal) {
		return cli.Fail(cli.ExitUsage, fmt.Errorf("%w\n  hint: cookoff runs lists the runs; a report stands for one only in JSON", err))
	}
	return cli.Fail(cli.ExitInfra, err)
}

// reading is trial.ReadFile or trial.OutlineFile.
type reading func(path string, each func(trial.Event) error) (torn bool, err error)

// readJournals gives the events of journals to a sink, those of several as of one
// run. torn are the journals that were cut off.
func readJournals(paths []string, read reading, to trial.Sink) (join *report.Join, torn []string, err error) {
	join = &report.Join{To: to}
	for _, path := range paths {
		emit := to.Emit
		if len(paths) > 1 {
			join.Next()
			emit = join.Emit
		}
		begun := false
		cut, err := read(path, func(e trial.Event) error {
			begun = begun || e.Run != nil && e.Run.ID != ""
			return emit(e)
		})
		if err != nil {
			return nil, nil, err
		}
		if !begun {
			return nil, nil, fmt.Errorf("reading %s: no run was recorded there", path)
		}
		if cut {
			torn = append(torn, path)
		}
	}
	return join, torn, nil
}
