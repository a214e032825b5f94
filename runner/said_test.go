package runner

import (
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

// typed is the recipe of a task that nothing judges.
const typed = "# Typed\nversion: 1\n\n## Models\n- test/model\n\n## Context\nstrategy: auto_compact\n\n## Tasks\n- "

// TestSaidGoesOn types one task after the other: the second begins with all
// that was said in the first, as the journal has it.
func TestSaidGoesOn(t *testing.T) {
	check := func(name, profile, wantHead string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			b, c := quick(t, bash(1, "aaa"), say("first done"), bash(2, "bbb"), say("second done"))
			said := &Said{}
			turn := func(prompt string) trial.Outcome {
				t.Helper()
				b.log.events = nil
				b.env.Front = &Front{Typed: true, Before: map[string]*Said{"test/model": said}}
				r := b.runner(strings.Replace(typed, "strategy: auto_compact",
					"strategy: off\n\n## Model Profiles\n### test/model\n"+profile, 1) + prompt + "\n")
				if err := r.RunAll(t.Context(), "r", b.log, nil); err != nil {
					t.Fatal(err)
				}
				var out trial.Outcome
				said = said.Copy()
				for _, e := range b.log.events {
					said.Recall(e)
					if e.Outcome != nil {
						out = *e.Outcome
					}
				}
				return out
			}
			turn("mend one")
			first := said.Turns()
			if out := turn("mend two"); out.Stop != trial.StopDone || out.Status != trial.Void ||
				out.Cause != trial.CauseVerifier {
				t.Errorf("%+v", out)
			}
			if first != 2 || said.Turns() != 4 {
				t.Errorf("%d turns, then %d", first, said.Turns())
			}
			// What was recalled is what the last request held, and the reply to it.
			want := append(c.seen[len(c.seen)-1].Messages, model.Message{Role: model.Assistant, Content: "second done"})
			if d := cmp.Diff(want, said.History().Messages()); d != "" {
				t.Errorf("-sent +recalled\n%s", d)
			}
			if got := told(c.seen[2]); strings.Count(got, "mend one") != 1 || strings.Count(got, "mend two") != 1 ||
				!strings.HasPrefix(got, wantHead) {
				t.Errorf("the second task begins with:\n%s", got)
			}
			if n := b.notes("carried"); len(n) != 1 {
				t.Errorf("notes: %q", n)
			}
		})
	}
	check("native", "context_budget: 100000", "system ")
	check("no system role", "system_role: false", "user ")
	check("older functions", "tool_format: function_calling", "system ")
}

// TestSaidRecallsWhatWasCompacted: a summary takes the place of what it sums up.
func TestSaidRecallsWhatWasCompacted(t *testing.T) {
	b, c, _ := attended(t, budget10k+byHand, func(r *Runner, n int) {
		if n == 2 {
			if err := r.Compact("t001"); err != nil {
				t.Error(err)
			}
		}
	}, used(bash(1, "aaa"), 9900), used(bash(2, "bbb"), 9950), say("It is half done."), say("done"))
	said := &Said{}
	for _, e := range b.log.events {
		said.Recall(e)
	}
	want := append(c.seen[3].Messages, model.Message{Role: model.Assistant, Content: "done"})
	if d := cmp.Diff(want, said.History().Messages()); d != "" {
		t.Errorf("-sent +recalled\n%s", d)
	}
}
