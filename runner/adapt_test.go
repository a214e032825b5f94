package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/trial"

	"github.com/google/go-cmp/cmp"
)

// picky is a chat whose endpoint takes no tools, and not these parameters.
type picky struct {
	*chat
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
		p.mu.Lock()
		defer p.mu.Unlock()
		p.seen = append(p.seen, *req)
		return nil, reply(model.Tools)
	}
	for _, name := range p.params {
		if _, has := req.Params.Without(name); has {
			return nil, reply(name)
		}
	}
	return p.chat.Generate(ctx, req)
}

const textCall = "```tool_call\n{\"name\":\"bash\",\"arguments\":{\"command\":\"touch done\"}}\n```"

// TestToolsThatAreNotTaken: the endpoint is asked once, then the tools stand in
// the prompt, in every trial; nothing of it is the model's.
func TestToolsThatAreNotTaken(t *testing.T) {
	b, c := quick(t, say(textCall), say("done"), say(textCall), say("done"))
	b.env.Chat = func(string) (model.Chat, error) { return &picky{chat: c}, nil }
	b.env.Parallel = 1
	r := b.runner(quickRecipe("## Comparison\ntrials: 2\n\n"))
	if err := r.RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range b.log.events {
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
	if len(c.seen) != 5 || c.seen[0].Tools == nil {
		t.Fatalf("%d requests", len(c.seen))
	}
	for i, req := range c.seen[1:] {
		if req.Tools != nil || !strings.Contains(req.Messages[0].Content, `"name"`) {
			t.Errorf("request %d: %s", i+2, told(req))
		}
	}
	if d := cmp.Diff(c.seen[1].Messages, c.seen[3].Messages); d != "" {
		t.Errorf("the two trials begin otherwise: %s", d)
	}
	if n := b.notes("adapted"); len(n) != 1 || !strings.HasPrefix(n[0],
		"test/model is told of its tools in the prompt from now on, in every trial of this run: status 400") {
		t.Errorf("notes: %q", n)
	}
	// The journal has what was really sent.
	var last *trial.Called
	for _, e := range b.log.events {
		if e.Called != nil && e.Trial == "t001" && e.Step == 1 {
			last = e.Called
		}
	}
	if d := cmp.Diff(c.seen[1].Messages, last.New); d != "" {
		t.Error(d)
	}
}

// TestOnceAnsweredNothingChanges: trials of one model are not told of their
// tools in two ways.
func TestOnceAnsweredNothingChanges(t *testing.T) {
	no := &model.UnsupportedError{What: model.Tools, Err: errors.New("no endpoint supports tools")}
	b, _ := quick(t, call("1", "bash", `{"command":"touch done"}`), say("done"), no)
	b.env.Parallel, b.env.Retries = 1, 0
	r := b.runner(quickRecipe("## Comparison\ntrials: 2\n\n"))
	if err := r.RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range b.log.events {
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
		b, c := quick(t, say(textCall), say("done"))
		b.env.Chat = func(string) (model.Chat, error) { return &picky{chat: c, tools: tools, traits: traits}, nil }
		out := b.one(quickRecipe(sections))
		first := "text"
		if c.seen[0].Tools != nil {
			first = "native"
		}
		if c.seen[0].Functions {
			first = "functions"
		}
		if first != wantFirst || len(c.seen) != wantRequests || out.Status != wantStatus {
			t.Errorf("%q, %+v: %s first, %d requests, %s %s", sections, traits, first, len(c.seen),
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
	b, c := quick(t, bash(1, "a"), say("done"))
	b.env.Chat = func(string) (model.Chat, error) {
		return &picky{chat: c, tools: true, params: []string{"seed", "temperature"},
			traits: model.Traits{Omit: []string{"top_p"}}}, nil
	}
	b.env.Parallel = 1
	r := b.runner(quickRecipe("## Model Parameters\nseed: 1\ntemperature: 0\ntop_p: 1\nmax_tokens: 9\n\n" +
		"## Comparison\ntrials: 2\n\n"))
	if err := r.RunAll(t.Context(), "r", b.log, nil); err != nil {
		t.Fatal(err)
	}
	for i, req := range c.seen {
		if p := req.Params; p.Seed != nil || p.Temperature != nil || p.TopP != nil || *p.MaxTokens != 9 {
			t.Errorf("request %d: %+v", i+1, p)
		}
	}
	var caveats []string
	for _, e := range b.log.events {
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
	if n := b.notes("adapted"); len(n) != 2 || !strings.HasPrefix(n[0],
		"test/model is asked without seed from now on, in every trial of this run: status 400") {
		t.Errorf("notes: %q", n)
	}
}

// TestTheLimitThatCostsRestOnIsKept: without max_tokens nobody could keep
// max_cost.
func TestTheLimitThatCostsRestOnIsKept(t *testing.T) {
	b, c := quick(t, say("done"))
	b.env.Prices = dollarAToken(t)
	b.env.Chat = func(string) (model.Chat, error) {
		return &picky{chat: c, tools: true, params: []string{"max_tokens"}}, nil
	}
	out := b.one(quickRecipe("## Model Parameters\nmax_tokens: 9\n\n## Constraints\nmax_cost: 100000\n\n"))
	if out.Status != trial.Void || out.Cause != trial.CauseProvider || len(c.seen) != 0 {
		t.Errorf("%s %s %s", out.Status, out.Cause, out.Detail)
	}
}

// TestRepliesThatBrokeOff are counted, with the least that they cost.
func TestRepliesThatBrokeOff(t *testing.T) {
	gone := func(arrived int) error {
		return &model.RetryError{Partial: true, Arrived: arrived, Err: errors.New("reset")}
	}
	b, _ := quick(t, gone(4000), gone(0), &model.RetryError{Err: errors.New("503")}, say("done"))
	b.env.Prices = dollarAToken(t)
	out := b.one(quickRecipe(""))
	if out.Counters.Lost != 2 || out.Counters.Retries != 3 || !(out.LostUSD > 1000) || out.CostUSD == nil ||
		*out.CostUSD >= out.LostUSD {
		t.Errorf("%+v, lost $%v, cost $%v", out.Counters, out.LostUSD, *out.CostUSD)
	}
}
