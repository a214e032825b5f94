package runs_test

import (
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/runner/runnertest"
	"cookoff/trial"
)

// secondVersion is how a recipe of a second version would be bound: beside
// version 1, of which it takes what has not changed.
type secondVersion struct{ recipe.Runner }

func (secondVersion) Version() int { return 2 }

// planner is what a comparison needs of a runner of any version.
type planner interface{ Plan() []trial.Trial }

// secondRunner carries out version 2: its trials are planned the other way
// round.
type secondRunner struct{ *runner.Runner }

func (r secondRunner) Plan() []trial.Trial {
	plan := r.Runner.Plan()
	slices.Reverse(plan)
	return plan
}

// build is what New would become: one case a version.
func build(rr recipe.Runner, env runner.Env) (planner, error) {
	if second, ok := rr.(secondVersion); ok {
		r, err := runner.New(second.Runner, env)
		return secondRunner{r}, err
	}
	return runner.New(rr, env)
}

// TestASecondVersionLeavesTheFirstAlone: a recipe means what it meant when it
// was written, whatever versions come.
func TestASecondVersionLeavesTheFirstAlone(t *testing.T) {
	b, _ := runnertest.Quick(t, runnertest.Say("done"))
	b.Env.Chat = func(string) (model.Chat, error) { return &runnertest.Chat{}, nil }
	r, err := recipe.ParseContent([]byte(runnertest.Recipe("") +
		"\n### Second\nDo it.\n\n```sh after\ntest -e done\n```\n"))
	if err != nil {
		t.Fatal(err)
	}
	order := func(rr recipe.Runner) string {
		t.Helper()
		p, err := build(rr, b.Env)
		if err != nil {
			t.Fatal(err)
		}
		var tasks []string
		for _, tr := range p.Plan() {
			tasks = append(tasks, tr.Task)
		}
		return strings.Join(tasks, ", ")
	}
	first := recipe.NewV1Runner(r)
	before := order(first)
	if got := order(secondVersion{first}); got != "Second, Write the file" {
		t.Errorf("version 2 plans %s", got)
	}
	if got := order(first); got != before || got != "Write the file, Second" {
		t.Errorf("version 1 plans %s, and before there was a second %s", got, before)
	}

	// This build has no second version, and says so.
	if _, err := runner.New(secondVersion{first}, b.Env); err == nil || !strings.Contains(err.Error(),
		"carries out version 1, not 2") {
		t.Errorf("New: %v", err)
	}
	newer := *r
	newer.Version = 2
	if _, err := newer.BuildRunner(); err == nil || !strings.Contains(err.Error(),
		"recipe version 2 is not supported: this binary supports 1..1") {
		t.Errorf("BuildRunner: %v", err)
	}
}
