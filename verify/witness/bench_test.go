package witness

import (
	"context"
	"testing"

	"cookoff/trial"
)

// TestEarlierNeedsTheUser: a state is judged twice, the second time without the
// user, who has heard the questions of the first.
func TestEarlierNeedsTheUser(t *testing.T) {
	asked := func(context.Context, Place) (trial.Verdict, error) { return trial.Verdict{}, nil }
	b := &Bench{Asked: []Question{asked}, Stranger: &Place{Who: trial.Stranger}, Referee: &Place{Who: trial.Referee}}
	said := []trial.Verdict{{Status: trial.NotHeld}, {Status: trial.Held}}
	if earlier, err := b.earlier(t.Context(), asked, said); earlier || err != nil {
		t.Errorf("%v, %v", earlier, err)
	}
}
