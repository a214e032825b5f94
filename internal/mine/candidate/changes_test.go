package candidate

import (
	"fmt"
	"slices"
	"testing"

	"cookoff/internal/history"
	"cookoff/internal/history/historytest"
)

// TestChanges: what git says of many commits at once is what it says of each, merges,
// odd paths and empty commits included.
func TestChanges(t *testing.T) {
	repo, err := history.Open(t.Context(), historytest.Kinds(t))
	if err != nil {
		t.Fatal(err)
	}
	log, err := repo.Log(t.Context(), history.LogQuery{From: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	c := changesOf(log)
	steps, known := 0, 0
	for _, e := range log {
		if len(e.Parents) == 0 {
			continue
		}
		s := history.Step{From: e.Parents[0], To: e.ID}
		got, err := c.of(t.Context(), repo, s)
		want, wantErr := repo.Changes(t.Context(), s)
		if !slices.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v %v, want %v %v", e.Message, got, err, want, wantErr)
		}
		steps++
		if _, is := c.known[s]; is {
			known++
		}
	}
	if known < steps-1 { // one is empty
		t.Errorf("%d of %d commits were asked for one by one", steps-known, steps)
	}
}
