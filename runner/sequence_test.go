package runner

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/v1"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

// sequenceRecipe has three tasks, each of which needs what the one before it
// left.
func sequenceRecipe(sections string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"# Sequence\nversion: 1\n\n## Models\n- test/model\n\n## Context\ntask_mode: sequential\n\n%s## Tasks\n",
		sections)
	before := "true"
	for _, name := range []string{"one", "two", "three"} {
		fmt.Fprintf(&b,
			"### Make %s\nMake %s.\n\n```sh before\n%s && ! test -e %s\n```\n```sh after\ntest -e %s\n```\n"+
				"```sh solution\ntouch %s\n```\n", name, name, before, name, name, name)
		before = "test -e " + name
	}
	return b.String()
}

func touch(n int, file string) *model.Reply {
	return call(fmt.Sprint(n), "bash", fmt.Sprintf(`{"command":"touch %s"}`, file))
}

// statuses gives how the trials ended, in the order in which they did.
func (b *bench) statuses() string {
	var out []string
	for _, e := range b.log.events {
		if e.Kind == trial.TrialFinished {
			s := fmt.Sprintf("%s/%d %s", e.Trial, e.Attempt, e.Outcome.Status)
			if e.Outcome.Cause != "" {
				s += " " + string(e.Outcome.Cause)
			}
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

func TestTasksInSequenceOnARealSandbox(t *testing.T) {
	c := &chat{steps: []any{touch(1, "one"), say("first"), touch(2, "two"), say("second"), touch(3, "three"),
		say("third")}}
	b := newBench(t, map[string]model.Chat{"test/model": c})
	if err := b.runner(sequenceRecipe("")).RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.statuses(), "t001/1 pass, t002/1 pass, t003/1 pass"; got != want {
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
	_, got, _ := strings.Cut(told(c.seen[5]), "\n")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"5 messages of trial t001", "9 messages of trial t002"}, b.notes("carried")); d != "" {
		t.Error(d)
	}
}

func TestTheSameTasksAloneStartClean(t *testing.T) {
	b, _ := quick(t, touch(1, "one"), say("first"))
	b.env.Parallel = 1
	text := strings.Replace(sequenceRecipe(""), "sequential", "independent", 1)
	if err := b.runner(text).RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.statuses(), "t001/1 pass, t002/1 void admission, t003/1 void admission"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAVoidTrialHandsNothingOn(t *testing.T) {
	b, c := quick(t, touch(1, "one"), say("first"), touch(2, "two"), errors.New("odd"), say("second"), say("third"))
	b.env.Retries = 1
	if err := b.runner(sequenceRecipe("")).RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.statuses(), "t001/1 pass, t002/1 void provider, t002/1 pass, t003/1 fail gave_up"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if d := cmp.Diff(told(c.seen[3]), told(c.seen[4])); d != "" {
		t.Errorf("the second try goes on otherwise than the first:\n%s", d)
	}
}

func TestATaskCutOffByALimitHandsOnAWholeConversation(t *testing.T) {
	two := &model.Reply{Message: model.Message{Calls: []model.Call{
		{ID: "1", Name: "bash", Arguments: `{"command":"touch one"}`},
		{ID: "2", Name: "bash", Arguments: `{"command":"echo b"}`},
		{ID: "3", Name: "bash", Arguments: `{"command":"echo c"}`}}}}
	b, c := quick(t, two, say("second"))
	if err := b.runner(sequenceRecipe("## Constraints\nmax_tool_calls: 1\n\n")).RunAll(t.Context(), "r", b.log,
		nil); err != nil {
		t.Fatal(err)
	}
	if got, want := roles(c.seen[1]), "system user assistant tool tool tool user"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := c.seen[1].Messages[5].Content; got != v1.Ended {
		t.Errorf("the last call is answered by %q", got)
	}
}

func TestASequenceIsPlannedModelByModel(t *testing.T) {
	b, _ := quick(t)
	text := strings.Replace(sequenceRecipe("## Comparison\ntrials: 2\n\n"), "- test/model",
		"- baseline/oracle\n- baseline/noop", 1)
	r := b.runner(text)
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
	if err := r.RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	// The noop's second and third task can't be staged on what it left: that is
	// its own doing.
	if got := b.statuses(); strings.Count(got, "pass") != 6 || strings.Count(got, "fail gave_up") != 2 ||
		strings.Count(got, "fail wrong_fix") != 4 {
		t.Errorf("%s", got)
	}
}

func TestTheSystemMessageFollowsTheTasksTools(t *testing.T) {
	b, c := quick(t, say("first"), say("second"), say("third"))
	text := strings.Replace(sequenceRecipe(""), "touch three\n```\n", "touch three\n```\ntools: read_file\n", 1)
	text = strings.ReplaceAll(text, "test -e one && ", "")
	text = strings.ReplaceAll(text, "test -e two && ", "")
	if err := b.runner(text).RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	if first, last := c.seen[1].Messages[0].Content, c.seen[2].Messages[0].Content; !strings.Contains(first,
		"- bash:") ||
		strings.Contains(last, "- bash:") || !strings.Contains(last, "- read_file:") {
		t.Errorf("system message of the third task:\n%s", last)
	}
}
