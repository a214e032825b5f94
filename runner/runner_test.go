package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"cookoff/model"
	"cookoff/model/openai"
	"cookoff/model/openai/openaitest"
	"cookoff/recipe"
	"cookoff/sandbox/native"
	"cookoff/tools/repair"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

// stubClock advances one second a look, and never waits.
type stubClock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *stubClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	return c.now
}

func (c *stubClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept = append(c.slept, d)
	return ctx.Err()
}

// log is a sink that keeps what it is given.
type log struct {
	mu     sync.Mutex
	events []trial.Event
}

func (l *log) Emit(e trial.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
	return nil
}

// text gives the events of one kind as one JSON line each.
func (l *log) text(k trial.Kind) string {
	var b strings.Builder
	for _, e := range l.events {
		if e.Kind == k {
			line, _ := json.Marshal(e)
			b.Write(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

const mendRecipe = `# Mend
version: 1

## Models
- test/model

%s
## Tasks
### Write the file
Make a file called done.

` + "```sh setup\necho broken > state\n```\n```sh before\n! test -e done\n```\n```sh after\ntest -e done\n```\n" +
	"```sh solution\ntouch done\n```\n"

// bench is a recipe on the real sandbox with scripted models.
type bench struct {
	t     *testing.T
	env   Env
	clock *stubClock
	log   *log
}

// library is read once: nothing changes it.
var library = sync.OnceValues(repair.Default)

func newBench(t *testing.T, chats map[string]model.Chat) *bench {
	t.Helper()
	clock := &stubClock{now: time.Unix(1_000_000_000, 0)}
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, clock: clock, log: &log{}, env: Env{
		Machine: Machine{Backend: native.New(native.Options{}), Clock: clock},
		Project: Project{Dir: t.TempDir()},
		Limits:  Limits{Parallel: 2},
		Repairs: lib,
		Providers: Providers{Chat: func(id string) (model.Chat, error) {
			if c, ok := chats[id]; ok {
				return c, nil
			}
			return nil, fmt.Errorf("no model %q", id)
		}},
	}}
}

func (b *bench) runner(text string) *Runner {
	b.t.Helper()
	rec, err := recipe.ParseContent([]byte(text))
	if err != nil {
		b.t.Fatal(err)
	}
	rr, err := rec.BuildRunner()
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := New(rr, b.env)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// one runs the first trial of a recipe.
func (b *bench) one(text string) trial.Outcome {
	b.t.Helper()
	r := b.runner(text)
	out, err := r.Run(b.t.Context(), r.Plan()[0], b.log)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func call(id, name, args string) *model.Reply {
	return &model.Reply{Message: model.Message{Calls: []model.Call{{ID: id, Name: name, Arguments: args}}},
		Finish: model.FinishCalls, Usage: model.Usage{Input: 10, Output: 2, Known: true}}
}

func say(text string) *model.Reply {
	return &model.Reply{Message: model.Message{Content: text}, Finish: model.FinishStop,
		Usage: model.Usage{Input: 10, Output: 2, Known: true}}
}

// chat plays replies and errors in order, then fails.
type chat struct {
	mu    sync.Mutex
	steps []any // *model.Reply, error, or func() (*model.Reply, error)
	seen  []model.Request
}

func (c *chat) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	clone := *req
	clone.Messages = append([]model.Message(nil), req.Messages...)
	c.seen = append(c.seen, clone)
	if len(c.steps) == 0 {
		return nil, errors.New("the script has ended")
	}
	s := c.steps[0]
	if len(c.steps) > 1 {
		c.steps = c.steps[1:] // the last one repeats
	}
	switch s := s.(type) {
	case error:
		return nil, s
	case *model.Reply:
		r := *s
		r.Message.Calls = append([]model.Call(nil), s.Message.Calls...)
		return &r, nil
	}
	panic("unknown step")
}

func TestOutcomes(t *testing.T) {
	mended := call("1", "bash", `{"command":"touch done"}`)
	look := call("1", "bash", `{"command":"true"}`)
	check := func(name, sections string, steps []any, status trial.Status, cause trial.Cause, stop trial.Stop,
		detail string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			b := newBench(t, map[string]model.Chat{"test/model": &chat{steps: steps}})
			if !strings.Contains(sections, "## Hooks") { // nothing that needs a shell
				b.env.Backend = stubBackend{}
			}
			out := b.one(fmt.Sprintf(mendRecipe, sections))
			if out.Status != status || out.Cause != cause || out.Stop != stop || !strings.Contains(out.Detail, detail) {
				t.Errorf("%s/%s, stop %s, %q; want %s/%s, stop %s, %q", out.Status, out.Cause, out.Stop,
					out.Detail, status, cause, stop, detail)
			}
		})
	}
	check("mended", "", []any{mended, say("done")}, trial.Pass, "", trial.StopDone, "")
	check("nothing done", "", []any{say("done")}, trial.Fail, trial.CauseGaveUp, trial.StopDone, "")
	check("something else done", "", []any{call("1", "bash", `{"command":"touch other"}`), say("done")}, trial.Fail,
		trial.CauseWrongFix, trial.StopDone, "")
	check("max_steps judges the final state", "## Constraints\nmax_steps: 1\n", []any{mended}, trial.Pass, "",
		trial.StopMaxSteps, "")
	check("max_steps without a mend", "## Constraints\nmax_steps: 2\n",
		[]any{look, call("2", "bash", `{"command":"echo x"}`)}, trial.Fail, trial.CauseLimit, trial.StopMaxSteps, "")
	check("max_tool_calls", "## Constraints\nmax_tool_calls: 1\n", []any{mended, look}, trial.Pass, "",
		trial.StopMaxToolCalls, "1 tool calls")
	check("unknown tool", "", []any{call("1", "Bash", `{}`)}, trial.Fail, trial.CauseMalformed, trial.StopMalformed,
		"3 replies")
	check("arguments are no JSON", "", []any{call("1", "bash", `{"command": "ls`)}, trial.Fail, trial.CauseMalformed,
		trial.StopMalformed, "3 replies")
	check("wrong type, then right", "", []any{call("1", "bash", `{"command": 5}`), mended, say("ok")}, trial.Pass, "",
		trial.StopDone, "")
	check("the same call over and over", "", []any{look}, trial.Fail, trial.CauseLimit, trial.StopLoop, "6 times")
	check("answers nothing", "", []any{say("")}, trial.Fail, trial.CauseMalformed, trial.StopMalformed, "empty")
	check("answers nothing once", "", []any{say(""), mended, say("ok")}, trial.Pass, "", trial.StopDone, "")
	check("refused", "", []any{&model.RefusedError{Reason: "no"}}, trial.Fail, trial.CauseRefused,
		trial.StopRefused, "no")
	check("content filter", "", []any{&model.Reply{Finish: model.FinishFilter}}, trial.Fail, trial.CauseRefused,
		trial.StopRefused, "")
	check("conversation too long", "", []any{&model.ContextError{Err: errors.New("8192 tokens")}}, trial.Fail,
		trial.CauseLimit, trial.StopContextFull, "8192")
	check("provider says no for good", "", []any{errors.New("status 404: no such model")}, trial.Void,
		trial.CauseProvider, trial.StopBroken, "no such model")
	check("provider recovers", "", []any{&model.RetryError{Err: errors.New("status 500")}, mended, say("ok")},
		trial.Pass, "", trial.StopDone, "")
	check("provider never recovers", "", []any{&model.RetryError{Err: errors.New("status 529")}}, trial.Void,
		trial.CauseProvider, trial.StopBroken, "6 times in a row")
	check("a tool that is not offered", "## Tools\n- read_file\n", []any{mended, mended, mended}, trial.Fail,
		trial.CauseMalformed, trial.StopMalformed, "")
	check("a hook denies",
		"## Hooks\n### no shell\nevent: pre_tool_use\nmatcher: bash\ncommand: echo not today >&2; exit 2\n",
		[]any{mended, say("ok")}, trial.Fail, trial.CauseGaveUp, trial.StopDone, "")
	check("a hook breaks", "## Hooks\n### broken\nevent: pre_tool_use\ncommand: exit 7\n", []any{mended, say("ok")},
		trial.Void, trial.CauseHook, trial.StopBroken, "broken")
	check("a hook halts",
		"## Hooks\n### halt\nevent: pre_tool_use\ncommand: echo '{\"decision\":\"halt\",\"reason\":\"enough\"}'\n",
		[]any{mended}, trial.Fail, trial.CauseLimit, trial.StopHalted, "enough")
	check("a hook for another tool", "## Hooks\n### other\nevent: pre_tool_use\nmatcher: write_*\ncommand: exit 2\n",
		[]any{mended, say("ok")}, trial.Pass, "", trial.StopDone, "")
}

func TestRetriesWaitAsAskedAndAreChargedToNobody(t *testing.T) {
	b := newBench(t, map[string]model.Chat{"test/model": &chat{steps: []any{
		&model.RetryError{After: 5 * time.Second, Err: errors.New("status 429")},
		&model.RetryError{Err: errors.New("status 503")},
		&model.RetryError{Err: errors.New("status 503")},
		say("done")}}})
	b.env.Backend = stubBackend{}
	out := b.one(fmt.Sprintf(mendRecipe, "## Constraints\ntimeout: 30s\n"))
	want := []time.Duration{5 * time.Second, 2 * time.Second, 4 * time.Second}
	if d := cmp.Diff(want, b.clock.slept); d != "" {
		t.Error(d)
	}
	if out.Stop != trial.StopDone || out.Counters.Retries != 3 || out.Seconds.Wait != 14 {
		t.Errorf("stop %s, %d retries, waited %v s", out.Stop, out.Counters.Retries, out.Seconds.Wait)
	}
	if n := strings.Count(b.log.text(trial.Note), `"retried"`); n != 3 {
		t.Errorf("%d retries in the journal", n)
	}
}

func TestARejectedKeyEndsItsProviderOnly(t *testing.T) {
	auth := &model.AuthError{Env: "TEST_KEY", Err: errors.New("key of TEST_KEY rejected: status 401")}
	b := newBench(t, map[string]model.Chat{"test/model": &chat{steps: []any{auth}}})
	b.env.Backend = stubBackend{}
	b.env.Parallel, b.env.Retries = 1, 2
	text := strings.Replace(fmt.Sprintf(mendRecipe, "## Comparison\ntrials: 3\n"), "- test/model",
		"- test/model\n- baseline/oracle", 1)
	if err := b.runner(text).RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	finished := b.log.text(trial.TrialFinished)
	if n := strings.Count(finished, `"void"`); n != 3 {
		t.Errorf("%d void trials, want 3:\n%s", n, finished)
	}
	if n := strings.Count(b.log.text(trial.ModelCalled), `"trial":"t001"`); n != 1 {
		t.Errorf("the rejected key was used %d times", n)
	}
	if n := strings.Count(finished, `"pass"`); n < 3 {
		t.Errorf("the oracle's trials did not go on:\n%s", finished)
	}
}

func TestVoidTrialsAreTriedAgainAndKept(t *testing.T) {
	b := newBench(t, map[string]model.Chat{"test/model": &chat{steps: []any{errors.New("odd"),
		call("1", "bash", `{"command":"touch done"}`), say("ok")}}})
	b.env.Backend = stubBackend{}
	b.env.Retries = 1
	if err := b.runner(fmt.Sprintf(mendRecipe, "")).RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	got := b.log.text(trial.TrialFinished)
	if strings.Count(got, "\n") != 2 || !strings.Contains(got, `"attempt":1`) ||
		!strings.Contains(got, `"attempt":2`) ||
		!strings.Contains(got, `"pass"`) {
		t.Errorf("attempts:\n%s", got)
	}
}

// TestAModelThatIsNotThereIsAskedOnce: a misspelt name is no passing fault.
func TestAModelThatIsNotThereIsAskedOnce(t *testing.T) {
	s := openaitest.New(openaitest.Status(404, openaitest.Error("model_not_found", "no such model")))
	defer s.Close()
	b := newBench(t, map[string]model.Chat{"test/model": openai.New(openai.Config{Name: "test", BaseURL: s.URL,
		Model: "model"})})
	b.env.Backend = stubBackend{}
	b.env.Retries = 2
	if err := b.runner(fmt.Sprintf(mendRecipe, "")).RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	if got := b.log.text(trial.TrialFinished); strings.Count(got, "\n") != 1 ||
		!strings.Contains(got, "no such model") {
		t.Errorf("attempts:\n%s", got)
	}
}

func TestATaskThatIsNotAdmittedIsVoidAndTheRunGoesOn(t *testing.T) {
	b := newBench(t, nil)
	text := strings.Replace(fmt.Sprintf(mendRecipe, ""), "test/model", "baseline/oracle", 1) +
		"\n### Never broken\nNothing to do.\n\n```sh before\nfalse\n```\n```sh after\ntrue\n```\n"
	if err := b.runner(text).RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	got := b.log.text(trial.TrialFinished)
	if !strings.Contains(got, `"status":"pass"`) || !strings.Contains(got, `"cause":"admission"`) ||
		!strings.Contains(got, "before") {
		t.Errorf("outcomes:\n%s", got)
	}
	if s := b.log.text(trial.RunStarted); !strings.Contains(s, `"excluded":[{"task":"Never broken","phase":"before"`) {
		t.Errorf("run.started: %s", s)
	}
}

func TestInterruptedRunSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, map[string]model.Chat{"test/model": &chat{steps: []any{call("1", "bash",
		`{"command":"sleep 600"}`)}}})
	b.env.Clock = nil
	sink := trial.SinkFunc(func(e trial.Event) error {
		if e.Kind == trial.ToolCalled {
			cancel()
		}
		return b.log.Emit(e)
	})
	err := b.runner(fmt.Sprintf(mendRecipe, "")).RunAll(ctx, "r", sink, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if s := b.log.text(trial.RunFinished); !strings.Contains(s, `"interrupted":true`) {
		t.Errorf("run.finished: %s", s)
	}
	if s := b.log.text(trial.TrialFinished); !strings.Contains(s, `"cancelled"`) {
		t.Errorf("trial.finished: %s", s)
	}
}

func TestAJournalThatCantBeKeptEndsTheRun(t *testing.T) {
	full := &trial.JournalError{Path: "j", Err: errors.New("no space left on device")}
	for _, at := range []trial.Kind{trial.RunStarted, trial.ToolCalled, trial.ToolReturned, trial.Judged} {
		b := newBench(t,
			map[string]model.Chat{"test/model": &chat{steps: []any{call("1", "bash", `{"command":"touch done"}`),
				say("ok")}}})
		b.env.Backend = stubBackend{}
		sink := trial.SinkFunc(func(e trial.Event) error {
			if e.Kind == at {
				return full
			}
			return nil
		})
		err := b.runner(fmt.Sprintf(mendRecipe, "")).RunAll(t.Context(), "r", sink, nil)
		if !errors.Is(err, full) {
			t.Errorf("%s: error %v", at, err)
		}
	}
}

func TestTranscriptIsTheSameWhateverRunsBesideIt(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(mendRecipe, "## Comparison\ntrials: 3\n"), "test/model", "baseline/oracle", 1)
	transcript := func(parallel int) string {
		b := newBench(t, nil)
		b.env.Backend = stubBackend{}
		b.env.Parallel = parallel
		if err := b.runner(text).RunAll(t.Context(), "r", b.log, nil); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, e := range b.log.events {
			if e.Trial != "t002" {
				continue
			}
			e.At = time.Time{}
			line, _ := json.Marshal(e)
			out.Write(seconds.ReplaceAll(line, nil))
			out.WriteByte('\n')
		}
		return out.String()
	}
	if d := cmp.Diff(transcript(1), transcript(3)); d != "" {
		t.Error(d)
	}
}

func TestPlanInterleaves(t *testing.T) {
	b := newBench(t, nil)
	text := strings.Replace(fmt.Sprintf(mendRecipe, "## Comparison\ntrials: 2\n"), "- test/model",
		"- baseline/oracle\n- baseline/noop", 1) + "\n### Second\nDo it.\n"
	var got []string
	for _, tr := range b.runner(text).Plan() {
		got = append(got, fmt.Sprintf("%s %d %s %s", tr.ID, tr.N, tr.Task, tr.Model))
	}
	want := []string{
		"t001 1 Write the file baseline/oracle", "t002 1 Write the file baseline/noop", "t003 1 Second baseline/oracle",
		"t004 1 Second baseline/noop",
		"t005 2 Write the file baseline/oracle", "t006 2 Write the file baseline/noop", "t007 2 Second baseline/oracle",
		"t008 2 Second baseline/noop",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestGoldenRequests holds still what version 1 sends to a model.
func TestGoldenRequests(t *testing.T) {
	c := &chat{steps: []any{call("1", "bash", `{"command":"ls; exit 3"}`), call("2", "nope", `{}`),
		say(""), say("done")}}
	b := newBench(t, map[string]model.Chat{"test/model": c})
	b.one(fmt.Sprintf(mendRecipe, "## System Prompt\nBe brief.\n\n## Model Parameters\ntemperature: 0\n"))
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	for _, req := range c.seen {
		if err := enc.Encode(req); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, filepath.Join("..", "testdata", "golden", "v1", "requests.json"), got.Bytes())
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (rewrite with -update only if this is a new version):\n%s", path, d)
	}
}

// seconds matches what differs from one machine to the next.
var seconds = regexp.MustCompile(`"(seconds|agent|provider|tools|wait|stage|judge)":[0-9.e-]+,?`)
