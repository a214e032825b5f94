package witness

import (
	"context"
	"testing"

	"cookoff/trial"
)

// TestHinderedNeedsTheUser: a state is judged twice, the second time without the
// user, who has heard the questions of the first.
func TestHinderedNeedsTheUser(t *testing.T) {
	asked := func(context.Context, Place) (trial.Verdict, error) { return trial.Verdict{}, nil }
	b := &Bench{Asked: []Question{asked}, Stranger: &Place{Who: trial.Stranger}, Referee: &Place{Who: trial.Referee}}
	said := []trial.Verdict{{Status: trial.NotHeld}, {Status: trial.Held}}
	if hindered, err := b.hindered(t.Context(), asked, said); hindered || err != nil {
		t.Errorf("%v, %v", hindered, err)
	}
}
