package resumed

import (
	"testing"

	"cookoff/trial"
)

// What ended by the model's doing stands; what was void for a cause that may pass
// does not.
func TestWhatIsLeft(t *testing.T) {
	for _, test := range []struct {
		outcome trial.Outcome
		ended   bool
	}{
		{trial.Outcome{Status: trial.Pass}, true},
		{trial.Outcome{Status: trial.Fail, Cause: trial.CauseWrongFix}, true},
		{trial.Outcome{Status: trial.Void, Cause: trial.CauseAdmission}, true},
		{trial.Outcome{Status: trial.Void, Cause: trial.CauseStaging}, true},
		{trial.Outcome{Status: trial.Void, Cause: trial.CauseProvider}, false},
		{trial.Outcome{Status: trial.Void, Cause: trial.CauseSandbox}, false},
		{trial.Outcome{Status: trial.Void, Cause: trial.CauseCancelled}, false},
	} {
		p := New()
		for _, e := range []trial.Event{
			{Kind: trial.RunStarted, Run: &trial.Run{Trials: []trial.Trial{{ID: "t001"}}}},
			{Kind: trial.TrialStarted, Trial: "t001", Attempt: 2},
			{Kind: trial.TrialFinished, Trial: "t001", Attempt: 2, Outcome: &test.outcome},
		} {
			_ = p.Emit(e) // never fails
		}
		if p.Finished() != test.ended || p.Attempts(trial.Trial{ID: "t001"}) != 2 {
			t.Errorf("%+v: ended %v after %d attempts", test.outcome, p.Finished(), p.attempts["t001"])
		}
		_ = p.Emit(trial.Event{Kind: trial.TrialStarted, Trial: "t001", Attempt: 3})
		if p.Finished() {
			t.Errorf("%+v: another attempt has begun, and nothing is left", test.outcome)
		}
	}
}
