package conversation_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/runnertest"
	"cookoff/runner/v1"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

// used is a reply that the provider says filled so many tokens.
func used(r *model.Reply, tokens int) *model.Reply {
	r.Usage = model.Usage{Input: tokens, Output: 10, Known: true}
	return r
}

const budget10k = "## Model Profiles\n### test/model\ncontext_budget: 10000\n\n"

func TestAutoCompact(t *testing.T) {
	b, c := runnertest.Quick(t, used(runnertest.Bash(1, "aaa"), 7000), used(runnertest.Bash(2, "bbb"), 8500),
		runnertest.Say("It is half done."),
		used(runnertest.Bash(3, "ccc"), 3000), runnertest.Say("done"))
	out := b.One(runnertest.Recipe(budget10k + "## Context\nstrategy: auto_compact\n\n"))
	if out.Counters.Compactions != 1 || out.Steps != 4 || out.Stop != trial.StopDone {
		t.Errorf("%+v", out)
	}
	if want := (model.Usage{Input: 7000 + 8500 + 10 + 3000 + 10, Output: 10 + 10 + 2 + 10 + 2,
		Known: true}); out.Usage != want {
		t.Errorf("usage %+v, want %+v", out.Usage, want)
	}
	ask := c.Seen[2]
	want := v1.Summarize + "\n\n<conversation>\nuser: Make a file called done.\n\nassistant: \n" +
		"calls bash {\"command\":\"echo aaa\"}\n\nresult of bash: aaa\n\n" +
		"assistant: \ncalls bash {\"command\":\"echo bbb\"}\n\nresult of bash: bbb\n</conversation>"
	if d := cmp.Diff(want, ask.Messages[0].Content); d != "" || len(ask.Messages) != 1 || ask.Tools != nil {
		t.Errorf("%d messages, %d tools\n%s", len(ask.Messages), len(ask.Tools), d)
	}
	after := c.Seen[3]
	if got := runnertest.Roles(after); got != "system user" || after.Tools == nil {
		t.Errorf("after it: %s, %d tools", got, len(after.Tools))
	}
	if d := cmp.Diff("Make a file called done.\n\n"+v1.Summary+"\n<summary>\nIt is half done.\n</summary>",
		after.Messages[1].Content); d != "" {
		t.Error(d)
	}
	if n := b.Notes("compacted"); len(n) != 1 || !strings.HasPrefix(n[0],
		"6 messages of about 8510 tokens became a summary") {
		t.Errorf("notes: %q", n)
	}
}

func TestTheThresholdAndThePromptOfTheRecipe(t *testing.T) {
	b, c := runnertest.Quick(t, used(runnertest.Bash(1, "aaa"), 4500), runnertest.Say("so far"), runnertest.Say("done"))
	out := b.One(runnertest.Recipe(budget10k +
		"## Context\nstrategy: auto_compact\ncompact_threshold: 0.4\n\n## Context Summarization Prompt\nBe short.\n\n"))
	if out.Counters.Compactions != 1 || !strings.HasPrefix(c.Seen[1].Messages[0].Content,
		"Be short.\n\n<conversation>") {
		t.Errorf("%+v, asked %s", out.Counters, runnertest.Told(c.Seen[1]))
	}
}

func TestStrategyOffLetsTheContextFill(t *testing.T) {
	full := &model.ContextError{Err: errors.New("1001 tokens")}
	for _, context := range []string{"", "## Context\nstrategy: off\n\n"} {
		b, c := runnertest.Quick(t, used(runnertest.Bash(1, "aaa"), 9900), full)
		if out := b.One(runnertest.Recipe(budget10k + context)); out.Stop != trial.StopContextFull || len(c.Seen) != 2 {
			t.Errorf("%q: stop %s after %d requests", context, out.Stop, len(c.Seen))
		}
	}
}

func TestTooLongForTheProviderIsCompactedOnce(t *testing.T) {
	full := &model.ContextError{Err: errors.New("too long")}
	context := budget10k + "## Context\nstrategy: auto_compact\n\n"
	b, c := runnertest.Quick(t, runnertest.Bash(1, "aaa"), runnertest.Bash(2, "bbb"), full, full, runnertest.Say("short"),
		runnertest.Say("done"))
	out := b.One(runnertest.Recipe(context))
	if out.Stop != trial.StopDone || out.Steps != 3 || out.Counters.Compactions != 1 {
		t.Errorf("%+v", out)
	}
	if ask := runnertest.Told(c.Seen[4]); strings.Contains(ask, "aaa") || !strings.Contains(ask, "bbb") ||
		!strings.Contains(ask,
			"Make a file") {
		t.Errorf("the second, shorter request for a summary: %s", ask)
	}
	b, _ = runnertest.Quick(t, runnertest.Bash(1, "aaa"), full)
	if out := b.One(runnertest.Recipe(context)); out.Stop != trial.StopContextFull {
		t.Errorf("stop %s", out.Stop)
	}
}

func TestSummariesThatDontHelpEndTheLoop(t *testing.T) {
	context := budget10k + "## Context\nstrategy: auto_compact\n\n"
	check := func(summary, detail string) {
		t.Helper()
		b, _ := runnertest.Quick(t, used(runnertest.Bash(1, "aaa"), 9000), runnertest.Say(summary))
		if out := b.One(runnertest.Recipe(context)); out.Stop != trial.StopContextFull ||
			!strings.Contains(out.Detail, detail) {
			t.Errorf("stop %s, %q", out.Stop, out.Detail)
		}
	}
	check("", "no summary")
	check(strings.Repeat("long ", 10000), "even with a summary")
}

func TestMaxHistoryTurns(t *testing.T) {
	b, c := runnertest.Quick(t, runnertest.Bash(1, "a"), runnertest.Bash(2, "b"), runnertest.Bash(3, "c"),
		runnertest.Bash(4, "d"), runnertest.Say("done"))
	b.One(runnertest.Recipe("## Context\nmax_history_turns: 2\n\n" +
		"## Model Profiles\n### test/model\nsystem_role: true\n\n"))
	var got []string
	for _, req := range c.Seen {
		var calls []string
		for _, m := range req.Messages {
			for _, c := range m.Calls {
				calls = append(calls, c.ID)
			}
		}
		got = append(got, fmt.Sprintf("%s: %s", runnertest.Roles(req), strings.Join(calls, ",")))
	}
	want := []string{"system user: ", "system user assistant tool: 1", "system user assistant tool assistant tool: 1,2",
		"system user assistant tool assistant tool: 2,3", "system user assistant tool assistant tool: 3,4"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if n := b.Notes("forgotten"); len(n) != 2 {
		t.Errorf("notes: %q", n)
	}
}

func TestBaselinesKeepTheirConversation(t *testing.T) {
	b, _ := runnertest.Quick(t)
	text := strings.Replace(runnertest.Recipe("## Context\nstrategy: auto_compact\ncompact_threshold: 0.001\n"+
		"max_history_turns: 1\n\n"), "test/model", "baseline/oracle", 1)
	if out := b.One(text); out.Status != trial.Pass || out.Counters.Compactions != 0 {
		t.Errorf("%+v", out)
	}
}

func TestContextIsChecked(t *testing.T) {
	b, _ := runnertest.Quick(t)
	check := func(text string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, problems(b, runnertest.Recipe(text))); d != "" {
			t.Errorf("%s:\n%s", text, d)
		}
	}
	check("## Context\nstrategy: manual\n\n",
		"recipe.md:8:11: warning: with strategy: manual a person compacts by hand; a run has none, so nothing is")
	check("## Context\ncompact_threshold: 0.5\n\n",
		"recipe.md:8:20: compact_threshold has no effect without strategy: auto_compact")
	check("## Context Summarization Prompt\nShort.\n\n",
		"recipe.md:7:4: warning: nothing is summarized without strategy: auto_compact or manual in Context")
	check("## Context\nstrategy: auto_compact\n\n",
		"recipe.md:5:3: warning: how much test/model can read at once is not known; 128000 tokens are assumed")
	check(budget10k + "## Context\nstrategy: auto_compact\n\n")
}
