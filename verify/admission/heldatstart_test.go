package admission

import (
	"maps"
	"slices"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

// TestHeldAtStart: a check that held on the broken state says nothing of what
// was mended, and its verdict says so; what admission learned is kept.
func TestHeldAtStart(t *testing.T) {
	task := recipe.Task{Title: "two checks", Setup: "touch ok", Before: "test -e ok",
		After: []recipe.Check{{Script: "test -e ok"}, {Script: "test -e mended"}}, Solution: "touch mended"}
	r := &recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: "test -e ok"}}}
	c, err := verify.NewCase(r, task)
	if err != nil {
		t.Fatal(err)
	}
	open := verifytest.Dirs(t)
	var steps []string
	wrong := []verify.Shortcut{{ID: "nothing", Command: "true"}}
	x, err := c.Admit(t.Context(), open, wrong, func(step string) { steps = append(steps, step) })
	if x != nil || err != nil {
		t.Fatalf("%+v, %v", x, err)
	}
	if want := []string{"the broken state", "the solution", "shortcut nothing"}; !slices.Equal(steps, want) {
		t.Errorf("the steps are %q, want %q", steps, want)
	}
	later, err := verify.NewCase(r, task)
	if err != nil {
		t.Fatal(err)
	}
	if err := later.Learn(c.Learned()); err != nil {
		t.Fatal(err)
	}
	w, err := open(t.Context(), nil, sandbox.Agent)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s, err := later.Stage(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Exec(t.Context(), sandbox.Cmd{Script: "touch mended"}); err != nil {
		t.Fatal(err)
	}
	sc, live, err := later.End(t.Context(), w, s, open)
	if err != nil {
		t.Fatal(err)
	}
	j, err := later.Judge(t.Context(), sc, s, verify.Loop{Live: live})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]trial.Strength{}
	for _, v := range j.Verdicts {
		if v.Status != trial.Held {
			t.Errorf("%s: %s", v.Check, v.Detail)
		}
		got[v.Check] = v.Strength
	}
	want := map[string]trial.Strength{"after[0]": trial.StrengthUnshown, "after[1]": "",
		"criterion[0] run": trial.StrengthUnshown}
	if !maps.Equal(got, want) {
		t.Errorf("strengths %v, want %v", got, want)
	}
}
