package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/model"
)

// answers gives each request its answer.
type answers func(*model.Request) (*model.Reply, error)

func (a answers) Generate(_ context.Context, r *model.Request) (*model.Reply, error) { return a(r) }

func ask(texts ...string) *model.Request {
	r := &model.Request{Tools: []model.ToolSpec{{Name: "bash", Parameters: json.RawMessage(`{"type":"object"}`)}}}
	for i, t := range texts {
		role := []model.Role{model.System, model.User, model.Assistant, model.ToolRole}[min(i, 3)]
		r.Messages = append(r.Messages, model.Message{Role: role, Content: t})
	}
	return r
}

func text(t string) *model.Reply {
	return &model.Reply{Message: model.Message{Role: model.Assistant, Content: t,
		Calls: []model.Call{{ID: "1", Name: "bash", Arguments: "{ \"a\":1 }"}}},
		Finish: model.FinishCalls, Usage: model.Usage{Input: 7, Output: 2, Known: true}, Served: "x"}
}

// record plays requests to a chat in one trial and gives the recording's path.
func record(t *testing.T, secrets map[string]string, chat model.Chat, id model.TrialID,
	requests ...*model.Request) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), File)
	w := NewWriter(secrets)
	c := w.Chat("acme/one", chat).(model.PerTrial).ForTrial(id)
	if err := w.Create(path); err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		_, _ = c.Generate(t.Context(), r)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func play(t *testing.T, path string, id model.TrialID) (*Recording, model.Chat) {
	t.Helper()
	r, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Chat("acme/one")
	if err != nil {
		t.Fatal(err)
	}
	return r, c.(model.PerTrial).ForTrial(id)
}

var first = model.TrialID{Task: "mend it", N: 1, Attempt: 1}

// TestRoundTrip: what was answered is answered again, errors by their kind;
// tries that failed on the way are no answers.
func TestRoundTrip(t *testing.T) {
	n := 0
	errs := []error{nil, &model.RetryError{Err: errors.New("429")}, nil,
		&model.ContextError{Err: errors.New("9 tokens")},
		&model.RefusedError{Reason: "no", Usage: model.Usage{Input: 3, Known: true}}, errors.New("status 400")}
	chat := answers(func(*model.Request) (*model.Reply, error) {
		err := errs[n]
		if n++; err != nil {
			return nil, err
		}
		return text(fmt.Sprint("answer ", n)), nil
	})
	asked := []*model.Request{ask("s", "u"), ask("s", "u", "a", "t"), ask("s", "u", "a", "t"), ask("s", "v"),
		ask("s", "w"), ask("s", "x")}
	path := record(t, nil, chat, first, asked...)
	r, c := play(t, path, model.TrialID{Task: "mend it", N: 1, Attempt: 2})
	for i, want := range []string{"answer 1", "answer 3"} {
		got, err := c.Generate(t.Context(), asked[2*i])
		if d := cmp.Diff(text(want), got); d != "" || err != nil {
			t.Errorf("request %d: %v (-want +got):\n%s", i, err, d)
		}
	}
	var long *model.ContextError
	var refused *model.RefusedError
	if _, err := c.Generate(t.Context(), asked[3]); !errors.As(err, &long) ||
		err.Error() != "conversation too long: 9 tokens" {
		t.Errorf("too long: %v", err)
	}
	if _, err := c.Generate(t.Context(), asked[4]); !errors.As(err, &refused) || refused.Usage.Input != 3 {
		t.Errorf("refused: %v", err)
	}
	if _, err := c.Generate(t.Context(), asked[5]); err == nil || err.Error() != "as recorded: status 400" {
		t.Errorf("final: %v", err)
	}
	if _, err := c.Generate(t.Context(), asked[5]); err == nil ||
		!strings.Contains(err.Error(), "ends before request 6") {
		t.Errorf("after the end: %v", err)
	}
	if d := r.Diverged(); len(d) != 0 {
		t.Errorf("diverged: %v", d)
	}
}

// TestDiverges: what tools said may differ and is noted; anything else was
// never asked. The first step is named.
func TestDiverges(t *testing.T) {
	path := record(t, nil, answers(func(r *model.Request) (*model.Reply, error) {
		return text(fmt.Sprint(len(r.Messages))),
			nil
	}), first,
		ask("s", "u"), ask("s", "u", "a", "total 12 files"), ask("s", "u", "a", "total 12 files", "more"))
	check := func(want string, answered int, requests ...*model.Request) {
		t.Helper()
		r, c := play(t, path, first)
		n, noted := 0, false
		for _, q := range requests {
			reply, err := c.Generate(t.Context(), q)
			if err != nil {
				if !strings.Contains(err.Error(), "diverges") {
					t.Errorf("error %v", err)
				}
				break
			}
			n++
			noted = noted || len(reply.Notes) > 0
		}
		got := fmt.Sprint(r.Diverged())
		if n != answered || got != want || noted != (want != "[]" && n == len(requests)) {
			t.Errorf("%d answers, noted %v, %s\nwant %d, %s", n, noted, got, answered, want)
		}
	}
	check("[]", 3, ask("s", "u"), ask("s", "u", "a", "total 12 files"), ask("s", "u", "a", "total 12 files", "more"))
	check(`[acme/one, "mend it" (go 1) diverges first at request 2: message 4 (the result of ) is "total 13 files", `+
		`recorded was "total 12 files"]`, 3,
		ask("s", "u"), ask("s", "u", "a", "total 13 files"), ask("s", "u", "a", "total 13 files", "less"))
	check(`[acme/one, "mend it" (go 1) diverges first at request 1: message 1 (system) is "S", recorded was "s"]`, 0,
		ask("S", "u"))
	check(`[acme/one, "mend it" (go 1) diverges first at request 2: message 3 (assistant) is "b", recorded was "a"]`, 1,
		ask("s", "u"), ask("s", "u", "b"))
	check(`[acme/one, "mend it" (go 1) diverges first at request 1: message 3 (assistant) is new]`, 0,
		ask("s", "u", "a"))
	check(`[acme/one, "mend it" (go 1) diverges first at request 2: message 2 is missing]`, 1, ask("s", "u"), ask("s"))
	other := ask("s", "u")
	other.Tools[0].Description = "another"
	check(`[acme/one, "mend it" (go 1) diverges first at request 1: the tools differ]`, 0, other)
	warm := ask("s", "u")
	warm.Params.Temperature = new(float64)
	check(`[acme/one, "mend it" (go 1) diverges first at request 1: the parameters differ]`, 0, warm)
}

// TestFile: each piece once, so that a recording grows with what was said; no
// secret; a later attempt counts; what is broken has a line.
func TestFile(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	var requests []*model.Request
	texts := []string{long, "my key is sk-0123456789\" or so"}
	for i := range 50 {
		texts = append(texts, fmt.Sprint("a", i))
		requests = append(requests, ask(texts...))
	}
	reply := answers(func(*model.Request) (*model.Reply, error) { return text("ok sk-0123456789\""), nil })
	path := record(t, map[string]string{"ACME_KEY": "sk-0123456789\""}, reply, first, requests...)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(data), long) != 1 || strings.Contains(string(data), "sk-0123456789") ||
		!strings.Contains(string(data), "[redacted:ACME_KEY]") {
		t.Errorf("the long text stands there %d times; %.200s", strings.Count(string(data), long), data)
	}
	broken := func(edit func(string) string, want string) {
		t.Helper()
		if _, err := load(strings.NewReader(edit(string(data)))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	broken(func(s string) string { return strings.Replace(s, "long long", "Long long", 1) },
		"line 3: the content does not match its digest")
	broken(func(s string) string { return strings.Replace(s, "recording/1", "recording/2", 1) },
		`line 1: schema "cookoff.recording/2"`)
	broken(func(s string) string { return "" }, "no recording")
	broken(func(s string) string { return s + "{\n" }, "line ")
	broken(func(s string) string {
		return "{\"schema\":\"cookoff.recording/1\"}\n{\"exchange\":{\"messages\":[\"x\"]}}\n"
	}, "line 2: no content")
	if r, err := load(strings.NewReader(string(data[:len(data)-5]))); err != nil || !r.torn ||
		len(r.trials[trialKey{"acme/one", "mend it", 1}]) != 49 {
		t.Errorf("a torn line: %v", err)
	}
	second := record(t, nil, answers(func(*model.Request) (*model.Reply, error) { return text("second"), nil }),
		model.TrialID{Task: "mend it", N: 1, Attempt: 2}, ask("s", "u"))
	more, _ := os.ReadFile(second)
	_, rest, _ := strings.Cut(string(more), "\n")
	r, err := load(strings.NewReader(string(data) + rest))
	if err != nil || len(r.trials[trialKey{"acme/one", "mend it", 1}]) != 1 {
		t.Errorf("two attempts: %v", err)
	}
	if _, err := r.Chat("acme/two"); err == nil || !strings.Contains(err.Error(), "recorded were acme/one") {
		t.Errorf("another model: %v", err)
	}
	if err := NewWriter(nil).Create(path); err == nil {
		t.Error("a recording is overwritten")
	}
}

// TestDiskFull: a recording that can't be kept says so.
func TestDiskFull(t *testing.T) {
	w := NewWriter(nil)
	if err := w.Create(filepath.Join(t.TempDir(), File)); err != nil {
		t.Fatal(err)
	}
	c := w.Chat("a/b", answers(func(*model.Request) (*model.Reply, error) {
		return text("ok"),
			nil
	})).(model.PerTrial).ForTrial(first)
	w.f.Close()
	if _, err := c.Generate(t.Context(), ask("s")); err == nil ||
		!strings.Contains(err.Error(), "recording an exchange") {
		t.Errorf("error %v", err)
	}
	if err := w.Close(); err == nil {
		t.Error("closing is fine")
	}
}

// FuzzLoad: whatever a file holds, it is read or refused.
func FuzzLoad(f *testing.F) {
	f.Add("{\"schema\":\"cookoff.recording/1\"}\n{\"blob\":\"x\",\"json\":1}\n")
	f.Add("{\"schema\":\"cookoff.recording/1\"}\n{\"model\":\"a/b\"}\n" +
		"{\"exchange\":{\"model\":\"a/b\",\"messages\":[],\"params\":\"\"}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := load(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, id := range r.Models() {
			c, err := r.Chat(id)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = c.(model.PerTrial).ForTrial(model.TrialID{}).Generate(t.Context(), ask("s"))
		}
	})
}

// known is a chat of which something is known.
type known struct {
	answers
	traits model.Traits
}

func (k known) Traits() model.Traits { return k.traits }

// TestWhatWasLearnedOfAModelIsKnownFromTheStart: a replay asks what the
// recorded run asked in the end; what the endpoint did not take is no answer.
func TestWhatWasLearnedOfAModelIsKnownFromTheStart(t *testing.T) {
	chat := known{traits: model.Traits{Omit: []string{"top_p"}}}
	chat.answers = func(r *model.Request) (*model.Reply, error) {
		switch {
		case len(r.Tools) > 0:
			return nil, &model.UnsupportedError{What: model.Tools, Err: errors.New("no tools")}
		case r.Params.Seed != nil:
			return nil, &model.UnsupportedError{What: "seed", Err: errors.New("no seed")}
		}
		return text("yes"), nil
	}
	seeded := &model.Request{Messages: ask("s", "u").Messages, Params: model.Params{Seed: new(int64(1))}}
	plain := &model.Request{Messages: seeded.Messages}
	path := record(t, nil, chat, first, ask("s", "u"), seeded, plain)
	r, c := play(t, path, first)
	if reply, err := c.Generate(t.Context(), plain); err != nil || reply.Message.Content != "yes" {
		t.Errorf("%+v, %v", reply, err)
	}
	m, err := r.Chat("acme/one")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(model.Traits{ToolFormat: "text_in_prompt", Omit: []string{"top_p", "seed"}},
		model.TraitsOf(m)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"acme/one"}, r.Models()); d != "" {
		t.Error(d)
	}
}
