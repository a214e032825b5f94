package agent

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"cookoff/contestant/gateway"
	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/runner/clock"
	"cookoff/runner/cores"
	"cookoff/runner/record"
	"cookoff/trial"
)

type nowhere struct{}

func (nowhere) Emit(trial.Event) error { return nil }

// spender is an agent of which a token of its model costs 1/1000 of a dollar.
func spender(t *testing.T, claim *budget.Claim, maxCost float64) *Contestant {
	t.Helper()
	prices, err := (&model.Prices{}).With(map[string]model.Price{"acme/big": {Input: 1000, Output: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{Model: "acme/big", Clock: clock.Real{}, Prices: prices, Claim: claim, MaxCost: maxCost,
		Record: &record.Recorder{Sink: nowhere{}, Clock: clock.Real{}}, Outcome: &trial.Outcome{}})
}

// TestBudgetAndGreed: a run's budget is too small only where the request is like others;
// one that is made to be too large is the agent's own limit.
func TestBudgetAndGreed(t *testing.T) {
	check := func(name string, broke bool, asks ...gateway.Ask) {
		t.Helper()
		m := &spender(t, budget.New(400, nil, budget.SpentBefore{}).Lone(), 0).money
		var err error
		for i, a := range asks {
			var g gateway.Grant
			if g, err = m.admit(t.Context(), a); err == nil {
				g.Settle(trial.Request{Outcome: trial.RequestOK}) // of unknown cost: all that was held is spent
			} else if i < len(asks)-1 {
				t.Fatalf("%s: request %d: %v", name, i, err)
			}
		}
		if _, short := errors.AsType[*budget.Error](err); !short || (m.broke != nil) != broke {
			t.Errorf("%s: error %v; the run's is %v, want one: %v", name, err, m.broke, broke)
		}
	}
	first := gateway.Ask{Input: 50_000, Output: 100_000} // $150
	check("two like each other, and a third", true, first, first, first)
	check("too small for the first", true, gateway.Ask{Input: 250_000, Output: 200_000})
	check("a long conversation", true, gateway.Ask{Input: 200_000}, gateway.Ask{Input: 300_000})
	check("a body of 30 MiB", false, first, gateway.Ask{Input: 30 << 20})
	check("at once", false, gateway.Ask{Input: 30 << 20})
}

// TestMaxCostHolds: calls at once wait for each other's money, the last is given what is
// left for its reply, and one that nobody waited for has cost what it could.
func TestMaxCostHolds(t *testing.T) {
	m := &spender(t, nil, 100).money // 100,000 tokens
	ask := gateway.Ask{Input: 4_000, Output: 60_000}
	first, err := m.admit(t.Context(), ask)
	if err != nil || first.Output != 0 || *first.Most != 64 {
		t.Fatalf("the first: %+v, %v", first, err)
	}
	second := make(chan gateway.Grant)
	go func() {
		g, err := m.admit(t.Context(), ask)
		if err != nil {
			t.Errorf("the second: %v", err)
		}
		second <- g
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.admit(ctx, ask); !errors.Is(err, context.Canceled) {
		t.Errorf("one beside the first is admitted: %v", err)
	}
	first.Settle(trial.Request{Outcome: trial.RequestLeft, Guessed: true, Usage: model.Usage{Input: 1000, Known: true},
		CostUSD: first.Most})
	g := <-second
	if g.Output != 34_000 {
		t.Errorf("the second may have %d tokens, want what is left: 34,000", g.Output)
	}
	cost := 35.0
	g.Settle(trial.Request{Outcome: trial.RequestOK, Usage: model.Usage{Input: 1000, Output: 34_000, Known: true},
		CostUSD: &cost})
	if _, err := m.admit(t.Context(), ask); err == nil || !strings.Contains(err.Error(), "$99.0000 spent") {
		t.Errorf("the third: %v", err)
	}
}

// TestUnknownCostIsCharged: what a cache gave without a price counts as if it had not.
// TestThinkingFits: who is to think gets a reply in which there is room for it, or none.
func TestThinkingFits(t *testing.T) {
	check := func(maxCost float64, want int, refused bool) {
		t.Helper()
		m := &spender(t, nil, maxCost).money
		g, err := m.admit(t.Context(), gateway.Ask{Input: 2000, Output: 32_000, Thinks: 31_999})
		if g.Output != want || (err != nil) != refused {
			t.Errorf("of $%v: %d tokens, %v; want %d, refused: %v", maxCost, g.Output, err, want, refused)
		}
	}
	check(40, 0, false)
	check(21, 20_000, false)
	check(3.048, 2048, false)
	check(3.047, 0, true)
}

// TestHelperWaitsForMoneyElsewhere: a helper call that waits for money leaves the place to
// the trial that has it, and needs the place to end.
func TestHelperWaitsForMoneyElsewhere(t *testing.T) {
	one, whole := cores.New(1), budget.New(100, func(string) (float64, bool) { return 0, true }, budget.SpentBefore{})
	begin := func(id string) *budget.Claim {
		c, ok, err := whole.Begin(t.Context(), trial.Trial{ID: id, Model: "acme/big"}, nil)
		if err != nil || !ok {
			t.Fatalf("%s does not begin: %v", id, err)
		}
		return c
	}
	older := begin("t1")
	if err := older.Hold(t.Context(), 80); err != nil {
		t.Fatal(err)
	}
	older.Settle(80, 1)
	older.End(true) // what a trial costs is known
	older, younger := begin("t2"), begin("t3")
	if err := older.Hold(t.Context(), 80); err != nil {
		t.Fatal(err)
	}
	c := spender(t, younger, 0)
	c.seat.place = one.Place()
	if err := c.seat.place.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		g, err := c.money.admit(t.Context(), gateway.Ask{Input: 30_000, Output: 10_000, Helper: true})
		if err == nil {
			g.Settle(trial.Request{Outcome: trial.RequestOK, CostUSD: new(1.0)})
		}
		done <- err
	}()
	theirs := one.Place()
	if err := theirs.Take(t.Context()); err != nil { // else this hangs
		t.Fatal(err)
	}
	older.Settle(80, 1)
	older.End(true)
	theirs.Leave()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := c.seat.place.Take(t.Context()); err != nil || len(done) > 0 {
		t.Errorf("its place is not taken again: %v", err)
	}
}

func TestUnknownCostIsCharged(t *testing.T) {
	m := &spender(t, nil, 10).money
	g, err := m.admit(t.Context(), gateway.Ask{Input: 4, Output: 1000})
	if err != nil {
		t.Fatal(err)
	}
	g.Settle(trial.Request{Outcome: trial.RequestOK,
		Usage: model.Usage{Input: 9_900, Cached: 9_000, Output: 1, Known: true}})
	if _, err := m.admit(t.Context(), gateway.Ask{Input: 4, Output: 1000}); err == nil {
		t.Errorf("$%v of 10 are spent, and another call is admitted", m.spent)
	}
}

// TestDenseRequests: a request takes of max_cost what it can cost: its tokens are as short as
// any before, and two bytes before any is known; what a cache is to keep has its own price.
func TestDenseRequests(t *testing.T) {
	check := func(name string, cached *float64, ask gateway.Ask, want float64, before ...model.Usage) {
		t.Helper()
		m := &spender(t, nil, 1000).money
		prices, err := (&model.Prices{}).With(map[string]model.Price{"acme/big": {Input: 1000, Output: 1000,
			CacheWrite: cached}})
		if err != nil {
			t.Fatal(err)
		}
		m.c.Prices = prices
		for _, u := range before {
			free := 0.0
			g, err := m.admit(t.Context(), gateway.Ask{Input: 3000, Output: 300})
			if err != nil {
				t.Fatal(err)
			}
			u.Known = true
			g.Settle(trial.Request{Outcome: trial.RequestOK, Usage: u, CostUSD: &free})
		}
		if _, err := m.admit(t.Context(), ask); err != nil || math.Abs(m.reserved-want) > 1e-9 {
			t.Errorf("%s: $%v are reserved (%v), want %v", name, m.reserved, err, want)
		}
	}
	ask, caches := gateway.Ask{Input: 6000, Output: 300}, gateway.Ask{Input: 6000, Output: 300, Caches: true}
	check("nothing is known", nil, ask, 3+0.3)
	check("prose, then digits", nil, ask, 4+0.3, model.Usage{Input: 800}, model.Usage{Input: 2000})
	check("pictures", nil, ask, 1.5+0.3, model.Usage{Input: 10})
	check("what the provider adds", nil, ask, 6+0.3, model.Usage{Input: 90_000})
	check("a cache without a price", nil, caches, 6+0.3)
	check("a cache, an hour's price unknown", new(1250.0), caches, 6+0.3)
}
