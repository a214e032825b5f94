package runner

import (
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/toolset"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

func spawn(n int, args string) *model.Reply { return call(fmt.Sprint(n), toolset.Spawn, args) }

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
	b, c := quick(t, spawn(1, `{"prompt":"Touch it."}`), call("2", "bash", `{"command":"touch done"}`),
		say("I touched it."), say("All is well."))
	out := b.one(quickRecipe(subAgents))
	if out.Status != trial.Pass || out.Steps != 4 || out.Counters.ToolCalls != 2 || out.Answer != "All is well." {
		t.Errorf("%+v", out)
	}
	if want := (model.Usage{Input: 40, Output: 8, Known: true}); out.Usage != want {
		t.Errorf("usage %+v", out.Usage)
	}
	first := c.seen[1]
	if got := told(first); !strings.Contains(got, "for another agent") || strings.Contains(got, "Make a file") ||
		!strings.HasSuffix(got, "user \"Touch it.\"\n") {
		t.Errorf("the sub-agent is told:\n%s", got)
	}
	if got := names(first); strings.Contains(got, toolset.Spawn) || !strings.Contains(got, "bash") {
		t.Errorf("the sub-agent is offered %s", got)
	}
	if got := told(c.seen[3]); !strings.HasSuffix(got, "tool \"I touched it.\"\n") ||
		strings.Contains(got, "touch done") {
		t.Errorf("its parent is told:\n%s", got)
	}
	var got []string
	for _, e := range b.log.events {
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
		b, c := quick(t, say("done"))
		b.one(quickRecipe(section))
		if got := names(c.seen[0]); strings.Contains(got, toolset.Spawn) {
			t.Errorf("%q: %s", section, got)
		}
	}
}

func TestSubAgentsOfSubAgents(t *testing.T) {
	b, c := quick(t, spawn(1, `{"prompt":"a"}`), spawn(2, `{"prompt":"b"}`), say("b done"), say("a done"), say("done"))
	b.one(quickRecipe("## Sub-Agent\nmax_depth: 2\n\n"))
	var got []string
	for _, e := range b.log.events {
		if e.Kind == trial.ModelCalled {
			got = append(got, e.Agent)
		}
	}
	if d := cmp.Diff([]string{"", "1", "1.1", "1", ""}, got); d != "" {
		t.Error(d)
	}
	if strings.Contains(names(c.seen[2]), toolset.Spawn) || !strings.Contains(names(c.seen[1]), toolset.Spawn) {
		t.Errorf("offered: %s, then %s", names(c.seen[1]), names(c.seen[2]))
	}
}

func TestSubAgentModes(t *testing.T) {
	modes := subAgents + "## Sub-Agent Modes\n### explore\nOnly look.\n\n### mend\nMend it.\n\n"
	b, c := quick(t, spawn(1, `{"prompt":"x"}`), spawn(2, `{"prompt":"x","mode":"fly"}`),
		spawn(3, `{"prompt":"x","mode":"explore"}`), say("seen"), say("done"))
	out := b.one(quickRecipe(modes))
	if out.Counters.Malformed != 2 || out.Steps != 5 {
		t.Errorf("%+v", out)
	}
	if got := c.seen[3].Messages[0].Content; !strings.HasSuffix(got, "\n\nOnly look.") || strings.Contains(got,
		"Mend it.") {
		t.Errorf("system message:\n%s", got)
	}
	if got := string(c.seen[0].Tools[len(c.seen[0].Tools)-1].Parameters); !strings.Contains(got,
		`"enum":["explore","mend"]`) {
		t.Errorf("parameters: %s", got)
	}
}

func TestSubAgentTools(t *testing.T) {
	check := func(tools, sections, want string) {
		t.Helper()
		b, c := quick(t, spawn(1, `{"prompt":"x"}`), say("seen"), say("done"))
		b.one(quickRecipe("## Sub-Agent\nmax_depth: 1\ntools: " + tools + "\n\n" + sections))
		if got := names(c.seen[1]); got != want {
			t.Errorf("%s: %q, want %q", tools, got, want)
		}
	}
	check("read_file, search_code", "", "read_file search_code")
	check("inherit", "## Tools\n- read_file\n- bash\n\n", "read_file bash")
	b, _ := quick(t)
	want := []string{`recipe.md:9:8: unknown tool of a sub-agent "bash"; allowed: read_file`}
	if d := cmp.Diff(want,
		b.problems(quickRecipe("## Sub-Agent\nmax_depth: 1\ntools: bash\n\n## Tools\n- read_file\n\n"))); d != "" {
		t.Error(d)
	}
}

func TestSubAgentsShareTheLimits(t *testing.T) {
	check := func(sections string, stop trial.Stop, requests int, steps ...any) {
		t.Helper()
		b, c := quick(t, steps...)
		if out := b.one(quickRecipe(subAgents + sections)); out.Stop != stop || len(c.seen) != requests {
			t.Errorf("%s: stop %s after %d requests", sections, out.Stop, len(c.seen))
		}
	}
	check("## Constraints\nmax_steps: 3\n\n", trial.StopMaxSteps, 3, spawn(1, `{"prompt":"x"}`), bash(2, "a"),
		bash(3, "b"), bash(4, "c"))
	check("## Constraints\nmax_tool_calls: 2\n\n", trial.StopMaxToolCalls, 3, spawn(1, `{"prompt":"x"}`), bash(2, "a"),
		bash(3, "b"))
	check("## Constraints\ntimeout: 5s\n\n", trial.StopTimeout, 3, spawn(1, `{"prompt":"x"}`),
		bash(2, "a"), bash(3, "b"), bash(4, "c"), bash(5, "d"))
}

func TestWhatEndsASubAgentAloneGoesBackToItsParent(t *testing.T) {
	check := func(want string, steps ...any) {
		t.Helper()
		b, c := quick(t, append(append([]any{spawn(1, `{"prompt":"x"}`)}, steps...),
			call("9", "bash", `{"command":"touch done"}`), say("done"))...)
		out := b.one(quickRecipe(subAgents))
		last := c.seen[len(c.seen)-2].Messages
		if got := last[len(last)-1].Content; !strings.HasPrefix(got, want) || out.Status != trial.Pass {
			t.Errorf("%q, %s/%s stop %s; want %q", got, out.Status, out.Cause, out.Stop, want)
		}
	}
	check("the agent ended without an answer: malformed", say(""), say(""), say(""))
	check("the agent ended without an answer: refused: no", &model.RefusedError{Reason: "no"})
	same := bash(2, "a")
	check("the agent ended without an answer: loop", same, same, same, same, same, same)
	b, _ := quick(t, spawn(1, `{"prompt":" "}`))
	if out := b.one(quickRecipe(subAgents)); out.Stop != trial.StopMalformed {
		t.Errorf("empty prompts: stop %s", out.Stop)
	}
}

func TestSubAgentOfAnotherModel(t *testing.T) {
	parent := &chat{steps: []any{spawn(1, `{"prompt":"x"}`), say("done")}}
	child := &chat{steps: []any{say("seen")}}
	b := newBench(t, map[string]model.Chat{"test/model": parent, "test/small": child})
	b.env.Backend = stubBackend{}
	prices, err := (&model.Prices{}).With(map[string]model.Price{"test/model": {Input: 100_000, Output: 100_000},
		"test/small": {Input: 1000, Output: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	b.env.Prices = prices
	out := b.one(quickRecipe("## Sub-Agent\nmax_depth: 1\nmodel: test/small\n\n"))
	if len(parent.seen) != 2 || len(child.seen) != 1 || out.Steps != 3 {
		t.Errorf("%d and %d requests, %d steps", len(parent.seen), len(child.seen), out.Steps)
	}
	if out.CostUSD == nil || fmt.Sprintf("%.4f", *out.CostUSD) != "2.4120" { // 24 tokens at 0.1 and 12 at 0.001
		t.Errorf("cost %v", out.CostUSD)
	}
	check := func(model, want string) {
		t.Helper()
		got := b.problems(quickRecipe("## Sub-Agent\nmax_depth: 1\nmodel: " + model + "\n\n"))
		if d := cmp.Diff([]string{want}, got); d != "" {
			t.Error(d)
		}
	}
	check("baseline/oracle", "recipe.md:9:8: a baseline can't be a sub-agent: baseline/oracle")
	check("test/none", `recipe.md:9:8: no model "test/none"`)
}

func TestABudgetCountsSubAgents(t *testing.T) {
	b := newBench(t, map[string]model.Chat{"test/model": &chat{}, "test/small": &chat{}})
	b.env.Backend = stubBackend{}
	prices, err := (&model.Prices{}).With(map[string]model.Price{"test/model": {Input: 1, Output: 1}})
	if err != nil {
		t.Fatal(err)
	}
	b.env.Prices, b.env.MaxCost = prices, 1
	rec, err := recipe.ParseContent([]byte(quickRecipe("## Model Parameters\nmax_tokens: 10\n\n## Sub-Agent\n" +
		"max_depth: 1\nmodel: test/small\n\n")))
	if err != nil {
		t.Fatal(err)
	}
	rr, err := rec.BuildRunner()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(rr, b.env); err == nil || !strings.Contains(err.Error(), `price of "test/small" is not known`) {
		t.Errorf("error %v", err)
	}
}

func TestModesWithoutSubAgentsAreWarnedOf(t *testing.T) {
	b, _ := quick(t)
	want := []string{"recipe.md:7:4: warning: there are no sub-agents to choose a mode for"}
	if d := cmp.Diff(want, b.problems(quickRecipe("## Sub-Agent Modes\n### a\nA.\n\n"))); d != "" {
		t.Error(d)
	}
}
