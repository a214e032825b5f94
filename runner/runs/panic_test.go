package runs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/report"
	"cookoff/runner/runnertest"
	"cookoff/trial"
)

// cracked is a model that can't be asked a second time: cookoff has a fault there.
type cracked struct{ model.Chat }

func (c cracked) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	if len(req.Messages) > 2 {
		panic("the table has a leg too few")
	}
	return c.Chat.Generate(ctx, req)
}

// TestAFaultOfOurs: what panics in a trial voids this one, is told with its stack, and
// what it had cost is in the report; the others are tried, with all the room there is.
func TestAFaultOfOurs(t *testing.T) {
	b, _ := runnertest.Quick(t)
	mend := runnertest.Call("1", "bash", `{"command":"touch done"}`)
	chats := map[string]model.Chat{"test/cracked": cracked{runnertest.Turns{mend}},
		"test/model": runnertest.Turns{mend, runnertest.Say("done")}}
	b.Env.Chat = func(id string) (model.Chat, error) { return chats[id], nil }
	prices, err := model.LoadPrices([]byte("[prices.\"test/*\"]\ninput = 1000000.0\noutput = 1000000.0\n"))
	if err != nil {
		t.Fatal(err)
	}
	b.Env.Prices, b.Env.Cores, b.Env.Retries, b.Env.MaxCost = prices, 1, 1, 1e6
	text := strings.Replace(runnertest.Recipe("## Model Parameters\nmax_tokens: 5\n\n## Comparison\ntrials: 3\n"),
		"- test/model",
		"- test/cracked\n- test/model", 1)
	folded := report.New()
	if err := b.Runner(text).RunAll(t.Context(), "run", trial.Tee(b.Log, folded), nil); err != nil {
		t.Fatal(err)
	}
	r := folded.Report()
	for i, want := range []string{"test/cracked 0 0 3 $72", "test/model 3 0 0 $72"} {
		m, spent := r.Models[i], "unknown"
		if m.SpentUSD != nil {
			spent = fmt.Sprint("$", *m.SpentUSD)
		}
		if got := fmt.Sprintf("%s %d %d %d %s", m.Name, m.Pass, m.Fail, m.Void, spent); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	if n := r.Unsettled().Requests; n != 6 {
		t.Errorf("%d requests whose answer nobody heard, want 6", n)
	}
	for _, e := range b.Log.Events {
		if o := e.Outcome; o != nil && o.Status == trial.Void && !strings.HasSuffix(o.Detail, "a leg too few") {
			t.Errorf("%s: %s", e.Trial, o.Detail)
		}
	}
	if stacks := b.Notes(trial.NotePanic); len(stacks) == 0 || !strings.Contains(stacks[0], "panic_test.go") {
		t.Errorf("stacks: %s", stacks)
	}
}
