package run

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/reports"
	"cookoff/internal/temporary"
	"cookoff/report"
	"cookoff/report/formats"
	"cookoff/report/gates"
	"cookoff/runner"
	"cookoff/trial"
)

// conclusion is how a run ended.
type conclusion struct {
	report      *report.Report
	want        gates.Set
	output      reports.Output
	err         error // why it could not go on
	interrupted bool
	dir         string
}

// print prints what there is to report, and finds the exit code.
func (c conclusion) print(d *door.Door) error {
	c.report.Gates = c.want.Check(c.report)
	var printErr error
	if c.report.Run.ID != "" {
		printErr = errors.Join(reports.Print(d.Common,
			reports.Recorded{Report: c.report, Journals: []string{filepath.Join(c.dir, trial.JournalFile)}}, c.output),
			reports.StepSummary(d.Common, c.report))
	}
	switch {
	case errors.Is(c.err, trial.ErrGone):
		return cli.Fail(cli.ExitInfra, c.gone())
	case c.interrupted && !trial.Kept(c.dir):
		d.Say("interrupted: nothing had begun, and nothing is kept")
		return cli.Fail(cli.ExitInterrupted, nil)
	case c.interrupted:
		d.Say("interrupted: what finished is kept in %s\n"+
			"  hint: cookoff resume %s goes on with it, cookoff report prints it again", d.Rel(c.dir),
			filepath.Base(c.dir))
		return cli.Fail(cli.ExitInterrupted, nil)
	case c.report.State == report.Spent:
		more := "with a larger --max-total-cost"
		if e, ok := errors.AsType[*runner.BudgetError](c.err); ok && e.Next > 0 {
			more = fmt.Sprintf("--max-total-cost %.2f", math.Ceil(100*e.Enough)/100)
		}
		return cli.Fail(cli.ExitSpent, fmt.Errorf("%w\n  hint: cookoff resume %s %s goes on with it", c.err,
			filepath.Base(c.dir), more))
	case c.err != nil:
		return cli.Fail(cli.ExitInfra, c.err)
	case printErr != nil:
		return cli.Fail(cli.ExitInfra, printErr)
	}
	if err := reports.GateFailure(d.Common, c.report, c.want); err != nil {
		c.sayUnjudged(d)
		return err
	}
	sayNext(d, c.report)
	return nil
}

// gone is the error of a run whose journal is gone. What is known is written into a file beside
// what may be left of the journal, for whatever reads reports.
func (c conclusion) gone() error {
	to, err := temporary.File("", "cookoff-new-*")
	if err != nil {
		return c.err // the table is printed
	}
	path := filepath.Join(os.TempDir(), "cookoff-rescued-"+rand.Text()+".json")
	err = errors.Join(formats.JSON(to, c.report), to.Close())
	if err != nil || os.Rename(to.Name(), path) != nil {
		_ = os.Remove(to.Name()) // half a report is none
		return c.err
	}
	return fmt.Errorf("%w\n  hint: the report of what is known is in %s", c.err, path)
}

// sayUnjudged says of what nothing could be judged: of the whole run, or of its models.
func (c conclusion) sayUnjudged(d *door.Door) {
	switch names := c.report.Unjudged(); {
	case c.report.Judged() == 0:
		hint := ""
		if len(c.report.Excluded) > 0 {
			hint = "\n  hint: cookoff why shows what the steps printed at which tasks were not admitted"
		}
		d.PrintError(errors.New("nothing could be judged: every trial is void" + hint))
	case len(names) > 0 && c.want.MaxVoid == nil:
		d.PrintError(fmt.Errorf("nothing of %s could be judged: every trial but those of baselines is void\n"+
			"  hint: cookoff resume %s tries again what may have passed; --max-void N says how many trials may be void",
			strings.Join(names, ", "), filepath.Base(c.dir)))
	}
}
