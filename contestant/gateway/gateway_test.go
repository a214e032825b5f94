package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"cookoff/contestant/gateway"
	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/wire"
	"cookoff/runner/clock"
	"cookoff/trial"
)

const (
	token = "nonce-of-this-trial"
	key   = "sk-real-key-of-the-user"
)

// rig is a gateway between a test and a provider of its own.
type rig struct {
	*testing.T
	g        *gateway.Gateway
	url      string
	upstream *httptest.Server

	mu      sync.Mutex
	records []trial.Request
	asked   []asked
}

// asked is a request as the provider saw it.
type asked struct {
	path   string
	header http.Header
	body   string
}

// newRig begins a gateway before answer, as change wants it.
func newRig(t *testing.T, answer http.HandlerFunc, change ...func(*gateway.Options)) *rig {
	r := &rig{T: t}
	r.upstream = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.asked = append(r.asked, asked{req.URL.RequestURI(), req.Header.Clone(), string(body)})
		r.mu.Unlock()
		answer(w, req)
	}))
	o := gateway.Options{
		Trial: "t001", Model: "acme/big", Token: token, Clock: clock.Real{},
		Upstream: wire.Upstream{Dialects: []wire.Dialect{wire.Chat, wire.Responses, wire.Messages, wire.Gemini},
			BaseURL: r.upstream.URL + "/v1",
			Model:   "big-1", Key: key, KeyEnv: "ACME_API_KEY"},
		Cost: func(u model.Usage) (float64, bool) { return float64(u.Input+u.Output) / 1e6, true },
		Record: func(q trial.Request) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.records = append(r.records, q)
		},
	}
	for _, c := range change {
		c(&o)
	}
	r.g = gateway.New(o)
	front := httptest.NewServer(r.g)
	r.url = front.URL
	t.Cleanup(func() {
		r.g.Close()
		front.CloseClientConnections()
		front.Close()
		r.upstream.CloseClientConnections()
		r.upstream.Close()
	})
	return r
}

// post sends a request as an agent would. The body is as far as it came.
func (r *rig) post(path, body string, headers ...string) (status int, text string) {
	r.Helper()
	req, err := http.NewRequest(http.MethodPost, r.url+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, string(got) + "<broke off>"
	}
	return resp.StatusCode, string(got)
}

// last gives the event of the request that ended last, once all have.
func (r *rig) last() trial.Request {
	r.Helper()
	r.g.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.records) == 0 {
		r.Fatal("nothing was recorded")
	}
	return r.records[len(r.records)-1]
}

// says answers with a status and a body.
func says(status int, media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

const (
	jsonType = "application/json"
	sse      = "text/event-stream"
)

// TestPassedUnchanged: in each dialect, in one piece and as a stream, every
// byte of request and reply arrives but the model's name and the key; what it
// took is counted.
func TestPassedUnchanged(t *testing.T) {
	check := func(path, body, media, reply string, want model.Usage) {
		t.Helper()
		r := newRig(t, says(200, media, reply))
		status, got := r.post(path, body, "anthropic-beta", "a,b", "Cookie", "c=1", "OpenAI-Organization", "org")
		if status != 200 || got != reply {
			t.Errorf("%s: status %d, reply %q, want %q", path, status, got, reply)
		}
		sent := r.asked[0]
		if want := strings.Replace(body, `"any"`, `"big-1"`, 1); sent.body != want {
			t.Errorf("%s: the provider got %s, want %s", path, sent.body, want)
		}
		if all := fmt.Sprint(sent.header, sent.path); strings.Contains(all, token) || strings.Contains(all, "org") ||
			strings.Contains(all, "c=1") {
			t.Errorf("%s: sent on: %v", path, all)
		}
		if strings.Count(fmt.Sprint(sent.header), key) != 1 || sent.header.Get("anthropic-beta") != "a,b" {
			t.Errorf("%s: headers %v", path, sent.header)
		}
		rec := r.last()
		if rec.Usage != want || rec.Outcome != trial.RequestOK || rec.Served != "big-1-served" || rec.Guessed ||
			rec.CostUSD == nil ||
			rec.Sent != int64(len(body)) || rec.Received != int64(len(reply)) {
			t.Errorf("%s: recorded %+v", path, rec)
		}
	}
	known := model.Usage{Input: 100, Output: 9, Cached: 40, Reasoning: 3, Known: true}
	use := oneline.Of(`{"prompt_tokens":100,"completion_tokens":9,"total_tokens":109,
		"prompt_tokens_details":{"cached_tokens":40},
		"completion_tokens_details":{"reasoning_tokens":3}}`)
	check("/v1/chat/completions", `{ "odd" : [1, {"model":"inner"}] ,"model":"any", "messages":[]}`, jsonType,
		`{"id":"1","model":"big-1-served","choices":[{"finish_reason":"stop","message":{"content":"hi"}}],"usage":`+use+
			`}`, known)
	check("/chat/completions", `{"model":"any","stream":true,"stream_options":{"include_usage":true},"messages":[]}`,
		sse,
		": hello\r\n\r\n"+
			`data: {"model":"big-1-served","choices":[{"delta":{"content":"hi"},"finish_reason":null}],"usage":null}`+
			"\n\n"+
			"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":"+use+
			"}\n\ndata: [DONE]\n\n", known)
	use = oneline.Of(`{"input_tokens":100,"input_tokens_details":{"cached_tokens":40},"output_tokens":9,
		"output_tokens_details":{"reasoning_tokens":3},"total_tokens":109}`)
	check("/v1/responses", `{"model":"any","input":"x"}`, jsonType,
		`{"id":"r","object":"response","status":"completed","model":"big-1-served","output":[],"error":null,"usage":`+
			use+`}`, known)
	check("/v1/responses", `{"model":"any","input":[{"type":"strange"}],"stream":true}`, sse,
		"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"model\":\"big-1-served\"}}\n\n"+
			"event: response.completed\n"+
			oneline.Of(`data: {"type":"response.completed","response":{"model":"big-1-served",
				"status":"completed","error":null,"usage":`)+use+"}}\n\n", known)
	known = model.Usage{Input: 100, Output: 9, Cached: 40, CacheWrite5m: 20, CacheWrite1h: 10, Known: true}
	use = oneline.Of(`{"input_tokens":30,"cache_read_input_tokens":40,"cache_creation_input_tokens":30,
		"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":10},
		"output_tokens":9}`)
	check("/v1/messages?beta=true", `{"model":"any","max_tokens":5,"messages":[]}`, jsonType,
		`{"type":"message","model":"big-1-served","content":[],"stop_reason":"end_turn","usage":`+use+`}`, known)
	check("/v1/messages", `{"model":"any","stream":true,"messages":[]}`, sse,
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"big-1-served\",\"usage\":"+
			strings.Replace(use, ":9}", ":1}", 1)+"}}\n\n"+
			"event: ping\ndata: {\"type\": \"ping\"}\n\n"+
			"event: message_delta\n"+
			"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n"+
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", known)
	known = model.Usage{Input: 100, Output: 9, Cached: 40, Reasoning: 3, Known: true}
	check("/v1beta/models/any:streamGenerateContent?alt=sse", `{"contents":[]}`, sse,
		oneline.Of(`data: {"candidates":[{"finishReason":"STOP"}],"modelVersion":"big-1-served",
			"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":6,"thoughtsTokenCount":3,
				"cachedContentTokenCount":40}}`)+"\n\n", known)
}

// TestUsageAskedFor: a stream of a chat is asked for its usage, and the agent
// that did not ask does not see it.
func TestUsageAskedFor(t *testing.T) {
	begin := "data: {\"model\":\"m\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	r := newRig(t, says(200, sse, begin+
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"))
	_, got := r.post("/v1/chat/completions", `{"model":"m","stream":true}`)
	if want := begin + "data: [DONE]\n\n"; got != want {
		t.Errorf("the agent got %q, want %q", got, want)
	}
	if want := `{"stream_options":{"include_usage":true},"model":"big-1","stream":true}`; r.asked[0].body != want {
		t.Errorf("the provider got %s, want %s", r.asked[0].body, want)
	}
	if rec := r.last(); rec.Usage != (model.Usage{Input: 7, Output: 2, Known: true}) {
		t.Errorf("recorded %+v", rec)
	}
}

// waiting is done once so many calls wait.
func (r *rig) waiting(n int) {
	for r.g.Waiting() != n {
		time.Sleep(time.Millisecond)
	}
}

// asks keeps what a call asks for.
func asks(got *gateway.Ask) func(context.Context, gateway.Ask) (gateway.Grant, error) {
	return func(_ context.Context, ask gateway.Ask) (gateway.Grant, error) {
		*got = ask
		return gateway.Grant{}, nil
	}
}

// hand is a clock that is set by hand; who sleeps on it wakes with its context.
type hand struct {
	mu    sync.Mutex
	now   time.Time
	slept chan bool
}

func (h *hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hand) Sleep(ctx context.Context, _ time.Duration) error {
	h.slept <- true
	<-ctx.Done()
	return ctx.Err()
}

func (h *hand) add(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}
