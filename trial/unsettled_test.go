package trial_test

import (
	"testing"

	"cookoff/trial"
)

// TestUnsettledOfAgents: an agent has several requests under way, and tells of its tools
// meanwhile; what each of them may have cost is lost with the process.
func TestUnsettledOfAgents(t *testing.T) {
	var u trial.Unsettled
	emit := func(e trial.Event) {
		e.Trial = "t001"
		if err := u.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	called := func(n int, usd float64) {
		emit(trial.Event{Kind: trial.ModelCalled, Called: &trial.Called{Request: n, MostUSD: &usd}})
	}
	called(1, 1)
	called(2, 2)
	emit(trial.Event{Kind: trial.ToolCalled, Tool: &trial.Tool{}})
	called(3, 4)
	emit(trial.Event{Kind: trial.GatewayServed, Request: &trial.Request{N: 2}})
	emit(trial.Event{Kind: trial.GatewayServed, Request: &trial.Request{Outcome: trial.RequestRefused}})
	emit(trial.Event{Kind: trial.ModelReplied, Replied: &trial.Replied{}})
	u.End()
	if b := u.All(); b != (trial.Bound{Requests: 2, USD: 5}) {
		t.Errorf("%+v, want what the first and the third may have cost", b)
	}
	called(1, 8)
	emit(trial.Event{Kind: trial.TrialFinished, Outcome: &trial.Outcome{}})
	u.End()
	if b := u.All(); b.USD != 5 {
		t.Errorf("a trial that ended left %+v", b)
	}
}
