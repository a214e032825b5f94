package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/runnertest"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

// picky is a chat whose endpoint takes no tools, and not these parameters.
type picky struct {
	*runnertest.Chat
	tools  bool // are taken
	params []string
	traits model.Traits
}

func (p *picky) Traits() model.Traits { return p.traits }

func (p *picky) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	reply := func(what string) error {
		return &model.UnsupportedError{What: what, Err: fmt.Errorf("status 400: %s: not supported", what)}
	}
	if !p.tools && len(req.Tools) > 0 {
		p.Saw(req)
		return nil, reply(model.Tools)
	}
	for _, name := range p.params {
		if _, has := req.Params.Without(name); has {
			return nil, reply(name)
		}
	}
	return p.Chat.Generate(ctx, req)
}

const textCall = "```tool_call\n{\"name\":\"bash\",\"arguments\":{\"command\":\"touch done\"}}\n```"

// TestToolsThatAreNotTaken: the endpoint is asked once, then the tools stand in
// the prompt, in every trial; nothing of it is the model's.
func TestToolsThatAreNotTaken(t *testing.T) {
	b, c := runnertest.Quick(t, runnertest.Say(textCall), runnertest.Say("done"), runnertest.Say(textCall),
		runnertest.Say("done"))
	b.Env.Chat = func(string) (model.Chat, error) { return &picky{Chat: c}, nil }
	b.Env.Parallel = 1
	r := b.Runner(runnertest.Recipe("## Comparison\ntrials: 2\n\n"))
	if err := r.RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range b.Log.Events {
		if o := e.Outcome; o != nil {
			got = append(got, fmt.Sprintf("%s %s after %d steps, malformed %d, retries %d, %v", e.Trial,
				o.Status, o.Steps, o.Counters.Malformed, o.Counters.Retries, o.Caveats))
		}
	}
	caveat := "[told of its tools in the prompt: its endpoint takes none]"
	if d := cmp.Diff([]string{"t001 pass after 2 steps, malformed 0, retries 0, " + caveat,
		"t002 pass after 2 steps, malformed 0, retries 0, " + caveat}, got); d != "" {
		t.Error(d)
	}
	if len(c.Seen) != 5 || c.Seen[0].Tools == nil {
		t.Fatalf("%d requests", len(c.Seen))
	}
	for i, req := range c.Seen[1:] {
		if req.Tools != nil || !strings.Contains(req.Messages[0].Content, `"name"`) {
			t.Errorf("request %d: %s", i+2, runnertest.Told(req))
		}
	}
	if d := cmp.Diff(c.Seen[1].Messages, c.Seen[3].Messages); d != "" {
		t.Errorf("the two trials begin otherwise: %s", d)
	}
	if n := b.Notes("adapted"); len(n) != 1 || !strings.HasPrefix(n[0],
		"test/model is told of its tools in the prompt from now on, in every trial of this run: status 400") {
		t.Errorf("notes: %q", n)
	}
	// The journal has what was really sent.
	var last *trial.Called
	for _, e := range b.Log.Events {
		if e.Called != nil && e.Trial == "t001" && e.Step == 1 {
			last = e.Called
		}
	}
	if d := cmp.Diff(c.Seen[1].Messages, last.New); d != "" {
		t.Error(d)
	}
}

// TestOnceAnsweredNothingChanges: trials of one model are not told of their
// tools in two ways.
func TestOnceAnsweredNothingChanges(t *testing.T) {
	no := &model.UnsupportedError{What: model.Tools, Err: errors.New("no endpoint supports tools")}
	b, _ := runnertest.Quick(t, runnertest.Call("1", "bash", `{"command":"touch done"}`), runnertest.Say("done"), no)
	b.Env.Parallel, b.Env.Retries = 1, 0
	r := b.Runner(runnertest.Recipe("## Comparison\ntrials: 2\n\n"))
	if err := r.RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range b.Log.Events {
		if o := e.Outcome; o != nil {
			got = append(got, fmt.Sprintf("%s %s %s", e.Trial, o.Status, o.Cause))
		}
	}
	if d := cmp.Diff([]string{"t001 pass ", "t002 void provider"}, got); d != "" {
		t.Error(d)
	}
}

func TestWhoChoosesTheFormat(t *testing.T) {
	check := func(sections string, traits model.Traits, tools bool, wantFirst string, wantRequests int,
		wantStatus trial.Status) {
		t.Helper()
		b, c := runnertest.Quick(t, runnertest.Say(textCall), runnertest.Say("done"))
		b.Env.Chat = func(string) (model.Chat, error) { return &picky{Chat: c, tools: tools, traits: traits}, nil }
		out := b.One(runnertest.Recipe(sections))
		first := "text"
		if c.Seen[0].Tools != nil {
			first = "native"
		}
		if c.Seen[0].Functions {
			first = "functions"
		}
		if first != wantFirst || len(c.Seen) != wantRequests || out.Status != wantStatus {
			t.Errorf("%q, %+v: %s first, %d requests, %s %s", sections, traits, first, len(c.Seen),
				out.Status, out.Detail)
		}
		if wantStatus == trial.Void && !strings.Contains(out.Detail, "text_in_prompt in ## Model Profiles") {
			t.Error(out.Detail)
		}
	}
	profile := func(format string) string {
		return "## Model Profiles\n### test/model\ntool_format: " + format + "\n\n"
	}
	text := model.Traits{ToolFormat: "text_in_prompt"}
	check("", model.Traits{}, false, "native", 3, trial.Pass)
	check("", text, false, "text", 2, trial.Pass)
	check("", model.Traits{ToolFormat: "function_calling"}, false, "functions", 1, trial.Void)
	check(profile("native"), text, false, "native", 1, trial.Void)
	check(profile("text_in_prompt"), model.Traits{ToolFormat: "native"}, true, "text", 2, trial.Pass)
}

func TestParametersThatAreNotTaken(t *testing.T) {
	b, c := runnertest.Quick(t, runnertest.Bash(1, "a"), runnertest.Say("done"))
	b.Env.Chat = func(string) (model.Chat, error) {
		return &picky{Chat: c, tools: true, params: []string{"seed", "temperature"},
			traits: model.Traits{Omit: []string{"top_p"}}}, nil
	}
	b.Env.Parallel = 1
	r := b.Runner(runnertest.Recipe("## Model Parameters\nseed: 1\ntemperature: 0\ntop_p: 1\nmax_tokens: 9\n\n" +
		"## Comparison\ntrials: 2\n\n"))
	if err := r.RunAll(t.Context(), "r", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	for i, req := range c.Seen {
		if p := req.Params; p.Seed != nil || p.Temperature != nil || p.TopP != nil || *p.MaxTokens != 9 {
			t.Errorf("request %d: %+v", i+1, p)
		}
	}
	var caveats []string
	for _, e := range b.Log.Events {
		if o := e.Outcome; o != nil {
			caveats = append(caveats, o.Caveats[len(o.Caveats)-1])
			if o.Counters.Retries != 0 || o.Stop != trial.StopDone {
				t.Errorf("%+v", o)
			}
		}
	}
	want := "asked without temperature, top_p, seed, which its endpoint does not take"
	if !slices.Equal(caveats, []string{want, want}) {
		t.Errorf("%q", caveats)
	}
	if n := b.Notes("adapted"); len(n) != 2 || !strings.HasPrefix(n[0],
		"test/model is asked without seed from now on, in every trial of this run: status 400") {
		t.Errorf("notes: %q", n)
	}
}

// TestTheLimitThatCostsRestOnIsKept: without max_tokens nobody could keep
// max_cost.
func TestTheLimitThatCostsRestOnIsKept(t *testing.T) {
	b, c := runnertest.Quick(t, runnertest.Say("done"))
	b.Env.Prices = runnertest.DollarAToken(t)
	b.Env.Chat = func(string) (model.Chat, error) {
		return &picky{Chat: c, tools: true, params: []string{"max_tokens"}}, nil
	}
	out := b.One(runnertest.Recipe("## Model Parameters\nmax_tokens: 9\n\n## Constraints\nmax_cost: 100000\n\n"))
	if out.Status != trial.Void || out.Cause != trial.CauseProvider || len(c.Seen) != 0 {
		t.Errorf("%s %s %s", out.Status, out.Cause, out.Detail)
	}
}

// TestRepliesThatBrokeOff are counted, with the least that they cost.
func TestRepliesThatBrokeOff(t *testing.T) {
	gone := func(arrived int) error {
		return &model.RetryError{Partial: true, Arrived: arrived, Err: errors.New("reset")}
	}
	b, _ := runnertest.Quick(t, gone(4000), gone(0), &model.RetryError{Err: errors.New("503")}, runnertest.Say("done"))
	b.Env.Prices = runnertest.DollarAToken(t)
	out := b.One(runnertest.Recipe(""))
	if out.Counters.Lost != 2 || out.Counters.Retries != 3 || !(out.LostUSD > 1000) || out.CostUSD == nil ||
		*out.CostUSD >= out.LostUSD {
		t.Errorf("%+v, lost $%v, cost $%v", out.Counters, out.LostUSD, *out.CostUSD)
	}
}
