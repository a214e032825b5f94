package conversation_test

import (
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/resolve"
	"cookoff/runner/runnertest"
	"cookoff/trial"
)

// TestLintSaysWhatNothingKeeps: a limit of money without a price, what patterns
// of bash leave open, a setup that can write nothing.
func TestLintSaysWhatNothingKeeps(t *testing.T) {
	b, _ := runnertest.Quick(t)
	check := func(sections string, want ...string) {
		t.Helper()
		got := strings.Join(problems(b, runnertest.Recipe(sections)), "\n")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%q gives %q, not %s", sections, got, w)
			}
		}
		if len(want) == 0 && got != "" {
			t.Errorf("%q gives %q", sections, got)
		}
	}
	check("## Tools\n- bash\n- read_file\n\n")
	check("## Success Criteria\n- max_cost: 1\n\n",
		"recipe.md:5:3: max_cost can't be judged for test/model: its price is unknown")
	check("## Tools\n- bash(echo)\n\n", "recipe.md:8:8: warning: bash(…) says which programs", "echo x > file")
	check("## Tools\n- bash(npm run test:*)\n\n", `the * in "test:*" stands for itself`)
	check("## Sandbox\nfilesystem: read_only\n\n",
		"warning: filesystem: read_only: nothing in /work can be written, by setup neither")
	prices, err := (&model.Prices{}).With(map[string]model.Price{"test/*": {Input: 1, Output: 1}})
	if err != nil {
		t.Fatal(err)
	}
	b.Env.Prices = prices
	check("## Success Criteria\n- max_cost: 1\n\n")
}

// TestNoErrorsCountsCommandsThatFail: exit statuses are errors too.
func TestNoErrorsCountsCommandsThatFail(t *testing.T) {
	for command, want := range map[string]trial.VerdictStatus{"test -e nothing": trial.NotHeld, "echo a": trial.Held} {
		b, _ := runnertest.Quick(t, runnertest.Call("1", "bash", `{"command":"`+command+`"}`), runnertest.Say("done"))
		out := b.One(runnertest.Recipe("## Success Criteria\n- no_errors\n\n"))
		found := false
		for _, v := range out.Verdicts {
			if strings.Contains(v.Check, "no_errors") {
				found = true
				if v.Status != want {
					t.Errorf("%s: %+v, %d failed calls", command, v, out.Counters.FailedCalls)
				}
			}
		}
		if !found {
			t.Errorf("%s: no verdict in %+v", command, out.Verdicts)
		}
	}
}

// TestGlobsOverToolsOfServers: fs.read_* offers what it matches of fs alone.
func TestGlobsOverToolsOfServers(t *testing.T) {
	r := &resolve.Values{Recipe: &recipe.Recipe{Tools: &recipe.ToolsConfig{Allowlist: []string{"fs.read_*",
		"git.log"}}}}
	for name, want := range map[string]bool{"fs.read_file": true, "fs.write_file": false, "git.log": true,
		"git.logs": false, "other.read_file": false} {
		if (&resolve.Task{}).Offer(r.Recipe).Serves(name) != want {
			t.Errorf("%s is offered: %v", name, !want)
		}
	}
}
