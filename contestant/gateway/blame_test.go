package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cookoff/contestant/gateway"
	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/wire"
	"cookoff/runner/traffic"
	"cookoff/trial"
)

// TestWhoseFault: what would fail for every agent is the provider's fault, and no call
// follows; what an agent can bring about is its own.
func TestWhoseFault(t *testing.T) {
	type want struct {
		outcome trial.RequestOutcome
		final   bool
	}
	provider, final, own := want{trial.RequestProvider, false}, want{trial.RequestProvider, true},
		want{trial.RequestRejected, false}
	check := func(status int, message string, w want, more ...string) {
		t.Helper()
		body := fmt.Sprintf(`{"error":{"message":%q,"type":"t","code":%q}}`, message, strings.Join(more, ""))
		r := newRig(t, says(status, jsonType, body))
		r.post("/v1/chat/completions",
			`{"model":"m","messages":[{"role":"user","content":"Credit balance is too low"}]}`)
		n, next := r.g.Tally(), 502
		if w.final {
			next, _ = r.post("/v1/chat/completions", hello)
		}
		rec := r.records[0]
		if rec.Outcome != w.outcome || (n.Final != nil) != w.final || len(r.asked) != 1 || next != 502 {
			t.Errorf("%d %s: %s, final: %v, %d calls went out; want %v", status, message, rec.Outcome, n.Final,
				len(r.asked), w)
		}
	}
	check(401, "Incorrect API key", final)
	check(402, "Insufficient credits", final)
	check(404, "The model does not exist", final)
	check(404, "The model 'my-file' does not exist", final)
	check(404, "Item with id 'rs_model 68af' not found.", own)
	check(404, "No such File object: file-abc", own)
	check(404, "Previous response with id 'resp_1' not found.", own)
	check(404, "The api-version '2031-01-01' is not known", own)
	check(403, "this key may not use that model", final)
	check(429, "You exceeded your current quota", final, "insufficient_quota")
	check(500, "oops", provider)
	check(429, "Rate limit reached: Limit 30000, Used 29000, Requested 2000.", provider)
	check(409, "conflict", provider)
	check(403, "The request was flagged for violence by moderation", own)
	check(404, "No endpoints found that support image input", own)
	check(413, "too large", own)
	check(414, "too long", own)
	check(431, "headers too large", own)
	check(406, "not acceptable", own)
	check(500, "This model's maximum context length is 8192 tokens", own)
	check(429,
		"Request too large for m on tokens per min (TPM): Limit 30000, Requested 45000. The input or output tokens "+
			"must be reduced", own)
	check(400, `messages[0]: "Credit balance is too low" is no content`, own) // it repeats what it was sent
	r := newRig(t, says(403, "text/html", "<h1>Sorry, you have been blocked</h1>"))
	if r.post("/v1/messages", hello); r.last().Outcome != trial.RequestRejected {
		t.Errorf("a page of a filter: %+v", r.last())
	}
}

// TestRefusedAfterAnAnswer: who was answered may ask, and its model is there; a 403 or a 404
// is then about what it asks.
func TestRefusedAfterAnAnswer(t *testing.T) {
	for _, status := range []int{403, 404} {
		n := 0
		r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
			if n++; n > 1 {
				says(status, jsonType, `{"error":{"message":"forbidden"}}`)(w, req)
				return
			}
			says(200, jsonType, `{}`)(w, req)
		})
		r.post("/v1/messages", hello)
		r.post("/v1/messages", hello)
		if rec := r.last(); rec.Outcome != trial.RequestRejected || r.g.Tally().Final != nil {
			t.Errorf("%d: %+v", status, rec)
		}
	}
}

// TestWhoIsSlow: a reply in one piece without a bound, or with a large one, is the agent's own
// where it takes too long; else, and where nothing of a stream comes, it is the provider.
func TestWhoIsSlow(t *testing.T) {
	check := func(body string, want trial.RequestOutcome) {
		t.Helper()
		r := newRig(t, func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() },
			func(o *gateway.Options) { o.Upstream.Timeout = 20 * time.Millisecond })
		r.post("/v1/messages", body)
		if rec := r.last(); rec.Outcome != want {
			t.Errorf("%s: %s (%s), want %s", body, rec.Outcome, rec.Why, want)
		}
	}
	check(`{"model":"m"}`, trial.RequestRejected)
	check(`{"model":"m","max_tokens":100000}`, trial.RequestRejected)
	check(`{"model":"m","max_tokens":100}`, trial.RequestProvider)
	check(`{"model":"m","max_tokens":100000,"stream":true}`, trial.RequestProvider)
}

// TestErrorsWithinReplies: an error in a stream is the agent's own where it asked for it.
func TestErrorsWithinReplies(t *testing.T) {
	check := func(path, event string, want trial.RequestOutcome) {
		t.Helper()
		r := newRig(t, says(200, sse, event+"\n\n"))
		r.post(path, `{"model":"m","stream":true}`)
		if rec := r.last(); rec.Outcome != want {
			t.Errorf("%s: %s (%s), want %s", event, rec.Outcome, rec.Why, want)
		}
	}
	check("/v1/responses",
		oneline.Of(`data: {"type":"response.failed","response":{"status":"failed",
			"error":{"code":"invalid_prompt","message":"against our usage"}}}`), trial.RequestRejected)
	check("/v1/responses",
		`data: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oops"}}}`,
		trial.RequestProvider)
	check("/v1/messages", `data: {"type":"error","error":{"type":"overloaded_error","message":"later"}}`,
		trial.RequestProvider)
	check("/v1/messages", `data: {"type":"error","error":{"type":"invalid_request_error","message":"no"}}`,
		trial.RequestRejected)
	check("/v1/chat/completions", `data: {"error":{"code":400,"message":"no"}}`, trial.RequestRejected)
	check("/v1/chat/completions", `data: {"error":{"code":502,"message":"oops"}}`, trial.RequestProvider)
}

// TestHelpersDecideNothing: a title that fails after the work does not void a trial, and
// one that is given does not excuse the provider.
func TestHelpersDecideNothing(t *testing.T) {
	fail := map[string]bool{}
	answer := func(w http.ResponseWriter, req *http.Request) {
		if fail["all"] {
			says(503, jsonType, `{}`)(w, req)
			return
		}
		says(200, jsonType, `{}`)(w, req)
	}
	const work = `{"model":"m","tools":[{"type":"function","function":{"name":"sh"}}]}`
	r := newRig(t, answer)
	r.post("/v1/messages", work)
	fail["all"] = true
	r.post("/v1/messages", hello)
	if n := r.g.Tally(); n.Failing != 0 || n.Failed != 1 {
		t.Errorf("a title failed after the work: %+v", n)
	}
	r.post("/v1/messages", work)
	fail["all"] = false
	r.post("/v1/messages", hello)
	if n := r.g.Tally(); n.Failing != 1 {
		t.Errorf("a title was given after the work failed: %+v", n)
	}
}

// TestLeftWhileDown: an agent that does not wait for a provider that is down ends by that
// provider's fault; its waits count once, however many calls wait together.
func TestLeftWhileDown(t *testing.T) {
	clock := &hand{now: time.Unix(0, 0), slept: make(chan bool, 9)}
	lines := traffic.NewLines(clock, 0, nil)
	r := newRig(t, says(503, jsonType, `{}`), func(o *gateway.Options) { o.Lines, o.Clock = lines, clock })
	const path = "/v1/messages"
	for range 3 { // then it is down
		r.post(path, hello)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan bool)
	for range 2 {
		go func() {
			req, _ := http.NewRequestWithContext(ctx, "POST", r.url+path, strings.NewReader(hello))
			req.Header.Set("X-Api-Key", token)
			if resp, err := http.DefaultClient.Do(req); err == nil {
				resp.Body.Close()
			}
			done <- true
		}()
	}
	<-clock.slept
	r.waiting(2)
	clock.add(time.Second) // it is asked again after two
	if w := r.g.Tally().Wait; w != 1 {
		t.Errorf("two calls waited 1 s together: %v s are counted", w)
	}
	cancel()
	<-done
	<-done
	r.waiting(0)
	if rec, n := r.last(), r.g.Tally(); rec.Outcome != trial.RequestProvider || n.Failing != 5 || n.Wait != 1 {
		t.Errorf("%+v; %+v", rec, n)
	}
}

// TestLeftIsPaid: what nobody waited for costs what was held back for it.
func TestLeftIsPaid(t *testing.T) {
	begun, most := make(chan bool), 0.5
	r := newRig(t, func(_ http.ResponseWriter, req *http.Request) { close(begun); <-req.Context().Done() },
		func(o *gateway.Options) {
			o.Admit = func(context.Context, gateway.Ask) (gateway.Grant, error) {
				return gateway.Grant{Most: &most}, nil
			}
		})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-begun; cancel() }()
	req, _ := http.NewRequestWithContext(ctx, "POST", r.url+"/v1/messages",
		strings.NewReader(`{"model":"m","max_tokens":900}`))
	req.Header.Set("X-Api-Key", token)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
	}
	rec := r.last()
	if n := r.g.Tally(); rec.Outcome != trial.RequestLeft || rec.Usage.Output != 900 || !rec.Guessed ||
		n.CostUSD != 0.5 ||
		n.Unpriced != 1 {
		t.Errorf("%+v; %+v", rec, n)
	}
}

// TestLimitThatIsNotTaken: a limit of the reply that is put in and rejected is left out.
func TestLimitThatIsNotTaken(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) { says(200, jsonType, `{}`)(w, req) },
		func(o *gateway.Options) {
			o.Admit = func(context.Context, gateway.Ask) (gateway.Grant, error) {
				return gateway.Grant{Output: 70}, nil
			}
		})
	sent := func(path, body string) string {
		t.Helper()
		r.post(path, body)
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.asked[len(r.asked)-1].body
	}
	for _, c := range [][3]string{
		{"/v1/chat/completions", `{"model":"m"}`, `{"max_tokens":70,"model":"big-1"}`},
		{"/v1/chat/completions", `{"model":"m","max_completion_tokens":99}`,
			`{"model":"big-1","max_completion_tokens":70}`},
		{"/v1/chat/completions", `{"model":"m","max_tokens":9}`, `{"model":"big-1","max_tokens":9}`},
		{"/v1/responses", `{"model":"m"}`, `{"max_output_tokens":70,"model":"big-1"}`},
		{"/v1beta/models/m:generateContent", `{"contents":[]}`,
			`{"generationConfig":{"maxOutputTokens":70},"contents":[]}`},
		{"/v1beta/models/m:generateContent", `{"generation_config":{"max_output_tokens":99}}`,
			`{"generation_config":{"max_output_tokens":70}}`},
		{"/v1beta/models/m:generateContent", `{"generationConfig":{"temperature":1}}`,
			`{"generationConfig":{"maxOutputTokens":70,"temperature":1}}`},
	} {
		if got := sent(c[0], c[1]); got != c[2] {
			t.Errorf("%s was sent as %s, want %s", c[1], got, c[2])
		}
	}
	r = newRig(t, func(w http.ResponseWriter, req *http.Request) {
		if r.mu.Lock(); strings.Contains(r.asked[len(r.asked)-1].body, "max_tokens") {
			says(400, jsonType, `{"error":{"message":"Unsupported parameter: 'max_tokens'"}}`)(w, req)
		} else {
			says(200, jsonType, `{}`)(w, req)
		}
		r.mu.Unlock()
	}, func(o *gateway.Options) {
		o.Upstream.Dialects = []wire.Dialect{wire.Chat}
		o.Cost = func(model.Usage) (float64, bool) { return 0, false }
		o.Admit = func(context.Context, gateway.Ask) (gateway.Grant, error) { return gateway.Grant{Output: 70}, nil }
	})
	for range 2 {
		if status, text := r.post("/v1/chat/completions", hello); status != 200 {
			t.Errorf("%d %s", status, text)
		}
	}
	if len(r.asked) != 3 {
		t.Errorf("%d requests went out, want two and one more for the first", len(r.asked))
	}
}

// TestThinkingIsBounded: what a request sets apart for thinking is lowered with its reply,
// since providers take no limit of a reply that is not above it.
func TestThinkingIsBounded(t *testing.T) {
	thinks := 0
	r := newRig(t, says(200, jsonType, `{}`), func(o *gateway.Options) {
		o.Admit = func(_ context.Context, ask gateway.Ask) (gateway.Grant, error) {
			thinks = ask.Thinks
			return gateway.Grant{Output: 4000}, nil
		}
	})
	for _, c := range []struct {
		path, body, want string
		thinks           int
	}{
		{"/v1/messages", `{"model":"m","max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":31999}}`,
			`{"model":"big-1","max_tokens":4000,"thinking":{"type":"enabled","budget_tokens":2000}}`, 31999},
		{"/v1/messages", `{"model":"m","max_tokens":9000,"thinking":{"budget_tokens":3999}}`,
			`{"model":"big-1","max_tokens":4000,"thinking":{"budget_tokens":3999}}`, 3999},
		{"/v1/messages", `{"model":"m","max_tokens":3000,"thinking":{"budget_tokens":2999}}`,
			`{"model":"big-1","max_tokens":3000,"thinking":{"budget_tokens":2999}}`, 2999},
		{"/v1/messages", `{"model":"m","max_tokens":9000,"thinking":{"type":"disabled"}}`,
			`{"model":"big-1","max_tokens":4000,"thinking":{"type":"disabled"}}`, 0},
		{"/v1/chat/completions", `{"model":"m","max_tokens":9000,"reasoning":{"max_tokens":8000}}`,
			`{"model":"big-1","max_tokens":4000,"reasoning":{"max_tokens":2000}}`, 8000},
		{"/v1/responses", `{"model":"m","reasoning":{"effort":"high"}}`,
			`{"max_output_tokens":4000,"model":"big-1","reasoning":{"effort":"high"}}`, 0},
	} {
		r.post(c.path, c.body)
		r.mu.Lock()
		got := r.asked[len(r.asked)-1].body
		r.mu.Unlock()
		if got != c.want || thinks != c.thinks {
			t.Errorf("%s was sent as %s, thinking %d; want %s, %d", c.body, got, thinks, c.want, c.thinks)
		}
	}
}
