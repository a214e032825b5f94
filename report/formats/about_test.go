package formats

import (
	"bytes"
	"strings"
	"testing"

	"cookoff/report"
	"cookoff/trial"
)

// What a recipe says of itself stands in what people read, made harmless.
func TestAbout(t *testing.T) {
	r := &report.Report{State: report.Finished, Run: trial.Run{ID: "r1", Recipe: "x",
		Metadata: &trial.Metadata{Description: "three\x1b[2J faults", Author: "Ada <a@b>", Version: "2",
			Tags: []string{"go", "ci"}}}}
	var table, markdown bytes.Buffer
	if err := Table(&table, r, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&markdown, r); err != nil {
		t.Fatal(err)
	}
	if want := `three\x1b[2J faults · version 2 · by Ada <a@b> · tags: go, ci` + "\n"; !strings.Contains(table.String(),
		want) {
		t.Errorf("table without %q:\n%s", want, &table)
	}
	if got := markdown.String(); !strings.Contains(got, `version 2 · by Ada \<a\@<!-- -->b\> · tags: go, ci`) ||
		strings.Contains(got, "\x1b") {
		t.Errorf("markdown:\n%s", got)
	}
	if got := report.About(&report.Report{}); got != "" {
		t.Errorf("about nothing: %q", got)
	}
}
