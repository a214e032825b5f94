package report

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/ui/screen"
)

// A command needs nothing but its flags and what all commands share.
func TestACommandAlone(t *testing.T) {
	var out, errs bytes.Buffer
	c := &cli.Common{Out: screen.Stream{Writer: &out}, Err: screen.Stream{Writer: &errs}, Dir: t.TempDir(),
		Getenv: func(string) string { return "" }}
	journal := filepath.Join("..", "..", "..", "testdata", "journals", "mixed.jsonl")

	f := reportFlags{output: reports.Output{Format: "csv"}}
	f.gates.Flags(&cobra.Command{}) // none that holds
	if err := f.run(c, []string{journal}); err != nil || !strings.HasPrefix(out.String(), "run,") {
		t.Errorf("report: %v, %.80q", err, &out)
	}
	out.Reset()
	if err := (&compareFlags{output: reports.Output{Format: "json"}}).run(c, []string{journal, journal}); err != nil ||
		!strings.Contains(out.String(), `"cookoff.comparison/1"`) {
		t.Errorf("compare: %v, %.80q", err, &out)
	}
	if err := (&runsFlags{format: "table"}).run(c); err != nil || !strings.HasPrefix(errs.String(), "no runs in ") {
		t.Errorf("runs: %v, %q", err, &errs)
	}
	out.Reset()
	if err := (&watchFlags{plain: true}).run(t.Context(), c, journal); err != nil || out.Len() == 0 {
		t.Errorf("watch: %v, %.80q", err, &out)
	}
	if err := (&viewFlags{port: 70000}).run(t.Context(), c, journal); err == nil {
		t.Error("a port that is none is served on")
	}
}
