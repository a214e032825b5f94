package runner

import (
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/resumed"
	"cookoff/runner/worlds"
	"cookoff/sandbox/native"
	"cookoff/trial"
)

// TestPricesChanged: a run that goes on at other prices says so; sub-agents, and replies
// whose price nobody knew, say nothing of its contestants.
func TestPricesChanged(t *testing.T) {
	env := Env{Machine: worlds.Machine{Backend: native.New(native.Options{})}, Project: worlds.Project{Dir: t.TempDir()}}
	runner := func() *Runner {
		r, err := built(t, "", env)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	name := runner().Recipe.Names()[0]
	check := func(input float64, agent string, cost *float64, want string) {
		t.Helper()
		p := resumed.New()
		for _, e := range []trial.Event{
			{Kind: trial.TrialStarted, Trial: "t001", Attempt: 1, Start: &trial.Trial{ID: "t001", Model: name}},
			{Kind: trial.ModelReplied, Trial: "t001", Attempt: 1, Agent: agent, Replied: &trial.Replied{CostUSD: cost,
				Reply: model.Reply{Usage: model.Usage{Input: 1000, Output: 10, Known: true}}}},
		} {
			_ = p.Emit(e) // never fails
		}
		prices, err := (&model.Prices{}).With(map[string]model.Price{name: {Input: input, Output: 0}})
		if err != nil {
			t.Fatal(err)
		}
		env.Journal, env.Prices = p, prices
		if got := strings.Join(runner().repriced(), " "); got != want {
			t.Errorf("at $%v: %q, want %q", input, got, want)
		}
	}
	check(1, "", new(0.001), "")
	check(2, "", new(0.001), name)
	check(2, "1", new(0.001), "")
	check(2, "", nil, "")
	env.Journal = nil
	if got := runner().repriced(); len(got) > 0 {
		t.Errorf("a run that begins: %v", got)
	}
}
