package conversation_test

import (
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/runner/runnertest"
	"cookoff/runner/toolset"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

func spawn(n int, args string) *model.Reply {
	return runnertest.Call(fmt.Sprint(n), toolset.Spawn, args)
}

const subAgents = "## Sub-Agent\nmax_depth: 1\n\n"

// names gives the tools of a request.
func names(req model.Request) string {
	var out []string
	for _, t := range req.Tools {
		out = append(out, t.Name)
	}
	return strings.Join(out, " ")
}

func TestSubAgent(t *testing.T) {
	b, c := runnertest.Quick(t, spawn(1, `{"prompt":"Touch it."}`), runnertest.Call("2", "bash",
		`{"command":"touch done"}`),
		runnertest.Say("I touched it."), runnertest.Say("All is well."))
	out := b.One(runnertest.Recipe(subAgents))
	if out.Status != trial.Pass || out.Steps != 4 || out.Counters.ToolCalls != 2 || out.Answer != "All is well." {
		t.Errorf("%+v", out)
	}
	if want := (model.Usage{Input: 40, Output: 8, Known: true}); out.Usage != want {
		t.Errorf("usage %+v", out.Usage)
	}
	first := c.Seen[1]
	if got := runnertest.Told(first); !strings.Contains(got, "for another agent") || strings.Contains(got,
		"Make a file") ||
		!strings.HasSuffix(got, "user \"Touch it.\"\n") {
		t.Errorf("the sub-agent is told:\n%s", got)
	}
	if got := names(first); strings.Contains(got, toolset.Spawn) || !strings.Contains(got, "bash") {
		t.Errorf("the sub-agent is offered %s", got)
	}
	if got := runnertest.Told(c.Seen[3]); !strings.HasSuffix(got, "tool \"I touched it.\"\n") ||
		strings.Contains(got, "touch done") {
		t.Errorf("its parent is told:\n%s", got)
	}
	var got []string
	for _, e := range b.Log.Events {
		if e.Step > 0 {
			got = append(got, fmt.Sprintf("%d %s %s", e.Step, e.Agent, e.Kind))
		}
	}
	want := []string{"1  model.called", "1  model.replied", "1  tool.called",
		"2 1 model.called", "2 1 model.replied", "2 1 tool.called", "2 1 tool.returned", "3 1 model.called",
		"3 1 model.replied",
		"1  tool.returned", "4  model.called", "4  model.replied"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestSubAgentsAreOff(t *testing.T) {
	for _, section := range []string{"", "## Sub-Agent\nmax_depth: 0\n\n", "## Sub-Agent\nmax_depth: -1\n\n"} {
		b, c := runnertest.Quick(t, runnertest.Say("done"))
		b.One(runnertest.Recipe(section))
		if got := names(c.Seen[0]); strings.Contains(got, toolset.Spawn) {
			t.Errorf("%q: %s", section, got)
		}
	}
}

func TestSubAgentsOfSubAgents(t *testing.T) {
	b, c := runnertest.Quick(t, spawn(1, `{"prompt":"a"}`), spawn(2, `{"prompt":"b"}`), runnertest.Say("b done"),
		runnertest.Say("a done"), runnertest.Say("done"))
	b.One(runnertest.Recipe("## Sub-Agent\nmax_depth: 2\n\n"))
	var got []string
	for _, e := range b.Log.Events {
		if e.Kind == trial.ModelCalled {
			got = append(got, e.Agent)
		}
	}
	if d := cmp.Diff([]string{"", "1", "1.1", "1", ""}, got); d != "" {
		t.Error(d)
	}
	if strings.Contains(names(c.Seen[2]), toolset.Spawn) || !strings.Contains(names(c.Seen[1]), toolset.Spawn) {
		t.Errorf("offered: %s, then %s", names(c.Seen[1]), names(c.Seen[2]))
	}
}

func TestSubAgentModes(t *testing.T) {
	modes := subAgents + "## Sub-Agent Modes\n### explore\nOnly look.\n\n### mend\nMend it.\n\n"
	b, c := runnertest.Quick(t, spawn(1, `{"prompt":"x"}`), spawn(2, `{"prompt":"x","mode":"fly"}`),
		spawn(3, `{"prompt":"x","mode":"explore"}`), runnertest.Say("seen"), runnertest.Say("done"))
	out := b.One(runnertest.Recipe(modes))
	if out.Counters.Malformed != 2 || out.Steps != 5 {
		t.Errorf("%+v", out)
	}
	if got := c.Seen[3].Messages[0].Content; !strings.HasSuffix(got, "\n\nOnly look.") || strings.Contains(got,
		"Mend it.") {
		t.Errorf("system message:\n%s", got)
	}
	if got := string(c.Seen[0].Tools[len(c.Seen[0].Tools)-1].Parameters); !strings.Contains(got,
		`"enum":["explore","mend"]`) {
		t.Errorf("parameters: %s", got)
	}
}

func TestSubAgentTools(t *testing.T) {
	check := func(tools, sections, want string) {
		t.Helper()
		b, c := runnertest.Quick(t, spawn(1, `{"prompt":"x"}`), runnertest.Say("seen"), runnertest.Say("done"))
		b.One(runnertest.Recipe("## Sub-Agent\nmax_depth: 1\ntools: " + tools + "\n\n" + sections))
		if got := names(c.Seen[1]); got != want {
			t.Errorf("%s: %q, want %q", tools, got, want)
		}
	}
	check("read_file, search_code", "", "read_file search_code")
	check("inherit", "## Tools\n- read_file\n- bash\n\n", "read_file bash")
	b, _ := runnertest.Quick(t)
	want := []string{`recipe.md:9:8: unknown tool of a sub-agent "bash"; allowed: read_file`}
	if d := cmp.Diff(want,
		problems(b, runnertest.Recipe("## Sub-Agent\nmax_depth: 1\ntools: bash\n\n## Tools\n- read_file\n\n"))); d != "" {
		t.Error(d)
	}
}

func TestSubAgentsShareTheLimits(t *testing.T) {
	check := func(sections string, stop trial.Stop, requests int, steps ...any) {
		t.Helper()
		b, c := runnertest.Quick(t, steps...)
		if out := b.One(runnertest.Recipe(subAgents + sections)); out.Stop != stop || len(c.Seen) != requests {
			t.Errorf("%s: stop %s after %d requests", sections, out.Stop, len(c.Seen))
		}
	}
	check("## Constraints\nmax_steps: 3\n\n", trial.StopMaxSteps, 3, spawn(1, `{"prompt":"x"}`), runnertest.Bash(2, "a"),
		runnertest.Bash(3, "b"), runnertest.Bash(4, "c"))
	check("## Constraints\nmax_tool_calls: 2\n\n", trial.StopMaxToolCalls, 3, spawn(1, `{"prompt":"x"}`),
		runnertest.Bash(2, "a"),
		runnertest.Bash(3, "b"))
	check("## Constraints\ntimeout: 5s\n\n", trial.StopTimeout, 3, spawn(1, `{"prompt":"x"}`),
		runnertest.Bash(2, "a"), runnertest.Bash(3, "b"), runnertest.Bash(4, "c"), runnertest.Bash(5, "d"))
}

func TestWhatEndsASubAgentAloneGoesBackToItsParent(t *testing.T) {
	check := func(want string, steps ...any) {
		t.Helper()
		b, c := runnertest.Quick(t, append(append([]any{spawn(1, `{"prompt":"x"}`)}, steps...),
			runnertest.Call("9", "bash", `{"command":"touch done"}`), runnertest.Say("done"))...)
		out := b.One(runnertest.Recipe(subAgents))
		last := c.Seen[len(c.Seen)-2].Messages
		if got := last[len(last)-1].Content; !strings.HasPrefix(got, want) || out.Status != trial.Pass {
			t.Errorf("%q, %s/%s stop %s; want %q", got, out.Status, out.Cause, out.Stop, want)
		}
	}
	check("the agent ended without an answer: malformed", runnertest.Say(""), runnertest.Say(""), runnertest.Say(""))
	check("the agent ended without an answer: refused: no", &model.RefusedError{Reason: "no"})
	same := runnertest.Bash(2, "a")
	check("the agent ended without an answer: loop", same, same, same, same, same, same)
	b, _ := runnertest.Quick(t, spawn(1, `{"prompt":" "}`))
	if out := b.One(runnertest.Recipe(subAgents)); out.Stop != trial.StopMalformed {
		t.Errorf("empty prompts: stop %s", out.Stop)
	}
}

func TestSubAgentOfAnotherModel(t *testing.T) {
	parent := &runnertest.Chat{Steps: []any{spawn(1, `{"prompt":"x"}`), runnertest.Say("done")}}
	child := &runnertest.Chat{Steps: []any{runnertest.Say("seen")}}
	b := runnertest.New(t, map[string]model.Chat{"test/model": parent, "test/small": child})
	b.Env.Backend = runnertest.Backend{}
	prices, err := (&model.Prices{}).With(map[string]model.Price{"test/model": {Input: 100_000, Output: 100_000},
		"test/small": {Input: 1000, Output: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	b.Env.Prices = prices
	out := b.One(runnertest.Recipe("## Sub-Agent\nmax_depth: 1\nmodel: test/small\n\n"))
	if len(parent.Seen) != 2 || len(child.Seen) != 1 || out.Steps != 3 {
		t.Errorf("%d and %d requests, %d steps", len(parent.Seen), len(child.Seen), out.Steps)
	}
	if out.CostUSD == nil || fmt.Sprintf("%.4f", *out.CostUSD) != "2.4120" { // 24 tokens at 0.1 and 12 at 0.001
		t.Errorf("cost %v", out.CostUSD)
	}
	check := func(model, want string) {
		t.Helper()
		got := problems(b, runnertest.Recipe("## Sub-Agent\nmax_depth: 1\nmodel: "+model+"\n\n"))
		if d := cmp.Diff([]string{want}, got); d != "" {
			t.Error(d)
		}
	}
	check("baseline/oracle", "recipe.md:9:8: a baseline can't be a sub-agent: baseline/oracle")
	check("test/none", `recipe.md:9:8: no model "test/none"`)
}

func TestABudgetCountsSubAgents(t *testing.T) {
	b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{}, "test/small": &runnertest.Chat{}})
	b.Env.Backend = runnertest.Backend{}
	prices, err := (&model.Prices{}).With(map[string]model.Price{"test/model": {Input: 1, Output: 1}})
	if err != nil {
		t.Fatal(err)
	}
	b.Env.Prices, b.Env.MaxCost = prices, 1
	rec, err := recipe.ParseContent([]byte(runnertest.Recipe("## Model Parameters\nmax_tokens: 10\n\n## Sub-Agent\n" +
		"max_depth: 1\nmodel: test/small\n\n")))
	if err != nil {
		t.Fatal(err)
	}
	rr, err := rec.BuildRunner()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runner.New(rr, b.Env); err == nil || !strings.Contains(err.Error(),
		`price of "test/small" is not known`) {
		t.Errorf("error %v", err)
	}
}

func TestModesWithoutSubAgentsAreWarnedOf(t *testing.T) {
	b, _ := runnertest.Quick(t)
	want := []string{"recipe.md:7:4: warning: there are no sub-agents to choose a mode for"}
	if d := cmp.Diff(want, problems(b, runnertest.Recipe("## Sub-Agent Modes\n### a\nA.\n\n"))); d != "" {
		t.Error(d)
	}
}
