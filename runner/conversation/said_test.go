package conversation_test

import (
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner"
	"cookoff/runner/runnertest"
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
			b, c := runnertest.Quick(t, runnertest.Bash(1, "aaa"), runnertest.Say("first done"), runnertest.Bash(2, "bbb"),
				runnertest.Say("second done"))
			said := &runner.Conversation{}
			turn := func(prompt string) trial.Outcome {
				t.Helper()
				b.Log.Events = nil
				b.Env.Front = &runner.Front{Typed: true, Before: map[string]*runner.Conversation{"test/model": said}}
				r := b.Runner(strings.Replace(typed, "strategy: auto_compact",
					"strategy: off\n\n## Model Profiles\n### test/model\n"+profile, 1) + prompt + "\n")
				if err := r.RunAll(t.Context(), "r", b.Log, nil); err != nil {
					t.Fatal(err)
				}
				var out trial.Outcome
				said = said.Copy()
				for _, e := range b.Log.Events {
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
			want := append(c.Seen[len(c.Seen)-1].Messages, model.Message{Role: model.Assistant, Content: "second done"})
			if d := cmp.Diff(want, said.History().Messages()); d != "" {
				t.Errorf("-sent +recalled\n%s", d)
			}
			if got := runnertest.Told(c.Seen[2]); strings.Count(got, "mend one") != 1 || strings.Count(got, "mend two") != 1 ||
				!strings.HasPrefix(got, wantHead) {
				t.Errorf("the second task begins with:\n%s", got)
			}
			if n := b.Notes("carried"); len(n) != 1 {
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
	b, c, _ := attended(t, budget10k+byHand, func(r *runner.Runner, n int) {
		if n == 2 {
			if err := r.Compact("t001"); err != nil {
				t.Error(err)
			}
		}
	}, used(runnertest.Bash(1, "aaa"), 9900), used(runnertest.Bash(2, "bbb"), 9950), runnertest.Say("It is half done."),
		runnertest.Say("done"))
	said := &runner.Conversation{}
	for _, e := range b.Log.Events {
		said.Recall(e)
	}
	want := append(c.Seen[3].Messages, model.Message{Role: model.Assistant, Content: "done"})
	if d := cmp.Diff(want, said.History().Messages()); d != "" {
		t.Errorf("-sent +recalled\n%s", d)
	}
}
