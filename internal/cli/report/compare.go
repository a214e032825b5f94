package report

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/files"
	"cookoff/report/compare"
	"cookoff/report/formats"
	"cookoff/report/html"
	"cookoff/trial"
)

func newCompare(c *cli.Common) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare RUN RUN...",
		Short: "Say what changed between runs, task by task",
		Long: `Compares runs with the first of them: for each model the tasks that both judged
are paired by name, and the difference is tested as in every report. Tasks and
models that only one run has are left out, and named. Runs of different recipes
are compared too; the output says so. The page of --format html shows the
transcripts of what changed side by side.

RUN is the id of a run, the beginning of it, the path of its directory or
journal, "latest", a report written with --format json, a job directory of Harbor,
or a log of Inspect or a directory of these.`,
		Example: `  cookoff compare 20261120-09 20261121-08
  cookoff compare 20261120-09 20261121-08 --format html -o compare.html
  cookoff compare main.json .cookoff/runs/20261121-080000-a1b2c3 --format markdown`,
		Args:              cli.Positional(2, -1, "two runs"),
		ValidArgsFunction: reports.CompleteRuns(c),
		RunE:              func(_ *cobra.Command, names []string) error { return f.run(c, names) },
	}
	formats := comparisonFormats()
	cmd.Flags().StringVar(&f.output.Format, "format", "",
		"print the comparison as `FORMAT`: "+strings.Join(formats,
			", ")+" (none: as the name of -o says, else "+formats[0]+")")
	cmd.Flags().StringVarP(&f.output.File, "output", "o", "",
		"write the comparison to `FILE` instead of standard output (-: standard output)")
	cmd.Flags().Float64Var(&f.alpha, "alpha", 0,
		"call a difference significant at `ALPHA` (0: as the confidence of the first run says)")
	_ = cmd.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return cmd
}

// comparisonFormats are those of "compare", the default first.
func comparisonFormats() []string { return append(formats.ComparisonFormats(), reports.FormatHTML) }

// compareFlags are the flags of "compare".
type compareFlags struct {
	output reports.Output
	alpha  float64
}

// run compares the runs and reports of these names with the first of them.
func (f *compareFlags) run(c *cli.Common, names []string) error {
	if err := f.output.Check(comparisonFormats()...); err != nil {
		return err
	}
	if err := reports.CheckAlpha(f.alpha); err != nil {
		return err
	}
	var sides []compare.Side
	var journals []string
	for _, name := range names {
		s, journal, err := reports.ReadSide(c, name)
		if err != nil {
			return err
		}
		sides, journals = append(sides, s), append(journals, journal)
	}
	changed, err := compare.Runs(sides, f.alpha)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	page := comparison{changed, journals}
	if f.output.Format == reports.FormatHTML && files.CanBeRegular(f.output.File) {
		return cli.Written(reports.WritePage(c, page, f.output.File))
	}
	return reports.WriteOutput(c, f.output, func(opt formats.Options) ([]byte, error) {
		var b bytes.Buffer
		if f.output.Format == reports.FormatHTML {
			_, err := page.Page(&b, html.Options{})
			return b.Bytes(), err
		}
		err := formats.WriteComparison(&b, f.output.Format, changed, opt)
		return b.Bytes(), err
	})
}

// comparison is shown with the transcripts in the journals of its runs, "" for one that
// has none.
type comparison struct {
	*compare.Result
	journals []string
}

// Page is reports.Paged.
func (c comparison) Page(w io.Writer, o html.Options) (html.Cut, error) {
	t := html.NewTranscripts()
	if err := c.tell(t); err != nil {
		return nil, err
	}
	return html.WriteComparisonCut(w, c.Result, t, o)
}

// TellAgain is reports.Paged.
func (c comparison) TellAgain(w *html.Wholes) error { return c.tell(w) }

// sided takes the events of several runs, and reads what lies beside their journals.
type sided interface {
	In(journal string) (done func())
	Side(i int) trial.Sink
}

func (c comparison) tell(to sided) error {
	for i, path := range c.journals {
		if path == "" {
			continue
		}
		done := to.In(path)
		_, err := trial.ReadFile(path, to.Side(i).Emit)
		if done(); err != nil {
			return err
		}
	}
	return nil
}
