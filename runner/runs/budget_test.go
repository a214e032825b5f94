package runs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/runner/budget"
	"cookoff/runner/runnertest"
	"cookoff/trial"
)

const budgetSections = "## Model Parameters\nmax_tokens: 100\n\n## Comparison\ntrials: 4\n"

// A run stops before the request that could overshoot its budget, whatever runs
// beside it, and what was not done stays to be done.
func TestBudgetIsNeverOvershot(t *testing.T) {
	size := 0
	for _, limit := range []float64{1, 20_000, 40_000, 1e9} {
		c := &runnertest.Chat{Steps: []any{
			runnertest.Call("1", "bash", `{"command":"touch done"}`), runnertest.Say("done"), runnertest.Call("1", "bash",
				`{"command":"touch done"}`),
			runnertest.Say("done"),
			runnertest.Call("1", "bash", `{"command":"touch done"}`), runnertest.Say("done"), runnertest.Call("1", "bash",
				`{"command":"touch done"}`),
			runnertest.Say("done"),
		}}
		for _, s := range c.Steps {
			s.(*model.Reply).Usage = model.Usage{Input: 5000, Output: 100, Known: true}
		}
		b := runnertest.New(t, map[string]model.Chat{"test/model": c})
		b.Env.Backend = runnertest.Backend{}
		b.Env.Prices, b.Env.MaxCost, b.Env.Parallel = runnertest.DollarAToken(t), limit, 1
		err := b.Runner(fmt.Sprintf(runnertest.MendRecipe, budgetSections)).RunAll(t.Context(), "r", b.Log, nil)
		var broke *budget.Error
		if enough := limit > 1e6; enough != (err == nil) || !enough && !errors.As(err, &broke) {
			t.Errorf("budget %v: %v", limit, err)
		}
		if spent := 5100 * float64(len(c.Seen)); spent > limit || broke != nil && broke.Spent != spent {
			t.Errorf("budget %v: %v spent, reported as %+v", limit, spent, broke)
		}
		if len(c.Seen) < size {
			t.Errorf("budget %v allows %d requests, a smaller one %d", limit, len(c.Seen), size)
		}
		size = len(c.Seen)
		if ended := b.Log.Text(trial.RunFinished); strings.Contains(ended, `"budget":true`) != (broke != nil) {
			t.Errorf("budget %v: %s", limit, ended)
		}
		if done := b.Log.Text(trial.TrialFinished); limit > 1 && strings.Contains(done, `"cancelled"`) {
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
	c := &runnertest.Chat{Steps: []any{runnertest.Call("1", "bash", `{"command":"true"}`),
		runnertest.Call("2", "bash", `{"command":"ls"}`),
		runnertest.Say("done")}}
	for _, s := range c.Steps {
		s.(*model.Reply).Usage = model.Usage{Input: 500_000, Output: 100, Cached: 400_000, Known: true}
	}
	b := runnertest.New(t, map[string]model.Chat{"test/model": c})
	b.Env.Prices = runnertest.DollarAToken(t)
	out := b.One(fmt.Sprintf(runnertest.MendRecipe, "## Constraints\nmax_cost: 700000\n"))
	if out.Stop != trial.StopMaxCost || len(c.Seen) != 1 || out.CostUSD != nil {
		t.Errorf("%s after %d requests, cost %v", out.Stop, len(c.Seen), out.CostUSD)
	}
	if got := strings.Join(out.Caveats, "\n"); !strings.Contains(got, `cached = … under [prices."test/model"]`) {
		t.Errorf("caveats %q", got)
	}
}

func TestBudgetNeedsPriceAndLength(t *testing.T) {
	check := func(sections string, p *model.Prices, want string) {
		t.Helper()
		b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{}})
		b.Env.Backend = runnertest.Backend{}
		b.Env.Prices, b.Env.MaxCost = p, 1
		rec, err := recipe.ParseContent([]byte(fmt.Sprintf(runnertest.MendRecipe, sections)))
		if err != nil {
			t.Fatal(err)
		}
		rr, err := rec.BuildRunner()
		if err != nil {
			t.Fatal(err)
		}
		if _, err = runner.New(rr, b.Env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	check(budgetSections, nil, `the price of "test/model" is not known`)
	check("", runnertest.DollarAToken(t), "set max_tokens under Model Parameters")
}
