package main

import (
	"testing"

	"cookoff/report"
	"cookoff/trial"
)

// The journal that is measured is one that cookoff reads to its end.
func TestJournalCanBeRead(t *testing.T) {
	path, err := writeJournal(t.TempDir(), "20260101-000000-aaaaaa", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	fold := report.New()
	if _, err := trial.ReadFile(path, fold.Emit); err != nil {
		t.Fatal(err)
	}
	if r := fold.Report(); len(r.Trials) < 2 || len(r.Pending) > 0 {
		t.Errorf("%d trials have ended, %d are open", len(r.Trials), len(r.Pending))
	}
}
