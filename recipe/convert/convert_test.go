package convert

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"cookoff/recipe"
	"cookoff/recipe/problem"
)

func TestConvert(t *testing.T) {
	content, err := os.ReadFile("../../testdata/recipes/format/errata.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	out, notes, err := Errata("errata.recipe.md", content)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../testdata/recipes/format/errata.want")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "errata.want", string(out)+"\n========\n"+notes.Error()+"\n", string(want))
	r, err := recipe.ParseContent(out)
	if err != nil {
		t.Fatal(err)
	}
	// Nothing that Errata failed to limit is left without its limit.
	same(t, "steps", r.Constraints.MaxSteps, 30)
	same(t, "timeout", r.Constraints.Timeout.String(), "5m0s")
	same(t, "filesystem", r.Sandbox.Filesystem, "read_only")
	same(t, "tools", r.Tools.Allowlist, []string{"read_file"})
	if d := len(notes.Errors()); d != 0 {
		t.Errorf("%d notes are errors", d)
	}
	for _, line := range strings.Split(string(content), "\n") {
		for _, word := range strings.Fields(line) {
			if len(word) > 5 && !strings.Contains(string(out)+notes.Error(), word) {
				t.Errorf("%q is neither in the recipe nor in the notes", word)
			}
		}
	}
}

// TestConvertKeepsWhatWasMeant: a value that says what it means is written as
// this format has it, and what can't be kept takes nothing else with it.
func TestConvertKeepsWhatWasMeant(t *testing.T) {
	out, notes, err := Errata("x.md", []byte(`# X
version: 1

## Context
compact_threshold: 75%

## System Reminders
### full
trigger: context_usage > 0.75
Be brief.

### tool
trigger: tool_used == bash

Mind it.

## Hooks
### format
- event: post_tool_use
- command: gofmt -l .
- inject_output: Yes

### bad
- event: on_start
- command: echo

## Model Profiles
### gpt-4o
system_role: off
typo: x
`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := recipe.ParseContent(out)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "threshold", r.Context.CompactThreshold, 0.75)
	same(t, "reminders", r.SystemReminders, []recipe.SystemReminderConfig{
		{Name: "full", Trigger: "context_usage > 0.75", Content: "Be brief."},
		{Name: "tool", Trigger: "tool_used == bash", Content: "Mind it."}})
	same(t, "hooks", r.Hooks, []recipe.HookConfig{{Name: "format", Event: "post_tool_use", Command: "gofmt -l .",
		InjectOutput: true}})
	same(t, "system_role", *r.ModelProfiles["openai/gpt-4o"].SystemRole, false)
	if !strings.Contains(string(out), "### bad\n- event: on_start\n- command: echo -->") ||
		strings.Contains(notes.Error(), "twice") {
		t.Errorf("a block is left out whole:\n%s\n%v", out, notes)
	}
	if !strings.Contains(notes.Error(), `x.md:30:1: warning: Errata ignores "typo: x"`) {
		t.Errorf("places are those of the given file:\n%v", notes)
	}
}

func TestWhatConvertsToItself(t *testing.T) {
	content, err := os.ReadFile("../../testdata/recipes/good/everything.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := recipe.ParseContent(content)
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := Errata("x.md", content)
	if err != nil {
		t.Fatal(err)
	}
	got, err := recipe.ParseContent(out)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(recipe.Recipe{}), cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}

func TestWhatCantBeConverted(t *testing.T) {
	for text, want := range map[string]string{
		"# A\n":        "no version",
		"version: 2\n": "version 2 is not supported",
		"version: 1\n\n## System Prompt\n```\nx\n": "never closed",
		"version: 1\n\n## System Prompt\n<!-- x\n": "never closed",
		"version: 1\x00\n":                         "NUL",
	} {
		_, _, err := Errata("x.md", []byte(text))
		if _, ok := errors.AsType[problem.List](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// FuzzConvert: whatever comes out is a sound recipe.
func FuzzConvert(f *testing.F) {
	for _, file := range []string{"format/errata", "format/messy", "bad/five-mistakes", "bad/dialects",
		"bad/fails-open"} {
		content, err := os.ReadFile("../../testdata/recipes/" + file + ".recipe.md")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		out, notes, err := Errata("x.md", content)
		if err != nil {
			return
		}
		if _, err := recipe.ParseContent(out); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		for _, n := range notes {
			if n.Pos.Line < 1 {
				t.Errorf("a note without a place: %+v", n)
			}
		}
	})
}

// TestConvertKeepsTheModels: each goes to who serves it, wherever it is named.
func TestConvertKeepsTheModels(t *testing.T) {
	out, notes, err := Errata("x.md", []byte(`# X
version: 1

## Models
- claude-sonnet-4-6
- gpt-5-mini  # cheap
- o3
* "gemini-2.5-pro"
- openai/gpt-4o
- deepseek-chat
- grok-4
- ollama/qwen3
- baseline/noop

## Sub-Agent
- model: claude-haiku-4-5
- max_depth: 1

## Model Profiles
### claude-*
context_budget: 100000

## Tasks
- Say which model you are: gpt-4 or claude.
`))
	if err != nil || len(notes.Errors()) > 0 {
		t.Fatal(err, notes)
	}
	r, err := recipe.ParseContent(out)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "models", r.Models, []string{"anthropic/claude-sonnet-4-6", "openai/gpt-5-mini", "openai/o3",
		"gemini/gemini-2.5-pro", "openrouter/openai/gpt-4o",
		"deepseek/deepseek-chat", "xai/grok-4", "ollama/qwen3", "baseline/noop"})
	same(t, "sub-agent", r.SubAgent.Model, "anthropic/claude-haiku-4-5")
	same(t, "profile", r.ModelProfiles["anthropic/claude-*"].ContextBudget, 100000)
	same(t, "prompt", r.Tasks[0].Prompt, "Say which model you are: gpt-4 or claude.")
}

// TestConvertWithoutAModelIsNoSuccess: what can't be told is an error at its
// place, and the rest is converted all the same.
func TestConvertWithoutAModelIsNoSuccess(t *testing.T) {
	for text, want := range map[string][]string{
		"## Model\n- llama-70b\n- gpt-5\n\n## Sub-Agent\nmodel: my model\n": {`x.md:4:3: whom to ask for the model "llama-70b"`, `x.md:8:8: whom to ask for the model "my model"`},
		"## Models\n- llama-70b\n": {`x.md:4:3: whom to ask`,
			"x.md:3:1: the recipe names no model"},
		"## Tasks\n- a\n": {"x.md:1:1: the recipe names no model"},
		"## Model Profiles\n### mine\ncontext_budget: 9\n": {"x.md:4:5: whom to ask"},
	} {
		out, notes, err := Errata("x.md", []byte("# X\nversion: 1\n"+text))
		if err != nil {
			t.Fatal(text, err)
		}
		for _, w := range want {
			if !strings.Contains(notes.Errors().Error(), w) {
				t.Errorf("%s gives %v, not %s", text, notes.Errors(), w)
			}
		}
		if _, err := recipe.ParseContent(out); err != nil {
			t.Errorf("%s became\n%s\n%v", text, out, err)
		}
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
