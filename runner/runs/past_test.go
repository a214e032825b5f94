package runs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/runner/resumed"
	"cookoff/runner/runnertest"
	"cookoff/trial"
)

func ids(ts []trial.Trial) string {
	var out []string
	for _, t := range ts {
		out = append(out, t.ID)
	}
	return strings.Join(out, " ")
}

func TestARunGoesOn(t *testing.T) {
	work := runnertest.Bash(1, "touch done")
	b, c := runnertest.Quick(t, work, runnertest.Say("ok"), work)
	b.Env.Parallel = 1
	text := runnertest.Recipe("## Comparison\ntrials: 3\n\n")
	b.StopAt(text, trial.ToolReturned, "t002")

	c.Steps, c.Seen = []any{runnertest.Say("ok"), work, runnertest.Say("ok")}, nil
	b.Env.Journal = b.Journal()
	r := b.Runner(text)
	if got := ids(r.Left()); got != "t002 t003" || b.Env.Journal.Finished() {
		t.Errorf("left: %s", got)
	}
	if err := r.RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Statuses(), "t001/1 pass, t002/1 void cancelled, t002/1 pass, t003/1 pass"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(c.Seen) != 3 {
		t.Errorf("%d requests, want 3", len(c.Seen))
	}
	if got := b.Journal(); !got.Finished() {
		t.Errorf("%+v", got)
	}
}

// Where tasks follow one another, those that have ended are done again, without a
// model, to give the next what it begins with.
func TestASequenceGoesOn(t *testing.T) {
	text := runnertest.SequenceRecipe("## Comparison\ntrials: 2\n\n")
	one, two, three := touch(1, "one"), touch(2, "two"), touch(3, "three")
	all := []any{one, runnertest.Say("1"), two, runnertest.Say("2"), three, runnertest.Say("3")}
	c := &runnertest.Chat{Steps: append(append([]any{}, all...), one, runnertest.Say("1"), two)}
	b := runnertest.New(t, map[string]model.Chat{"test/model": c})
	b.Env.Parallel = 1
	b.StopAt(text, trial.ToolReturned, "t005")
	c.Steps, b.Env.Journal = []any{runnertest.Say("2"), three, runnertest.Say("3")}, b.Journal()
	if err := b.Runner(text).RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Statuses(), "t001/1 pass, t002/1 pass, t003/1 pass, t004/1 pass, t005/1 void cancelled, t005/1 "+
		"pass, t006/1 pass"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A run goes on as the comparison that it was, or not at all.
func TestARunThatChangedDoesNotGoOn(t *testing.T) {
	text := runnertest.Recipe("## Comparison\ntrials: 2\n\n")
	b, c := runnertest.Quick(t, runnertest.Bash(1, "touch done"))
	b.Env.Version, b.Env.Tools, b.Env.Parallel = "v1", "tools", 1
	b.Env.Programs = map[string]string{"bash": "1", "git": "9", "go": "1"}
	b.StopAt(text, trial.ToolReturned, "t001")
	asked, logged := len(c.Seen), len(b.Log.Events)
	for why, change := range map[string]func(*trial.Run){
		"it was begun by cookoff v0, and this is v1": func(r *trial.Run) { r.Version = "v0" },
		"programs of this machine":                   func(r *trial.Run) { r.Tools = "others" },
		"changed since: git, go (new), node (gone)": func(r *trial.Run) {
			r.Tools, r.Programs = "others", map[string]string{"bash": "1", "git": "2", "node": "3"}
		},
		"the recipe was changed since": func(r *trial.Run) { r.Digest = "another" },
		"the project's files were changed since": func(r *trial.Run) {
			r.ProjectSum, r.ProjectFiles = "another",
				map[string]string{"a": "1"}
		},
		"it has other models, tasks or trials now": func(r *trial.Run) { r.Trials = r.Trials[:1] },
		"its MCP servers offer other tools now":    func(r *trial.Run) { r.MCP = map[string]string{"db": "1"} },
		"changed since, or what it extends; the proje": func(r *trial.Run) {
			r.Digest, r.ProjectSum,
				r.ProjectFiles = "another", "another", nil
		},
	} {
		b.Env.Journal = b.Journal()
		change(&b.Env.Journal.Run)
		err := b.Runner(text).RunAll(t.Context(), "r", b.Log, nil)
		var changed *resumed.ChangedError
		if !errors.As(err, &changed) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
	if len(c.Seen) != asked || len(b.Log.Events) != logged {
		t.Error("something was run")
	}
}

// The budget of a run is for all of it.
func TestTheBudgetOfARunThatGoesOn(t *testing.T) {
	c := &runnertest.Chat{}
	for range 4 {
		for _, reply := range []*model.Reply{runnertest.Bash(1, "touch done"), runnertest.Say("done")} {
			reply.Usage = model.Usage{Input: 5000, Output: 100, Known: true}
			c.Steps = append(c.Steps, reply)
		}
	}
	text := fmt.Sprintf(runnertest.MendRecipe, budgetSections)
	b := runnertest.New(t, map[string]model.Chat{"test/model": c})
	b.Env.Backend = runnertest.Backend{}
	b.Env.Prices, b.Env.Parallel = runnertest.DollarAToken(t), 1
	for _, limit := range []float64{20_000, 40_000} {
		b.Env.MaxCost, b.Env.Journal = limit, b.Journal()
		if limit == 20_000 {
			b.Env.Journal = nil
		}
		err := b.Runner(text).RunAll(t.Context(), "r", b.Log, nil)
		var broke *budget.Error
		if spent := 5100 * float64(len(c.Seen)); !errors.As(err, &broke) || broke.Spent != spent || spent > limit {
			t.Errorf("limit %v, spent %v: %v", limit, spent, err)
		}
	}
	if len(c.Seen) < 5 {
		t.Errorf("%d requests: the run did not go on", len(c.Seen))
	}
}
