package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/trial"
)

// past folds what a bench has logged.
func (b *bench) past() *Past {
	p := NewPast()
	for _, e := range b.log.events {
		_ = p.Emit(e) // never fails
	}
	again := p.Recall(p.Run.Trials)
	for _, e := range b.log.events {
		_ = again.Emit(e) // never fails
	}
	return p
}

// stopAt runs until an event of this kind of a trial, and ends the run there.
func (b *bench) stopAt(text string, kind trial.Kind, id string) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	sink := trial.SinkFunc(func(e trial.Event) error {
		if e.Kind == kind && e.Trial == id {
			cancel()
		}
		return b.log.Emit(e)
	})
	if err := b.runner(text).RunAll(ctx, "r", sink, nil); !errors.Is(err, context.Canceled) {
		b.t.Fatalf("the run ended with %v", err)
	}
}

func ids(ts []trial.Trial) string {
	var out []string
	for _, t := range ts {
		out = append(out, t.ID)
	}
	return strings.Join(out, " ")
}

func TestARunGoesOn(t *testing.T) {
	work := bash(1, "touch done")
	b, c := quick(t, work, say("ok"), work)
	b.env.Parallel = 1
	text := quickRecipe("## Comparison\ntrials: 3\n\n")
	b.stopAt(text, trial.ToolReturned, "t002")

	c.steps, c.seen = []any{say("ok"), work, say("ok")}, nil
	b.env.Past = b.past()
	r := b.runner(text)
	if got := ids(r.Left()); got != "t002 t003" || b.env.Past.Finished() {
		t.Errorf("left: %s", got)
	}
	if err := r.RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.statuses(), "t001/1 pass, t002/1 void cancelled, t002/1 pass, t003/1 pass"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(c.seen) != 3 {
		t.Errorf("%d requests, want 3", len(c.seen))
	}
	if got := b.past(); !got.Finished() {
		t.Errorf("%+v", got)
	}
}

// What ended by the model's doing stands; what was void for a cause that may pass
// does not.
func TestWhatIsLeft(t *testing.T) {
	for _, test := range []struct {
		outcome trial.Outcome
		ended   bool
	}{
		{trial.Outcome{Status: trial.Pass}, true},
		{trial.Outcome{Status: trial.Fail, Cause: trial.CauseWrongFix}, true},
		{trial.Outcome{Status: trial.Void, Cause: trial.CauseAdmission}, true},
		{trial.Outcome{Status: trial.Void, Cause: trial.CauseStaging}, true},
		{trial.Outcome{Status: trial.Void, Cause: trial.CauseProvider}, false},
		{trial.Outcome{Status: trial.Void, Cause: trial.CauseSandbox}, false},
		{trial.Outcome{Status: trial.Void, Cause: trial.CauseCancelled}, false},
	} {
		p := NewPast()
		for _, e := range []trial.Event{
			{Kind: trial.RunStarted, Run: &trial.Run{Trials: []trial.Trial{{ID: "t001"}}}},
			{Kind: trial.TrialStarted, Trial: "t001", Attempt: 2},
			{Kind: trial.TrialFinished, Trial: "t001", Attempt: 2, Outcome: &test.outcome},
		} {
			_ = p.Emit(e) // never fails
		}
		if p.Finished() != test.ended || p.attempts(trial.Trial{ID: "t001"}) != 2 {
			t.Errorf("%+v: ended %v after %d attempts", test.outcome, p.Finished(), p.begun["t001"])
		}
		_ = p.Emit(trial.Event{Kind: trial.TrialStarted, Trial: "t001", Attempt: 3})
		if p.Finished() {
			t.Errorf("%+v: another attempt has begun, and nothing is left", test.outcome)
		}
	}
}

// Where tasks follow one another, those that have ended are done again, without a
// model, to give the next what it begins with.
func TestASequenceGoesOn(t *testing.T) {
	text := sequenceRecipe("## Comparison\ntrials: 2\n\n")
	one, two, three := touch(1, "one"), touch(2, "two"), touch(3, "three")
	all := []any{one, say("1"), two, say("2"), three, say("3")}
	c := &chat{steps: append(append([]any{}, all...), one, say("1"), two)}
	b := newBench(t, map[string]model.Chat{"test/model": c})
	b.env.Parallel = 1
	b.stopAt(text, trial.ToolReturned, "t005")
	c.steps, b.env.Past = []any{say("2"), three, say("3")}, b.past()
	if err := b.runner(text).RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.statuses(), "t001/1 pass, t002/1 pass, t003/1 pass, t004/1 pass, t005/1 void cancelled, t005/1 "+
		"pass, t006/1 pass"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A run goes on as the comparison that it was, or not at all.
func TestARunThatChangedDoesNotGoOn(t *testing.T) {
	text := quickRecipe("## Comparison\ntrials: 2\n\n")
	b, c := quick(t, bash(1, "touch done"))
	b.env.Version, b.env.Tools, b.env.Parallel = "v1", "tools", 1
	b.env.Programs = map[string]string{"bash": "1", "git": "9", "go": "1"}
	b.stopAt(text, trial.ToolReturned, "t001")
	asked, logged := len(c.seen), len(b.log.events)
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
		b.env.Past = b.past()
		change(&b.env.Past.Run)
		err := b.runner(text).RunAll(t.Context(), "r", b.log, nil)
		var changed *ChangedError
		if !errors.As(err, &changed) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
	if len(c.seen) != asked || len(b.log.events) != logged {
		t.Error("something was run")
	}
}

// The budget of a run is for all of it.
func TestTheBudgetOfARunThatGoesOn(t *testing.T) {
	c := &chat{}
	for range 4 {
		for _, reply := range []*model.Reply{bash(1, "touch done"), say("done")} {
			reply.Usage = model.Usage{Input: 5000, Output: 100, Known: true}
			c.steps = append(c.steps, reply)
		}
	}
	text := fmt.Sprintf(mendRecipe, budgetSections)
	b := newBench(t, map[string]model.Chat{"test/model": c})
	b.env.Backend = stubBackend{}
	b.env.Prices, b.env.Parallel = dollarAToken(t), 1
	for _, limit := range []float64{20_000, 40_000} {
		b.env.MaxCost, b.env.Past = limit, b.past()
		if limit == 20_000 {
			b.env.Past = nil
		}
		err := b.runner(text).RunAll(t.Context(), "r", b.log, nil)
		var broke *budget.Error
		if spent := 5100 * float64(len(c.seen)); !errors.As(err, &broke) || broke.Spent != spent || spent > limit {
			t.Errorf("limit %v, spent %v: %v", limit, spent, err)
		}
	}
	if len(c.seen) < 5 {
		t.Errorf("%d requests: the run did not go on", len(c.seen))
	}
}
