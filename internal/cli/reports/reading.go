package reports

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/runs"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/compare"
	"cookoff/report/formats"
	"cookoff/trial"
)

// maxReport is how large a report in JSON may be, in bytes: what is larger is a journal.
const maxReport = 256 << 20

// ReadSide reads one run to compare: a report in JSON, or the journal that name
// means; journal is "" for a report and for
// what another program recorded.
func ReadSide(c *cli.Common, name string) (s compare.Side, journal string, err error) {
	if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() && st.Size() <= maxReport && !isForeign(name) {
		text, err := os.ReadFile(name)
		if err != nil {
			return s, "", cli.Fail(cli.ExitInfra, err)
		}
		r, ok, err := formats.ReadJSON(text)
		if err != nil {
			return s, "", cli.Fail(cli.ExitUsage, fmt.Errorf("%s: %w", name, err))
		}
		if ok {
			return compare.Side{Name: name, Report: r}, "", nil
		}
	}
	r, err := Read(c, []string{name}, Reading{})
	if err != nil {
		return s, "", err
	}
	if isForeign(r.Journals[0]) {
		return compare.Side{Name: name, Report: r.Report}, "", nil
	}
	return compare.Side{Name: name, Report: r.Report}, r.Journals[0], nil
}

// Reading says how journals are read.
type Reading struct{ Mix, Corrupt bool }

// Read folds the journals of the runs that names mean, into one report. Runs
// of different recipes need mix.
func Read(c *cli.Common, names []string, how Reading) (Recorded, error) {
	var paths []string
	for _, name := range names {
		path, err := findRun(c.Dir, name)
		if err != nil {
			return Recorded{}, cli.Fail(cli.ExitUsage, err)
		}
		paths = append(paths, path)
	}
	b := report.New()
	read := readFunc(trial.OutlineFile)
	if how.Corrupt {
		read = func(path string, each func(trial.Event) error) (bool, error) {
			damage, err := trial.ReadDamaged(path, each)
			SayDamage(c, damage)
			return false, err
		}
	}
	join, torn, err := readJournals(paths, anyRun(read), b)
	if err != nil {
		return Recorded{}, runs.Unreadable(err)
	}
	for _, path := range torn {
		c.Say("%s %s ends in the middle of a line: what was written before it is shown",
			c.Err.Paint(screen.Yellow, "warning:"), path)
	}
	switch ids := join.Runs(); {
	case len(paths) > 1 && len(ids) < len(paths):
		return Recorded{}, cli.Usage("these are not %d different runs: %s", len(paths), strings.Join(ids, ", "))
	case len(paths) > 1 && join.Mixed() && !how.Mix:
		return Recorded{}, cli.Usage("these runs are of different recipes: their trials do not belong " +
			"into one table\n" +
			"  hint: cookoff compare pairs what they share, --mix joins them all the same")
	}
	if !slices.ContainsFunc(paths, func(p string) bool { return !isForeign(p) && trial.Written(p) }) {
		b.Abandoned()
	}
	r := b.Report()
	if len(r.Foreign) > 0 && !how.Mix {
		return Recorded{}, cli.Usage("these runs are not parts of one comparison:\n  %s\n"+
			"  hint: --mix joins them all the same",
			strings.Join(r.Foreign, "\n  "))
	}
	return Recorded{r, paths}, nil
}

// readFunc is trial.ReadFile or trial.OutlineFile.
type readFunc func(path string, each func(trial.Event) error) (torn bool, err error)

// readJournals gives the events of journals to a sink, those of several as of one
// run. torn are the journals that were cut off.
func readJournals(paths []string, read readFunc, to trial.Sink) (join *report.Join, torn []string, err error) {
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
			return nil, nil, runs.Empty(path)
		}
		if cut {
			torn = append(torn, path)
		}
	}
	return join, torn, nil
}

// SayDamage says what of a journal was left out.
func SayDamage(c *cli.Common, d trial.Damage) {
	var parts []string
	add := func(what string, which []string) {
		if more := len(which) - maxNamed; more > 0 {
			which = append(which[:maxNamed:maxNamed], fmt.Sprintf("and %d more", more))
		}
		if len(which) > 0 {
			parts = append(parts, what+": "+text.Line(strings.Join(which, ", ")))
		}
	}
	add("lines that are no events of this run", numbers(d.Lines))
	add("lines that are there twice and count once", numbers(d.Repeated))
	add("trials that are lost", d.Trials)
	if len(parts) > 0 {
		c.Say("the journal is damaged: %s", strings.Join(parts, "; "))
	}
}

// maxNamed is how many lines and trials of a damaged journal are named.
const maxNamed = 20

func numbers(of []int) (out []string) {
	for _, n := range of {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// CompleteRuns offers the runs of the project in which the program works.
func CompleteRuns(c *cli.Common) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		ids, err := trial.Runs(c.Dir)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
