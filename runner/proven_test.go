package runner

import (
	"testing"

	"cookoff/recipe"
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
	check := func(what string, r *Runner, x *task, project string) {
		t.Helper()
		key := r.proofKey(x, project)
		if first, twice := seen[key]; twice || key == "" {
			t.Errorf("%s has the key %q of %q", what, key, first)
		}
		seen[key] = what
	}
	runner := func(edit func(*Runner)) *Runner {
		r := &Runner{version: 1, recipe: &recipe.Recipe{}, env: Env{Admission: Admission{Proofs: memory{}, Proving: "a"}}}
		if edit != nil {
			edit(r)
		}
		return r
	}
	one := &task{Task: recipe.Task{Title: "one", Setup: "x"}}
	check("one", runner(nil), one, "")
	check("a task", runner(nil), &task{Task: recipe.Task{Title: "one", Setup: "y"}}, "")
	check("a shortcut", runner(nil), &task{Task: one.Task, shortcuts: []verify.Shortcut{{ID: "s"}}}, "")
	check("a project", runner(nil), one, "p")
	check("another program", runner(func(r *Runner) { r.env.Proving = "b" }), one, "")
	check("another version", runner(func(r *Runner) { r.version = 2 }), one, "")
	check("another sandbox", runner(func(r *Runner) { r.recipe.Sandbox.Processes = 9 }), one, "")
	check("a tool chain", runner(func(r *Runner) { r.env.ToolPaths = []string{"/opt/x"} }), one, "")
	check("a verify block", runner(func(r *Runner) { r.recipe.Verify = []recipe.VerifyBlock{{Command: "x"}} }), one, "")
	check("a criterion", runner(func(r *Runner) { r.recipe.SuccessCriteria = []recipe.Criterion{{Kind: "no_errors"}} }), one, "")
	if key := runner(func(r *Runner) { r.recipe.Sandbox.Network = string(sandbox.FullNetwork) }).proofKey(one, ""); key != "" {
		t.Error("an admission with a network is remembered")
	}
	if key := runner(func(r *Runner) { r.recipe.Sandbox.Filesystem = string(sandbox.Unrestricted) }).proofKey(one, ""); key != "" {
		t.Error("an admission that saw the whole host is remembered")
	}
	r := runner(nil)
	r.remember("k", &trial.Exclude{}, nil)
	r.remember("", nil, nil)
	if len(r.env.Proofs.(memory)) != 0 {
		t.Error("what was not admitted is remembered")
	}
	r.remember("k", nil, nil)
	if _, is := r.env.Proofs.Known("k"); !is {
		t.Error("what was admitted is not remembered")
	}
}
