package runner

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/budget"
	"cookoff/trial"
)

// dollarAToken gives test/model a price of one dollar a token.
func dollarAToken(t *testing.T) *model.Prices {
	t.Helper()
	p, err := model.LoadPrices([]byte("[prices.\"test/model\"]\ninput = 1000000.0\noutput = 1000000.0\n"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const budgetSections = "## Model Parameters\nmax_tokens: 100\n\n## Comparison\ntrials: 4\n"

// A run stops before the request that could overshoot its budget, whatever runs
// beside it, and what was not done stays to be done.
func TestBudgetIsNeverOvershot(t *testing.T) {
	size := 0
	for _, limit := range []float64{1, 20_000, 40_000, 1e9} {
		c := &chat{steps: []any{
			call("1", "bash", `{"command":"touch done"}`), say("done"), call("1", "bash", `{"command":"touch done"}`),
			say("done"),
			call("1", "bash", `{"command":"touch done"}`), say("done"), call("1", "bash", `{"command":"touch done"}`),
			say("done"),
		}}
		for _, s := range c.steps {
			s.(*model.Reply).Usage = model.Usage{Input: 5000, Output: 100, Known: true}
		}
		b := newBench(t, map[string]model.Chat{"test/model": c})
		b.env.Backend = stubBackend{}
		b.env.Prices, b.env.MaxCost, b.env.Parallel = dollarAToken(t), limit, 1
		err := b.runner(fmt.Sprintf(mendRecipe, budgetSections)).RunAll(t.Context(), "r", b.log, nil)
		var broke *budget.Error
		if enough := limit > 1e6; enough != (err == nil) || !enough && !errors.As(err, &broke) {
			t.Errorf("budget %v: %v", limit, err)
		}
		if spent := 5100 * float64(len(c.seen)); spent > limit || broke != nil && broke.Spent != spent {
			t.Errorf("budget %v: %v spent, reported as %+v", limit, spent, broke)
		}
		if len(c.seen) < size {
			t.Errorf("budget %v allows %d requests, a smaller one %d", limit, len(c.seen), size)
		}
		size = len(c.seen)
		if ended := b.log.text(trial.RunFinished); strings.Contains(ended, `"budget":true`) != (broke != nil) {
			t.Errorf("budget %v: %s", limit, ended)
		}
		if done := b.log.text(trial.TrialFinished); limit > 1 && strings.Contains(done, `"cancelled"`) {
			t.Errorf("budget %v: a trial began that could not end: %s", limit, done)
		}
	}
	if size != 8 {
		t.Errorf("%d requests with money for all", size)
	}
}

// A price without one for cached tokens leaves the cost unknown, which is said,
// and max_cost holds all the same.
func TestCachedTokensWithoutAPrice(t *testing.T) {
	c := &chat{steps: []any{call("1", "bash", `{"command":"true"}`), call("2", "bash", `{"command":"ls"}`),
		say("done")}}
	for _, s := range c.steps {
		s.(*model.Reply).Usage = model.Usage{Input: 500_000, Output: 100, Cached: 400_000, Known: true}
	}
	b := newBench(t, map[string]model.Chat{"test/model": c})
	b.env.Prices = dollarAToken(t)
	out := b.one(fmt.Sprintf(mendRecipe, "## Constraints\nmax_cost: 700000\n"))
	if out.Stop != trial.StopMaxCost || len(c.seen) != 1 || out.CostUSD != nil {
		t.Errorf("%s after %d requests, cost %v", out.Stop, len(c.seen), out.CostUSD)
	}
	if got := strings.Join(out.Caveats, "\n"); !strings.Contains(got, `cached = … under [prices."test/model"]`) {
		t.Errorf("caveats %q", got)
	}
}

func TestBudgetNeedsPriceAndLength(t *testing.T) {
	check := func(sections string, p *model.Prices, want string) {
		t.Helper()
		b := newBench(t, map[string]model.Chat{"test/model": &chat{}})
		b.env.Backend = stubBackend{}
		b.env.Prices, b.env.MaxCost = p, 1
		rec, err := recipe.ParseContent([]byte(fmt.Sprintf(mendRecipe, sections)))
		if err != nil {
			t.Fatal(err)
		}
		rr, err := rec.BuildRunner()
		if err != nil {
			t.Fatal(err)
		}
		if _, err = New(rr, b.env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	check(budgetSections, nil, `the price of "test/model" is not known`)
	check("", dollarAToken(t), "set max_tokens under Model Parameters")
}
