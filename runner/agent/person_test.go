package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/contestant/acp"
	"cookoff/runner/clock"
	"cookoff/runner/loop"
	"cookoff/runner/record"
	"cookoff/trial"
)

// TestPersonAllows: what an agent asks for a person decides about, each time or for the
// tool until the trial ends; it is written down, and the wait is nobody's time. What
// nobody answers any more is cancelled.
func TestPersonAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked, told []string
		answers := []loop.Answer{loop.Once, loop.ThisTrial, loop.Deny}
		gone := false
		c := &Contestant{Config: Config{Clock: clock.Real{}, Trial: trial.Trial{ID: "t001"},
			Record: &record.Recorder{Clock: clock.Real{}, Sink: trial.SinkFunc(func(e trial.Event) error {
				told = append(told, e.Hook.Name+" "+e.Hook.Decision+" "+e.Hook.Reason)
				return nil
			})},
			Approve: func(ctx context.Context, a loop.Approval) (loop.Answer, error) {
				asked = append(asked, a.Trial.ID+" "+a.Wants()+": "+a.Command)
				if gone {
					<-ctx.Done()
					return loop.Deny, ctx.Err()
				}
				time.Sleep(time.Minute)
				if len(answers) == 0 {
					return loop.Once, errors.New("the panel is gone")
				}
				answer := answers[0]
				answers = answers[1:]
				return answer, nil
			}}}
		ctx, cancel := context.WithCancelCause(t.Context())
		allow := c.allow(ctx)
		check := func(name, kind, title, input string, want bool) {
			t.Helper()
			var w acp.Wish
			w.Call = acp.ToolUpdate{Name: name, Kind: kind, Title: title, Input: json.RawMessage(input)}
			if choice, err := allow(w); choice.Allow != want || err != nil || choice.Option != "" {
				t.Errorf("%s %s: %v %v, want %v", name, input, choice, err, want)
			}
		}
		check("", "execute", "List", `{"command":"ls"}`, true)
		check("", "execute", "", `{"command":["rm","-r","x"]}`, true)
		check("", "execute", "", `{"command":"more"}`, true) // not asked
		check("write", "edit", "Write a file", `{ "path": "f" }`, false)
		check("", "", "", ``, false)
		want := []string{"t001 asks for leave to use its tool execute: ls",
			"t001 asks for leave to use its tool execute: rm -r x",
			`t001 asks for leave to use its tool write: Write a file {"path":"f"}`,
			"t001 asks for leave to use its tool of no name: "}
		if got := strings.Join(asked, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("asked\n%s", got)
		}
		hooks := []string{"approval allow once: its tool execute: ls", "approval allow this trial: its tool execute: rm -r x",
			`approval deny its tool write: Write a file {"path":"f"}`,
			"approval deny nobody could be asked: the panel is gone"}
		if got := strings.Join(told, "\n"); got != strings.Join(hooks, "\n") {
			t.Errorf("told\n%s", got)
		}
		if c.person.away(time.Now()) != 4*time.Minute {
			t.Errorf("waited %s", c.person.away(time.Now()))
		}
		gone = true
		go func() {
			time.Sleep(time.Minute)
			cancel(errUnanswered)
		}()
		if ok, err := allow(acp.Wish{}); ok.Allow || !errors.Is(err, errUnanswered) {
			t.Errorf("after the end: %v %v", ok, err)
		}
		if c.person.away(time.Now()) != 5*time.Minute || c.person.asked != 0 || len(told) != len(hooks) {
			t.Errorf("waited %s, %d open, %q", c.person.away(time.Now()), c.person.asked, told)
		}
		// What it offers itself is shown, as much as keys have digits for, and chosen by its number.
		for i, want := range []string{"allow=true git approval allow \"Yes, for git\": its tool b: ls",
			"allow=false no approval deny \"reject_once\": its tool b: ls",
			"allow=false  approval deny its tool b: ls"} {
			c.Approve = func(_ context.Context, a loop.Approval) (loop.Answer, error) {
				if len(a.Options) != 9 || a.Options[1].Name != "reject_once" || a.Options[1].Allows {
					t.Errorf("offered %+v", a.Options)
				}
				return []loop.Answer{loop.Pick(0), loop.Pick(1), loop.Pick(9)}[i], nil
			}
			w := acp.Wish{Call: acp.ToolUpdate{Name: "b", Input: json.RawMessage(`{"command":"ls"}`)},
				Options: []acp.Option{{ID: "git", Name: "Yes, for git", Kind: "allow_always"}, {ID: "no", Kind: "reject_once"}}}
			w.Options = append(w.Options, make([]acp.Option, 30)...)
			choice, err := c.allow(t.Context())(w)
			if got := fmt.Sprintf("allow=%v %s %s", choice.Allow, choice.Option, told[len(told)-1]); got != want || err != nil {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
		}
		c.Approve = nil
		if c.allow(ctx) != nil {
			t.Error("somebody is asked where nobody is")
		}
	})
}
