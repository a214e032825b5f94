package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/report"
	"cookoff/report/html"
	"cookoff/trial"
)

func (a *app) compareCommand() *cobra.Command {
	var o reports.Output
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
		ValidArgsFunction: reports.CompleteRuns(&a.Common),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.Check(comparisonFormats()...); err != nil {
				return err
			}
			if err := reports.CheckAlpha(alpha); err != nil {
				return err
			}
			return a.compare(args, alpha, o)
		},
	}
	formats := comparisonFormats()
	cmd.Flags().StringVar(&o.Format, "format", "", "print the comparison as `FORMAT`: "+strings.Join(formats, ", ")+" (none: as the name of -o says, else "+formats[0]+")")
	cmd.Flags().StringVarP(&o.File, "output", "o", "", "write the comparison to `FILE` instead of standard output (-: standard output)")
	cmd.Flags().Float64Var(&alpha, "alpha", 0, "call a difference significant at `ALPHA` (0: as the confidence of the first run says)")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return cmd
}

// comparisonFormats are those of "compare", the default first.
func comparisonFormats() []string { return append(report.ComparisonFormats(), reports.FormatHTML) }

func (a *app) compare(args []string, alpha float64, o reports.Output) error {
	var sides []report.Side
	var journals []string
	for _, name := range args {
		s, journal, err := reports.ReadSide(&a.Common, name)
		if err != nil {
			return err
		}
		sides, journals = append(sides, s), append(journals, journal)
	}
	c, err := report.Compare(sides, alpha)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	return reports.Deliver(&a.Common, o, func(opt report.Options) ([]byte, error) {
		var b bytes.Buffer
		if o.Format == reports.FormatHTML {
			err := comparisonPage(&b, c, journals)
			return b.Bytes(), err
		}
		err := c.Write(&b, o.Format, opt)
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
