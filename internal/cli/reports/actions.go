package reports

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"cookoff/internal/cli"
	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/formats"
)

// maxSummary is the most that GitHub takes for the summary of a step, in bytes.
const maxSummary = 1 << 20

// maxAnnotations is how many annotations of a kind GitHub shows for a step.
const maxAnnotations = 10

// onActions reports whether GitHub Actions reads what is printed.
func onActions(c *cli.Common) bool { return c.Getenv("GITHUB_ACTIONS") == "true" }

// Group folds what is printed until the function it gives is called, in the log
// of GitHub Actions.
func Group(c *cli.Common, title string) (end func()) {
	if !onActions(c) || c.Quiet {
		return func() {}
	}
	fmt.Fprintf(c.Err, "::group::%s\n", escapeCommand(title))
	return func() { fmt.Fprintln(c.Err, "::endgroup::") }
}

// annotate shows broken gates, and what has to be known before the numbers are
// believed, beside a job of GitHub Actions.
func annotate(c *cli.Common, r *report.Report, broken []report.GateResult) {
	var gates, warnings []annotation
	for _, g := range broken {
		gates = append(gates, annotation{"gate " + gateName(g) + " does not hold", g.Why})
	}
	for _, w := range r.Warnings {
		warnings = append(warnings, annotation{"cookoff", w})
	}
	annotateAs(c, "error", gates)
	annotateAs(c, "warning", warnings)
}

type annotation struct{ title, text string }

// annotateAs shows as many annotations of a kind as GitHub does.
func annotateAs(c *cli.Common, kind string, all []annotation) {
	if !onActions(c) {
		return
	}
	for i, x := range all {
		if i == maxAnnotations-1 && len(all) > maxAnnotations {
			x = annotation{"cookoff", fmt.Sprintf("and %d more", len(all)-i)}
		}
		if i < maxAnnotations {
			fmt.Fprintf(c.Err, "::%s title=%s::%s\n", kind, escapeProperty(x.title),
				escapeCommand(text.Visible(x.text)))
		}
	}
}

// escapeCommand makes text safe as the message of a workflow command.
func escapeCommand(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty makes text safe as a property of a workflow command.
func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeCommand(text.Visible(s)))
}

// StepSummary appends the report as Markdown to the file that GitHub Actions
// shows beside the job, where there is one: as much of it as is shown.
func StepSummary(c *cli.Common, r *report.Report) error {
	path := c.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("writing GITHUB_STEP_SUMMARY: %w", err)
	}
	room := int64(maxSummary)
	if st, err := f.Stat(); err == nil { // what other programs of the step wrote counts too
		room -= st.Size()
	}
	text, left := formats.Summary(r, int(room))
	if len(left) > 0 {
		c.Say("warning: the job summary has no room for %s", strings.Join(left, ", "))
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
