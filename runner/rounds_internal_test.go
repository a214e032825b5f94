package runner

import (
	"fmt"
	"testing"

	"cookoff/runner/resolve"
	"cookoff/trial"
)

// Beginning a trial of a long run looks at the trials of its round, and not at the whole plan.
func TestARoundIsFoundWithoutThePlan(t *testing.T) {
	var chains [][]trial.Trial
	for n := 1; n <= 10_000; n++ {
		for _, m := range []string{"a/b", "c/d"} {
			chains = append(chains, []trial.Trial{{ID: fmt.Sprint(m, n), Model: m, Task: "one", N: n}})
		}
	}
	a := &runAll{r: &Runner{}, dead: map[string]string{}, rounds: roundsOf(chains)}
	a.r.Values = &resolve.Values{}
	asked := trial.Trial{Model: "a/b", Task: "one", N: 7}
	got := a.group(asked)
	if len(got) != 2 || got[0].ID != "a/b7" || got[1].ID != "c/d7" {
		t.Errorf("the round of %v is %v", asked, got)
	}
	if n := testing.AllocsPerRun(10, func() { a.group(asked) }); n > 20 {
		t.Errorf("%v allocations for a round of two", n)
	}
	if a.dead["c/d"] = "no key"; len(a.group(asked)) != 1 {
		t.Error("a model that can't be asked counts")
	}
}
