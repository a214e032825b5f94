package scripted

import (
	"context"
	"errors"
	"strings"
	"testing"

	"cookoff/model"
)

func ask(text string) *model.Request {
	return &model.Request{Messages: []model.Message{{Role: model.User, Content: text}}}
}

func TestPlaysItsStepsInOrder(t *testing.T) {
	boom := &model.RetryError{Err: errors.New("boom")}
	m := New(Call("c1", "bash", map[string]any{"command": "ls"}), Call("c2", "bash", "{not json"), Fails(boom),
		Text("done"))
	want := []string{`{"command":"ls"}`, "{not json"}
	for _, args := range want {
		r, err := m.Generate(t.Context(), ask("go"))
		if err != nil || r.Finish != model.FinishCalls || r.Message.Calls[0].Arguments != args {
			t.Fatalf("%+v, %v: want arguments %s", r, err, args)
		}
	}
	if _, err := m.Generate(t.Context(), ask("again")); !errors.Is(err, boom) {
		t.Fatalf("error %v", err)
	}
	if err := m.Check(); err == nil || !strings.Contains(err.Error(), "1 of 4 steps are left") {
		t.Errorf("check says %v", err)
	}
	var got []string
	r, err := m.GenerateStream(t.Context(), ask("end"), func(s string) { got = append(got, s) })
	if err != nil || r.Message.Content != "done" || strings.Join(got, "|") != "do|ne" {
		t.Errorf("%+v, %v, streamed %q", r, err, got)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	if reqs := m.Requests(); len(reqs) != 4 || reqs[2].Messages[0].Content != "again" {
		t.Errorf("recorded %+v", reqs)
	}
}

func TestIsLoudAboutWhatItDidNotExpect(t *testing.T) {
	m := New(Step{Look: func(r *model.Request) error { return errors.New("no tools") }}, Step{})
	for _, want := range []string{"request 1: no tools", "step 2 of the script is empty", "hello there"} {
		if _, err := m.Generate(t.Context(), ask("hello there")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("check says %v, want %q", err, want)
		}
	}
}

func TestStallsUntilCancelled(t *testing.T) {
	m := New(Stalls())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Generate(ctx, ask("go")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestRequestsAreKept: what was recorded does not change when the caller
// appends to its conversation.
func TestRequestsAreKept(t *testing.T) {
	m := New(Text("a"), Text("b"))
	req := ask("one")
	req.Messages = append(make([]model.Message, 0, 9), req.Messages...)
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	req.Messages[0].Content = "changed"
	if got := m.Requests()[0].Messages[0].Content; got != "one" {
		t.Errorf("recorded %q", got)
	}
}
