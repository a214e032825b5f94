package formats

import (
	"bytes"
	"strings"
	"testing"

	"cookoff/report"
	"cookoff/trial"
)

// What a contestant is and is given stands in what people read, whatever its name is.
func TestContestants(t *testing.T) {
	r := &report.Report{State: report.Finished, Run: trial.Run{ID: "r1", Contestants: []trial.Contestant{
		{Name: "a | `b`\x1b[2J", Model: "x/y",
			Given: []trial.Given{{Key: "files", Text: "AGENTS.md <b> (1 byte)"}, {Key: "temperature", Text: "0"}}},
		{Name: "plain", Model: "x/y", Agent: "codex"},
	}}}
	var table, markdown bytes.Buffer
	if err := Table(&table, r, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&markdown, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\ncontestants\n" +
		"· a | `b`\\x1b[2J (x/y): files: AGENTS.md <b> (1 byte); temperature: 0\n",
		"· plain (codex: x/y): as the recipe has it\n"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("table without %q:\n%s", want, &table)
		}
	}
	for _, want := range []string{"| ``a \\| `b`\\x1b[2J`` | `x/y` | files: AGENTS.md \\<b\\> (1 byte); " +
		"temperature: 0 |\n", "| `plain` | `codex: x/y` | as the recipe has it |\n"} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("markdown without %q:\n%s", want, &markdown)
		}
	}
}

// A row of CSV says it too, whether its trial has ended or not.
func TestContestantsInCSV(t *testing.T) {
	r := &report.Report{Run: trial.Run{ID: "r1", Contestants: []trial.Contestant{
		{Name: "notes", Model: "x/y", Given: []trial.Given{{Key: "files", Text: "AGENTS.md"}, {Key: "temperature",
			Text: "0"}}},
		{Name: "plain", Model: "x/y", Agent: "codex"}}},
		Trials:  []report.Trial{{Trial: trial.Trial{Model: "notes"}}, {Trial: trial.Trial{Model: "z/free"}}},
		Pending: []report.Trial{{Trial: trial.Trial{Model: "plain"}}}}
	rows := strings.Split(write(t, "csv", r, Options{}), "\n")
	for i, want := range []string{",agent_and_model,given", ",x/y,files: AGENTS.md; temperature: 0", ",z/free,",
		",codex: x/y,"} {
		if !strings.HasSuffix(strings.TrimSpace(rows[i]), want) {
			t.Errorf("row %d is %q, want it to end with %q", i, rows[i], want)
		}
	}
}
