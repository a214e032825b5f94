package conversation_test

import (
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner"
	"cookoff/runner/runnertest"

	"github.com/google/go-cmp/cmp"
)

func reminderSection(triggers ...string) string {
	var b strings.Builder
	b.WriteString("## System Reminders\n")
	for i, t := range triggers {
		fmt.Fprintf(&b, "### r%d\ntrigger: %s\n\nThink of %d.\n\n", i, t, i)
	}
	return b.String()
}

func TestReminders(t *testing.T) {
	failing := runnertest.Call("9", "bash", `{"command":"test -e nothing"}`)
	long := runnertest.Bash(1, "long")
	long.Usage = model.Usage{Input: 99_000, Output: 1000, Known: true}
	// check plays steps and looks in which request the reminder first stands,
	// one number for each time it is said.
	check := func(trigger string, steps []any, want ...int) {
		t.Helper()
		b, c := runnertest.Quick(t, append(steps, runnertest.Say("done"))...)
		out := b.One(runnertest.Recipe("## Constraints\nmax_steps: 9\ntimeout: 100s\n\n" + reminderSection(trigger)))
		var got []int
		for i, req := range c.Seen {
			for range strings.Count(runnertest.Told(req), "Think of 0.") - len(got) {
				got = append(got, i+1)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: said in requests:\n%s", trigger, d)
		}
		if out.Counters.Reminders != len(want) || len(b.Notes("reminded")) != len(want) {
			t.Errorf("%s: counted %d, noted %q", trigger, out.Counters.Reminders, b.Notes("reminded"))
		}
	}
	check("step == 1", []any{runnertest.Bash(1, "a")}, 1)
	check("step >= 2", []any{runnertest.Bash(1, "a"), runnertest.Bash(2, "b"), runnertest.Bash(3, "c")}, 2)
	check("turn_count > 1", []any{runnertest.Bash(1, "a"), runnertest.Bash(2, "b")}, 3)
	check("steps_left < 8", []any{runnertest.Bash(1, "a"), runnertest.Bash(2, "b")}, 3)
	check("tool_calls == 1", []any{runnertest.Bash(1, "a"), runnertest.Bash(2, "b")}, 2)
	check("tool_used == bash", []any{runnertest.Bash(1, "a"), runnertest.Bash(2, "b")}, 2)
	check(`tool_used == "read_file"`, []any{runnertest.Bash(1, "a")})
	check("last_tool_call_failed", []any{failing, runnertest.Bash(1, "a"), failing}, 2, 4)
	check("tool_errors > 1", []any{failing, runnertest.Bash(1, "a"), failing}, 4)
	check("writes > 0", []any{runnertest.Bash(1, "a")}, 2)
	check("context_usage > 0.75", []any{long}, 2)
	check("last_response_tokens > 500", []any{long, runnertest.Bash(2, "b"), long}, 2, 4)
	check("elapsed_seconds > 0", []any{runnertest.Bash(1, "a")}, 2)
	check("seconds_left < 99", []any{runnertest.Bash(1, "a")}, 2)
	check("manual", []any{runnertest.Bash(1, "a")})
	check("step > 1 and not last_tool_call_failed", []any{failing, runnertest.Bash(1, "a")}, 3)
}

func TestRemindersStandBehindTheResults(t *testing.T) {
	two := &model.Reply{Message: model.Message{Calls: []model.Call{
		{ID: "1", Name: "bash", Arguments: `{"command":"echo a"}`},
		{ID: "2", Name: "bash", Arguments: `{"command":"echo b"}`}}}}
	b, c := runnertest.Quick(t, two, runnertest.Say("done"))
	b.One(runnertest.Recipe(reminderSection("tool_calls > 0", "tool_calls > 1")))
	got := strings.Split(runnertest.Told(c.Seen[1]), "\n")[3:]
	want := []string{`tool "a"`, `tool "b"`,
		`user "\u003csystem-reminder\u003e\nThink of 0.\n\u003c/system-reminder\u003e\n\n` +
			`\u003csystem-reminder\u003e\nThink of 1.\n\u003c/system-reminder\u003e"`, ""}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// problems gives what is wrong with a recipe, one line each, hints left out.
func problems(b *runnertest.Bench, text string) []string {
	b.T.Helper()
	rec, err := recipe.ParseContent([]byte(text))
	if err != nil {
		b.T.Fatal(err)
	}
	var out []string
	for _, p := range runner.Check(rec, b.Env) {
		p.Hint = ""
		out = append(out, problem.List{p}.Error())
	}
	return out
}

func TestTriggersAreCheckedBeforeTheRun(t *testing.T) {
	b, _ := runnertest.Quick(t)
	check := func(trigger string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, problems(b, runnertest.Recipe(reminderSection(trigger)))); d != "" {
			t.Errorf("%s:\n%s", trigger, d)
		}
	}
	check("context_usage > 0.75")
	check("tool_used == bassh", "recipe.md:9:23: trigger: unknown name bassh")
	check("context_usage", "recipe.md:9:10: trigger: expected bool, but got float64")
	check("step > 'x'", "recipe.md:9:15: trigger: invalid operation: > (mismatched types int and string)")
	check("step >", "recipe.md:9:15: trigger: unexpected token EOF")
	check("len(tool_used) > 1", "recipe.md:9:10: trigger: unknown name len")
	check("manual", "recipe.md:9:10: warning: a reminder that a person says by hand is never said in a run")
	check("cost > 0.1", "recipe.md:9:10: trigger: the cost of test/model is not known")
}
