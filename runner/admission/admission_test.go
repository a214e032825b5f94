package admission

import (
	"testing"

	"cookoff/recipe"
	"cookoff/runner/resolve"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
)

type memory map[string]bool

func (m memory) Known(key string) ([]byte, bool) { return nil, m[key] }
func (m memory) Add(key string, _ []byte)        { m[key] = true }

// TestProofKeys: whatever an admission depends on makes another key.
func TestProofKeys(t *testing.T) {
	seen := map[string]string{}
	check := func(what string, r *Admission, x *resolve.Task, project string) {
		t.Helper()
		key := r.proofKey(x, project)
		if first, twice := seen[key]; twice || key == "" {
			t.Errorf("%s has the key %q of %q", what, key, first)
		}
		seen[key] = what
	}
	runner := func(edit func(*Admission)) *Admission {
		at := worlds.New(&resolve.Values{Recipe: &recipe.Recipe{}}, worlds.Machine{}, worlds.Project{}, 1)
		r := &Admission{Staging: &at, Settings: Settings{Proofs: memory{}, Proving: "a"}, Version: 1}
		if edit != nil {
			edit(r)
		}
		return r
	}
	one := &resolve.Task{Task: recipe.Task{Title: "one", Setup: "x"}}
	check("one", runner(nil), one, "")
	check("a task", runner(nil), &resolve.Task{Task: recipe.Task{Title: "one", Setup: "y"}}, "")
	check("a shortcut", runner(nil), &resolve.Task{Task: one.Task, Shortcuts: []verify.Shortcut{{ID: "s"}}}, "")
	check("a project", runner(nil), one, "p")
	check("another program", runner(func(r *Admission) { r.Proving = "b" }), one, "")
	check("another version", runner(func(r *Admission) { r.Version = 2 }), one, "")
	check("another sandbox", runner(func(r *Admission) { r.Recipe.Sandbox.Processes = 9 }), one, "")
	check("a tool chain", runner(func(r *Admission) {
		at := worlds.New(r.Values, worlds.Machine{ToolPaths: []string{"/opt/x"}}, worlds.Project{}, 1)
		r.Staging = &at
	}), one, "")
	check("a verify block", runner(func(r *Admission) { r.Recipe.Verify = []recipe.VerifyBlock{{Command: "x"}} }), one,
		"")
	check("a criterion",
		runner(func(r *Admission) { r.Recipe.SuccessCriteria = []recipe.Criterion{{Kind: "no_errors"}} }), one, "")
	elsewhere := &resolve.Task{Task: recipe.Task{Title: "one", Setup: "x", JudgeFiles: "b/files"}}
	if runner(nil).proofKey(one, "") != runner(nil).proofKey(elsewhere, "") {
		t.Error("where the files of a judge lie counts, which their content does")
	}
	labelled := &resolve.Task{Task: recipe.Task{Title: "one", Setup: "x", Tags: []string{"weak"}, Date: "2026-01-02"}}
	if runner(nil).proofKey(one, "") != runner(nil).proofKey(labelled, "") {
		t.Error("tags and a date count, which prove nothing")
	}
	if key := runner(func(r *Admission) { r.Recipe.Sandbox.Network = string(sandbox.FullNetwork) }).proofKey(one,
		""); key != "" {
		t.Error("an admission with a network is remembered")
	}
	if key := runner(func(r *Admission) { r.Recipe.Sandbox.Filesystem = string(sandbox.Unrestricted) }).proofKey(one,
		""); key != "" {
		t.Error("an admission that saw the whole host is remembered")
	}
	r := runner(nil)
	r.remember("k", &trial.Exclude{}, nil)
	r.remember("", nil, nil)
	if len(r.Proofs.(memory)) != 0 {
		t.Error("what was not admitted is remembered")
	}
	r.remember("k", nil, nil)
	if _, is := r.Proofs.Known("k"); !is {
		t.Error("what was admitted is not remembered")
	}
}

// TestProvenBeforeCheatsPlay: a task that was admitted is not proven again before generated contestants play it, but
// for one of a sequence.
func TestProvenBeforeCheatsPlay(t *testing.T) {
	at := worlds.New(&resolve.Values{Recipe: &recipe.Recipe{}}, worlds.Machine{}, worlds.Project{}, 1)
	l := Lint{Admission{Staging: &at, Settings: Settings{Proofs: memory{}, Proving: "a"}, Version: 1}}
	one := &resolve.Task{Task: recipe.Task{Title: "one", Setup: "x"}}
	check := func(what string, want bool) {
		t.Helper()
		if is, err := l.proven(&at, one); is != want || err != nil {
			t.Errorf("%s: %v, %v", what, is, err)
		}
	}
	check("never tried", false)
	key, err := l.keyOf(one)
	if err != nil {
		t.Fatal(err)
	}
	l.Proofs.Add(key, nil)
	check("admitted", true)
	at.Recipe.Context.TaskMode = "sequential"
	check("behind others", false)
}
