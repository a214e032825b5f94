package plain

import (
	"strings"
	"testing"

	"cookoff/trial"
)

// TestHiddenNames: neither what a provider says nor a price tells who is who. What was said
// by an agent's protocol is not read out.
func TestHiddenNames(t *testing.T) {
	tell := func(hidden bool) string {
		var b strings.Builder
		w := New(&b, func(string) (string, bool) { return "model A", hidden })
		for _, e := range []trial.Event{
			{Kind: trial.TrialStarted, Start: &trial.Trial{Model: "lab/a"}},
			{Kind: trial.Note, Note: &trial.NoteText{Kind: "retried", Text: "asking lab/a: busy"}},
			{Kind: trial.Note, Note: &trial.NoteText{Kind: trial.NoteProtocol, Text: "> {\"id\":1}"}},
			{Kind: trial.TrialFinished, Outcome: &trial.Outcome{Status: trial.Pass, CostUSD: new(0.25)}},
		} {
			e.Trial = "t001"
			if err := w.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	if got := tell(true); strings.Contains(got, "lab") || strings.Contains(got, "$") || !strings.Contains(got,
		"A note on model A: retried.\n") {
		t.Errorf("%s", got)
	}
	if got := tell(false); strings.Contains(got, "acp") ||
		!strings.Contains(got, "asking lab/a: busy") || !strings.Contains(got, "$0.2500") {
		t.Errorf("%s", got)
	}
}
