package budget

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cookoff/trial"
)

// simulated is a run on paper: trials of some requests each, so many at once, that
// cost as they happen to. It gives what was spent, on trials that did not end, and
// how many of each model's ended.
func simulated(rng *rand.Rand, limit float64, atOnce, models int, skew float64) (spent, lost float64, ended []int) {
	b := New(limit, func(string) (float64, bool) { return 1, true }, SpentBefore{})
	type work struct {
		c     *Claim
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
			w := &work{c: &Claim{of: b, model: t.Model, probably: usd}, model: next % models}
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
				w.c.Settle(2*request, request)
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
			w.c.End(got == yes)
			under = slices.DeleteFunc(under, func(o *work) bool { return o == w })
		}
		if !moved {
			panic("all wait for each other")
		}
	}
}

// TestBudgetEndsTrials: over budgets, numbers at once and costs that differ a lot,
// a tenth of the money at most goes into trials that do not end, and all contestants
// have tried nearly the same. Money for five trials whose costs differ that much is too
// little for any rule: one after another they lose as much (decision 124).
func TestBudgetEndsTrials(t *testing.T) {
	sum, cells := 0.0, 0.0
	for _, limit := range []float64{5, 10, 20, 50, 200} {
		for _, atOnce := range []int{1, 4, 16, 64} {
			for _, skew := range []float64{0, 0.5, 1} {
				spent, lost, apart := 0.0, 0.0, 0
				runs := min(150, int(1500/limit))
				if skew == 0 { // all are alike
					runs = 1
				}
				rng := rand.New(rand.NewPCG(1, 2)) // the same costs however many at once
				for range runs {
					s, l, ended := simulated(rng, limit, atOnce, 2, skew)
					spent, lost = spent+s, lost+l
					apart += slices.Max(ended) - slices.Min(ended)
					if s > limit+1e-9 || limit >= 10 && slices.Max(ended) == 0 {
						t.Errorf("$%v, %d at once, skew %v: $%v spent, %v ended", limit, atOnce, skew, s, ended)
					}
				}
				t.Logf("$%v, %d at once, skew %v: %.0f %% spent, %.1f %% of it lost, %.1f trials apart", limit, atOnce, skew,
					100*spent/limit/float64(runs), 100*lost/spent, float64(apart)/float64(runs))
				sum, cells = sum+lost/spent, cells+1
				most := 0.1
				if skew == 1 && limit < 10 { // a trial in ten costs two and a half times as much as they do on average
					most = 0.2
				}
				if lost > most*spent {
					t.Errorf("$%v, %d at once, skew %v: %.0f %% of the money went into trials that did not end", limit, atOnce, skew,
						100*lost/spent)
				}
			}
		}
	}
	if t.Logf("%.1f %% lost over all", 100*sum/cells); sum > 0.05*cells {
		t.Errorf("%.0f %% of the money went into trials that did not end, want 5 at most", 100*sum/cells)
	}
}

// TestSpend: what was spent beside the trials leaves so much less to them.
func TestSpend(t *testing.T) {
	b := New(1, nil, SpentBefore{})
	c := b.Lone()
	b.Spend(0.7)
	if c.Try(0.4) {
		t.Error("more is held back than there is")
	}
	if !c.Try(0.3) {
		t.Error("what is left is not held back")
	}
	(*Budget)(nil).Spend(1) // there is no limit
	if err, want := b.SpentUp().Error(), "up to $0.7000 is spent"; !strings.Contains(err, want) {
		t.Errorf("%s, want %s", err, want)
	}
}

// TestEnough: where a limit is too small for one more trial, what is said to be enough lets
// it begin.
func TestEnough(t *testing.T) {
	one := trial.Trial{ID: "t011", Model: "acme/one", Task: "copy", N: 11}
	costs := map[string][]float64{"acme/one": {0.01, 0.01, 0.01}}
	begins := func(limit float64) (bool, *Error) {
		b := New(limit, nil, SpentBefore{0.1, costs, 0.013}) // the bytes of a request are more than its tokens
		_, ok, err := b.Begin(t.Context(), one, []trial.Trial{one})
		if err != nil {
			t.Fatal(err)
		}
		short, _ := errors.AsType[*Error](b.SpentUp())
		return ok, short
	}
	ok, short := begins(0.12)
	if ok || short == nil || short.Enough <= 0.12 {
		t.Fatalf("it begins: %v, %+v", ok, short)
	}
	if ok, short := begins(short.Enough + 1e-9); !ok {
		t.Errorf("what is said to be enough is not: %+v", short)
	}
}

// TestOneAtLeast: a run that goes on, and in which nothing that costs has ended, begins one trial, whatever
// it probably costs.
func TestOneAtLeast(t *testing.T) {
	one := trial.Trial{ID: "t011", Model: "acme/one", Task: "copy", N: 11}
	for _, test := range []struct {
		costs map[string][]float64
		want  bool
	}{
		{map[string][]float64{"baseline/noop": {0, 0, 0}}, true},
		{map[string][]float64{"acme/one": {0.01, 0.01, 0.01}}, false},
	} {
		b := New(0.12, func(string) (float64, bool) { return 0.01, true }, SpentBefore{0.1, test.costs, 0.013})
		if _, ok, err := b.Begin(t.Context(), one, []trial.Trial{one}); ok != test.want || err != nil {
			t.Errorf("after %v: begins %v (%v), want %v", test.costs, ok, err, test.want)
		}
	}
}
