package resumed

import (
	"testing"

	"cookoff/trial"
)

// TestPastOfAgents: what an agent's requests have cost is known request by request, also
// where the process died before a reply of its model was told.
func TestPastOfAgents(t *testing.T) {
	p := New()
	cost := func(usd float64) *float64 { return &usd }
	for _, e := range []trial.Event{
		{Kind: trial.TrialStarted, Start: &trial.Trial{Model: "fake: m/m"}},
		{Kind: trial.ModelCalled, Called: &trial.Called{Request: 1, MostUSD: cost(64)}},
		{Kind: trial.GatewayServed, Request: &trial.Request{N: 1, CostUSD: cost(1)}},
		{Kind: trial.GatewayServed, Request: &trial.Request{N: 2, Helper: true, CostUSD: cost(2)}},
		{Kind: trial.ModelReplied, Replied: &trial.Replied{CostUSD: cost(3)}},
		{Kind: trial.GatewayServed, Request: &trial.Request{N: 3, CostUSD: cost(4)}},
		{Kind: trial.ModelCalled, Called: &trial.Called{Request: 4, MostUSD: cost(8)}},
		{Kind: trial.Note, Note: &trial.NoteText{}},
	} {
		e.Trial, e.Attempt = "t001", 1
		if err := p.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	if u := p.Unsettled(); p.spent != 7 || p.cost["t001"] != 7 || u.USD != 8 || u.Requests != 1 {
		t.Errorf("spent %v, of the trial %v, unsettled %+v; want 7, 7 and one of 8", p.spent, p.cost["t001"], u)
	}
	if b := p.Budget(); b.Above != 63 {
		t.Errorf("a request was held to cost %v more than it did, want 63", b.Above)
	}
}
