package runner

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/clock"
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
			call("1", "bash", `{"command":"touch done"}`), say("done"), call("1", "bash", `{"command":"touch done"}`), say("done"),
			call("1", "bash", `{"command":"touch done"}`), say("done"), call("1", "bash", `{"command":"touch done"}`), say("done"),
		}}
		for _, s := range c.steps {
			s.(*model.Reply).Usage = model.Usage{Input: 5000, Output: 100, Known: true}
		}
		b := newBench(t, map[string]model.Chat{"test/model": c})
		b.env.Backend = stubBackend{}
		b.env.Prices, b.env.MaxCost, b.env.Parallel = dollarAToken(t), limit, 1
		err := b.runner(fmt.Sprintf(mendRecipe, budgetSections)).RunAll(t.Context(), "r", b.log, nil)
		var broke *BudgetError
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

// What nobody tells the cost of counts in full; what was turned away, not at all.
func TestBudgetCountsWhatIsNotTold(t *testing.T) {
	b := newBench(t, map[string]model.Chat{"test/model": &chat{steps: []any{say("x")}}})
	b.env.Backend = stubBackend{}
	b.env.Prices, b.env.MaxCost = dollarAToken(t), 1000
	l := &loop{r: b.runner(fmt.Sprintf(mendRecipe, budgetSections)), id: "test/model"}
	check := func(what string, reply *model.Reply, err error, want float64) {
		t.Helper()
		if got := l.took(77, reply, err); got != want {
			t.Errorf("%s costs %v, want %v", what, got, want)
		}
	}
	check("a reply", say("x"), nil, 12)
	check("a reply without a usage", &model.Reply{}, nil, 77)
	check("a broken stream", nil, &model.RetryError{Err: errors.New("reset")}, 77)
	check("a busy provider", nil, &model.RetryError{Busy: true, Err: errors.New("429")}, 0)
	check("a refusal", nil, &model.RefusedError{Usage: model.Usage{Input: 3, Known: true}}, 3)
	check("a refusal without a usage", nil, &model.RefusedError{}, 77)
	check("a rejected key", nil, &model.AuthError{Err: errors.New("401")}, 0)
	check("a model that is not there", nil, &model.NotFoundError{Err: errors.New("404")}, 0)
	req := &model.Request{Messages: []model.Message{{Role: model.User, Content: "hello"}}, Params: l.params()}
	if most := l.most(req); most < 105 || most > 400 {
		t.Errorf("at most %v", most)
	}
}

// A price without one for cached tokens leaves the cost unknown, which is said,
// and max_cost holds all the same.
func TestCachedTokensWithoutAPrice(t *testing.T) {
	c := &chat{steps: []any{call("1", "bash", `{"command":"true"}`), call("2", "bash", `{"command":"ls"}`), say("done")}}
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

// simulated is a run on paper: trials of some requests each, so many at once, that
// cost as they happen to. It gives what was spent, on trials that did not end, and
// how many of each model's ended.
func simulated(rng *rand.Rand, limit float64, atOnce, models int, skew float64) (spent, lost float64, ended []int) {
	b := newBudget(limit)
	b.expect = func(string) (float64, bool) { return 1, true }
	type work struct {
		c     *claim
		model int
		needs []float64
	}
	var under []*work
	ended = make([]int, models)
	const request = 0.1 // what one costs, and half of what it may cost at most
	broke := false
	for next := 0; ; {
		for len(under) < atOnce && !broke {
			var group []trial.Trial
			for m := range models {
				group = append(group, trial.Trial{ID: fmt.Sprintf("t%06d", next/models*models+m), Model: fmt.Sprint("acme/", m)})
			}
			t := group[next%models]
			b.waiting = []string{t.ID}
			if b.admit(t, group) != yes {
				break
			}
			usd, _ := b.probably(t.Model)
			delete(b.promised, t.ID)
			w := &work{c: &claim{model: t.Model, probably: usd}, model: next % models}
			for range max(1, int(math.Exp(skew*rng.NormFloat64()-skew*skew/2)/request)) {
				w.needs = append(w.needs, request)
			}
			b.under = append(b.under, w.c)
			under = append(under, w)
			next++
		}
		if len(under) == 0 {
			return b.spent, lost, ended
		}
		moved := false
		for _, w := range slices.Clone(under) {
			got := b.keep(w.c, 2*request)
			switch {
			case got == later:
				continue
			case got == yes:
				b.settle(w.c, 2*request, request)
				w.needs = w.needs[1:]
			}
			if moved = true; got == yes && len(w.needs) > 0 {
				continue
			}
			if got == no {
				lost, broke = lost+w.c.spent, true
			} else {
				ended[w.model]++
			}
			b.end(w.c, got == yes)
			under = slices.DeleteFunc(under, func(o *work) bool { return o == w })
		}
		if !moved {
			panic("all wait for each other")
		}
	}
}

// TestBudgetEndsTrials: over budgets, numbers at once and costs that differ a lot,
// a tenth of the money at most goes into trials that do not end, and all contestants
// have tried nearly the same.
func TestBudgetEndsTrials(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sum, cells := 0.0, 0.0
	for _, limit := range []float64{5, 10, 20, 50, 200} {
		for _, atOnce := range []int{1, 4, 16, 64} {
			for _, skew := range []float64{0, 0.5, 1} {
				spent, lost, apart := 0.0, 0.0, 0
				const runs = 40
				for range runs {
					s, l, ended := simulated(rng, limit, atOnce, 2, skew)
					spent, lost = spent+s, lost+l
					apart += slices.Max(ended) - slices.Min(ended)
					if s > limit+1e-9 || limit >= 10 && slices.Max(ended) == 0 {
						t.Errorf("$%v, %d at once, skew %v: $%v spent, %v ended", limit, atOnce, skew, s, ended)
					}
				}
				t.Logf("$%v, %d at once, skew %v: %.0f %% spent, %.1f %% of it lost, %.1f trials apart", limit, atOnce, skew, 100*spent/limit/runs, 100*lost/spent, float64(apart)/runs)
				sum, cells = sum+lost/spent, cells+1
				most := 0.1
				if skew == 1 && limit < 50 { // a trial in ten costs three times as much as another, or more
					most = 0.3
				}
				if lost > most*spent {
					t.Errorf("$%v, %d at once, skew %v: %.0f %% of the money went into trials that did not end", limit, atOnce, skew, 100*lost/spent)
				}
			}
		}
	}
	if t.Logf("%.1f %% lost over all", 100*sum/cells); sum > 0.1*cells {
		t.Errorf("%.0f %% of the money went into trials that did not end", 100*sum/cells)
	}
}

// A provider that ignores max_tokens is believed to write twice as much as it did;
// where there is no limit the longest reply so far stands for it.
func TestLongestReply(t *testing.T) {
	r := &Runner{habits: newHabits()}
	l := &loop{r: r, id: "acme/one", out: &trial.Outcome{}, account: &account{}, rec: &recorder{sink: &log{}, clock: clock.Real{}}}
	check := func(limit *int, want int) {
		t.Helper()
		if got := l.longestReply(limit); got != want {
			t.Errorf("limit %v: %d tokens, want %d", limit, got, want)
		}
	}
	check(new(100), 100)
	check(nil, assumedReply)
	r.env.Past = &Past{longest: 90}
	check(new(100), 100)
	check(nil, 180)
	l.charge(model.Usage{Input: 1, Output: 700, Known: true})
	check(new(100), 1400)
	check(nil, 1400)
}
