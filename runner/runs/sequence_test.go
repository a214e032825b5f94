package runs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/runnertest"
	"cookoff/runner/v1"

	"github.com/google/go-cmp/cmp"
)

func touch(n int, file string) *model.Reply {
	return runnertest.Call(fmt.Sprint(n), "bash", fmt.Sprintf(`{"command":"touch %s"}`, file))
}

func TestTasksInSequenceOnARealSandbox(t *testing.T) {
	c := &runnertest.Chat{Steps: []any{touch(1, "one"), runnertest.Say("first"), touch(2, "two"), runnertest.Say("second"),
		touch(3, "three"),
		runnertest.Say("third")}}
	b := runnertest.New(t, map[string]model.Chat{"test/model": c})
	if err := b.Runner(runnertest.SequenceRecipe("")).RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Statuses(), "t001/1 pass, t002/1 pass, t003/1 pass"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	want := `user "Make one."
assistant "" bash{"command":"touch one"}
tool "(no output)"
assistant "first"
user "Make two."
assistant "" bash{"command":"touch two"}
tool "(no output)"
assistant "second"
user "Make three."
assistant "" bash{"command":"touch three"}
tool "(no output)"
`
	_, got, _ := strings.Cut(runnertest.Told(c.Seen[5]), "\n")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"5 messages of trial t001", "9 messages of trial t002"}, b.Notes("carried")); d != "" {
		t.Error(d)
	}
}

func TestTheSameTasksAloneStartClean(t *testing.T) {
	b, _ := runnertest.Quick(t, touch(1, "one"), runnertest.Say("first"))
	b.Env.Parallel = 1
	text := strings.Replace(runnertest.SequenceRecipe(""), "sequential", "independent", 1)
	if err := b.Runner(text).RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Statuses(), "t001/1 pass, t002/1 void admission, t003/1 void admission"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAVoidTrialHandsNothingOn(t *testing.T) {
	b, c := runnertest.Quick(t, touch(1, "one"), runnertest.Say("first"), touch(2, "two"), errors.New("odd"),
		runnertest.Say("second"), runnertest.Say("third"))
	b.Env.Retries = 1
	if err := b.Runner(runnertest.SequenceRecipe("")).RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Statuses(), "t001/1 pass, t002/1 void provider, t002/1 pass, t003/1 fail gave_up"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if d := cmp.Diff(runnertest.Told(c.Seen[3]), runnertest.Told(c.Seen[4])); d != "" {
		t.Errorf("the second try goes on otherwise than the first:\n%s", d)
	}
}

func TestATaskCutOffByALimitHandsOnAWholeConversation(t *testing.T) {
	two := &model.Reply{Message: model.Message{Calls: []model.Call{
		{ID: "1", Name: "bash", Arguments: `{"command":"touch one"}`},
		{ID: "2", Name: "bash", Arguments: `{"command":"echo b"}`},
		{ID: "3", Name: "bash", Arguments: `{"command":"echo c"}`}}}}
	b, c := runnertest.Quick(t, two, runnertest.Say("second"))
	if err := b.Runner(runnertest.SequenceRecipe("## Constraints\nmax_tool_calls: 1\n\n")).RunAll(t.Context(), "r", b.Log,
		nil); err != nil {
		t.Fatal(err)
	}
	if got, want := runnertest.Roles(c.Seen[1]), "system user assistant tool tool tool user"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := c.Seen[1].Messages[5].Content; got != v1.Ended {
		t.Errorf("the last call is answered by %q", got)
	}
}

func TestASequenceIsPlannedModelByModel(t *testing.T) {
	b, _ := runnertest.Quick(t)
	text := strings.Replace(runnertest.SequenceRecipe("## Comparison\ntrials: 2\n\n"), "- test/model",
		"- baseline/oracle\n- baseline/noop", 1)
	r := b.Runner(text)
	var got []string
	for _, tr := range r.Plan()[:7] {
		got = append(got, fmt.Sprintf("%s %d %s %s", tr.ID, tr.N, tr.Model, tr.Task))
	}
	want := []string{"t001 1 baseline/oracle Make one", "t002 1 baseline/oracle Make two",
		"t003 1 baseline/oracle Make three",
		"t004 1 baseline/noop Make one", "t005 1 baseline/noop Make two", "t006 1 baseline/noop Make three",
		"t007 2 baseline/oracle Make one"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if err := r.RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	// The noop's second and third task can't be staged on what it left: that is
	// its own doing.
	if got := b.Statuses(); strings.Count(got, "pass") != 6 || strings.Count(got, "fail gave_up") != 2 ||
		strings.Count(got, "fail wrong_fix") != 4 {
		t.Errorf("%s", got)
	}
}

func TestTheSystemMessageFollowsTheTasksTools(t *testing.T) {
	b, c := runnertest.Quick(t, runnertest.Say("first"), runnertest.Say("second"), runnertest.Say("third"))
	text := strings.Replace(runnertest.SequenceRecipe(""), "touch three\n```\n", "touch three\n```\ntools: read_file\n", 1)
	text = strings.ReplaceAll(text, "test -e one && ", "")
	text = strings.ReplaceAll(text, "test -e two && ", "")
	if err := b.Runner(text).RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	if first, last := c.Seen[1].Messages[0].Content, c.Seen[2].Messages[0].Content; !strings.Contains(first,
		"- bash:") ||
		strings.Contains(last, "- bash:") || !strings.Contains(last, "- read_file:") {
		t.Errorf("system message of the third task:\n%s", last)
	}
}
