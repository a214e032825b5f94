package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cookoff/contestant/gateway"
	"cookoff/internal/oneline"
	"cookoff/model/wire"
	"cookoff/trial"
)

const hello = `{"model":"m","messages":[]}`

// TestGatewayProviderFails: what the provider says reaches the agent, without the key,
// and the event says whose fault it was.
func TestGatewayProviderFails(t *testing.T) {
	check := func(name string, answer http.HandlerFunc, body string, status int, got, why string,
		outcome trial.RequestOutcome) {
		t.Helper()
		r := newRig(t, answer)
		s, text := r.post("/v1/messages", body)
		rec := r.last()
		if s != status || !strings.Contains(text, got) || rec.Outcome != outcome || !strings.Contains(rec.Why, why) {
			t.Errorf("%s: status %d, %q, want %d %q; recorded %+v", name, s, text, status, got, rec)
		}
		if all := fmt.Sprint(text, rec); strings.Contains(all, key) {
			t.Errorf("%s: the key was told: %s", name, all)
		}
	}
	fault := func(status int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(header[0], header[1])
			w.Header().Set("X-Request-Id", "of "+key)
			says(status, jsonType, `{"type":"error","error":{"type":"t","message":"wrong key `+key+` given"}}`)(w, nil)
		}
	}
	check("busy", fault(429, "Retry-After", "7"), hello, 429, "wrong key [redacted:ACME_API_KEY] given",
		"status 429: wrong key [redacted", trial.RequestProvider)
	check("down", fault(529, "A", "b"), hello, 529, "given", "status 529", trial.RequestProvider)
	check("no key", fault(401, "A", "b"), hello, 401, "given", "status 401", trial.RequestProvider)
	check("rejected", fault(400, "A", "b"), hello, 400, "given", "status 400", trial.RequestRejected)
	check("redirect", fault(307, "Location", "http://example.org/"+key), hello, 502, "redirects", "redirects",
		trial.RequestProvider)
	const begun = "event: message_start\n" +
		`data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":5,"output_tokens":1}}}` + "\n\n"
	const stream = `{"model":"m","stream":true,"messages":[]}`
	check("cut", says(200, sse, begun), stream, 200, begun+"<broke off>", "ended before", trial.RequestProvider)
	check("error within", says(200, sse, begun+
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"too much for "+
		key+
		"\"}}\n\n"), stream, 200,
		"too much for [redacted:ACME_API_KEY]", "too much for [redacted", trial.RequestProvider)
	check("gone", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, hello, 502,
		"can't be reached", "EOF", trial.RequestProvider)
	r := newRig(t, fault(429, "Retry-After", "7"))
	req, _ := http.NewRequest("POST", r.url+"/v1/messages", strings.NewReader(hello))
	req.Header.Set("X-Api-Key", token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.Header.Get("Retry-After") != "7" || strings.Contains(fmt.Sprint(resp.Header), key) {
		t.Errorf("headers %v, %v", resp.Header, err)
	}
	resp.Body.Close()
	if n := r.g.Tally(); n.Failing != 1 || n.Failed != 1 || n.Calls != 0 {
		t.Errorf("tally %+v", n)
	}
}

// TestGatewayRefuses: what is not the trial's own reaches no provider, and the answer
// has the dialect's form.
func TestGatewayRefuses(t *testing.T) {
	check := func(name, path, body string, status int, want string, headers ...string) {
		t.Helper()
		r := newRig(t, says(200, jsonType, "{}"), func(o *gateway.Options) { o.Strict = true })
		s, text := r.post(path, body, headers...)
		rec := r.last()
		if s != status || !strings.Contains(text, want) || len(r.asked) != 0 || rec.Outcome != trial.RequestRefused ||
			rec.Status != status {
			t.Errorf("%s: status %d %s, want %d %s; the provider was asked %d times; %+v", name, s, text, status, want,
				len(r.asked), rec)
		}
	}
	check("no token", "/v1/messages", hello, 401,
		`{"error":{"message":"the token is not this trial's","type":"authentication_error"},"type":"error"}`,
		"Authorization", "")
	check("other token", "/v1/chat/completions", hello, 401, `"type":"authentication_error"`, "Authorization",
		"Bearer nonce-of-that-trial")
	check("no path", "/v1/files", hello, 404, "nothing at POST /v1/files")
	check("other model", "/v1/chat/completions", `{"model":"huge"}`, 404,
		`there is no model \"huge\" here, only \"big-1\"`)
	for _, body := range []string{`{"model":"big-1","model":"huge"}`, `{"model":"big-1","Model":"huge"}`,
		`{"model":"big-1","mod\u0065l":"huge"}`,
		`{"Model":"big-1"}`, `{"model":7}`, `{"messages":[]}`, `{"model":"big-1"} {}`, `[]`, `{"model":`, "",
		`{"model":"big-1","models":["huge"]}`, `{"model":"big-1","background":true}`, `{"model":"big-1","n":64}`,
		`{"model":"big-1","service_tier":"priority"}`,
		`{"model":"big-1","previous_response_id":"r"}`, `{"model":"big-1","tools":{}}`, `{"model":"big-1","tools":[1]}`,
		`{"model":"big-1","max_output_tokens":2000000000}`} {
		check(body, "/v1/responses", body, 400, `"type":"invalid_request_error"`)
	}
	check("no gzip", "/v1/messages", hello, 400, "gzip", "Content-Encoding", "gzip")
	check("other encoding", "/v1/messages", hello, 415, "zstd", "Content-Encoding", "zstd")
	for _, claims := range []int64{1 << 30, -1} { // with and without its length
		r := newRig(t, says(200, jsonType, "{}"))
		sent := &counted{Reader: io.LimitReader(zeros{}, 1<<30)}
		req, _ := http.NewRequest("POST", r.url+"/v1/messages", sent)
		req.ContentLength = claims
		req.Header.Set("X-Api-Key", token)
		resp, err := http.DefaultClient.Do(req)
		if err == nil { // else the connection was closed while it was sent
			resp.Body.Close()
		}
		if err == nil && resp.StatusCode != 413 || sent.n.Load() > 48<<20 || r.last().Status != 413 {
			t.Errorf("a body of 1 GB, length %d: %v %v, %d bytes were taken", claims, resp, err, sent.n.Load())
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

type counted struct {
	io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// TestGatewayLimits: steps, money and floods end a trial's calls; what is refused then
// is counted and fills no journal.
func TestGatewayLimits(t *testing.T) {
	const tooled, ok = `{"model":"m","tools":[{"type":"function","function":{"name":"sh"}}]}`,
		`{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`
	r := newRig(t, says(200, jsonType, ok), func(o *gateway.Options) { o.MaxSteps = 3 })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { r.post("/v1/chat/completions", tooled) })
	}
	all.Wait()
	<-r.g.Over()
	if n := r.g.Tally(); n.Calls != 3 || n.Refused != 5 || n.Stop != trial.StopMaxSteps || len(r.asked) != 3 {
		t.Errorf("of 8 at once: %+v, %d went on", n, len(r.asked))
	}
	if s, text := r.post("/v1/chat/completions", hello); s != 429 || !strings.Contains(text, `"insufficient_quota"`) ||
		!strings.Contains(text, "3 model calls") {
		t.Errorf("status %d %s", s, text)
	}
	for range 300 {
		r.post("/v1/chat/completions", tooled)
	}
	last := r.last()
	if len(r.records) > 3+101 || last.Times == 0 || r.g.Tally().Refused != 306 {
		t.Errorf("%d events of 309 requests, the last %+v; %+v", len(r.records), last, r.g.Tally())
	}
	if s, _ := r.post("/v1/chat/completions", tooled); s != 503 {
		t.Errorf("closed: status %d", s)
	}

	settled := 0
	r = newRig(t, says(200, jsonType, ok), func(o *gateway.Options) {
		o.Admit = func(_ context.Context, ask gateway.Ask) (gateway.Grant, error) {
			if ask.Output > 10 {
				return gateway.Grant{}, errors.New("the budget of $1 has no room")
			}
			return gateway.Grant{Settle: func(q trial.Request) {
				settled += q.Usage.Input
				if q.CostUSD == nil || ask.Input != len(`{"model":"big-1","max_tokens":5}`) {
					t.Errorf("%+v, asked %+v", q, ask)
				}
			}}, nil
		}
	})
	r.post("/v1/chat/completions", `{"model":"m","max_tokens":5}`)
	if s, text := r.post("/v1/messages", `{"model":"m","max_tokens":50}`); s != 429 ||
		!strings.Contains(text, "no room") {
		t.Errorf("no money: status %d %s", s, text)
	}
	if n := r.g.Tally(); settled != 5 || n.Helpers != 1 || n.Stop != trial.StopMaxCost {
		t.Errorf("settled %d, %+v", settled, n)
	}
}

// TestGatewayHelpers: calls without tools, or with few of those that the agent works
// with, are helpers; of an agent that offers none at most the first is. The tools that a
// provider would run are left out.
func TestGatewayHelpers(t *testing.T) {
	r := newRig(t, says(200, jsonType, `{"status":"completed","usage":{"input_tokens":5,"output_tokens":1}}`))
	check := func(tools string, helper bool, sent string) {
		t.Helper()
		r.post("/v1/responses", `{"model":"m","tools":`+tools+`}`)
		r.mu.Lock()
		defer r.mu.Unlock()
		rec, body := r.records[len(r.records)-1], r.asked[len(r.asked)-1].body
		if rec.Helper != helper || body != `{"model":"big-1","tools":`+sent+`}` {
			t.Errorf("%s: helper %v, sent %s", tools, rec.Helper, body)
		}
	}
	named := func(names ...string) string {
		return `[{"type":"function","name":"` + strings.Join(names, `"},{"type":"function","name":"`) + `"}]`
	}
	check(`[]`, true, `[]`)                            // a title, it may be
	check(`[]`, false, `[]`)                           // no: it works without
	check(named("classify"), false, named("classify")) // nobody knows yet
	check(named("a", "b", "c", "d"), false, named("a", "b", "c", "d"))
	check(named("classify"), true, named("classify"))
	check(`[]`, true, `[]`)
	check(named("a", "b"), false, named("a", "b"))
	check(named("a", "b", "c", "d", "e"), false, named("a", "b", "c", "d", "e"))
	check(oneline.Of(`[{"type":"web_search"}, {"type":"namespace","name":"a"},{"type":"custom","name":"b"} ,
		{"type":"mcp","server_url":"http://x"},{"type":"advisor_20260301","name":"advisor"}]`), false,
		`[{"type":"namespace","name":"a"},{"type":"custom","name":"b"}]`)
	if n := r.g.Tally(); n.Helpers != 3 || n.Calls != 6 {
		t.Errorf("%+v", n)
	}
	if d := r.last().Dropped; fmt.Sprint(d) != "[web_search mcp advisor_20260301]" {
		t.Errorf("dropped %v", d)
	}
	r = newRig(t, says(200, jsonType, `{}`))
	r.post("/v1/chat/completions", `{"model":"m","functions":[{"name":"sh"}]}`)
	r.post("/v1/chat/completions", `{"model":"m","messages":[]}`)
	if n := r.g.Tally(); n.Calls != 1 || n.Helpers != 1 {
		t.Errorf("with functions: %+v", n)
	}
	r = newRig(t, says(200, jsonType, `{}`), func(o *gateway.Options) { o.MaxSteps, o.Toolless = 2, true })
	for range 5 { // an agent that edits by what its model says
		r.post("/v1/chat/completions", hello)
	}
	if n := r.g.Tally(); n.Calls != 2 || n.Stop != trial.StopMaxSteps {
		t.Errorf("without tools: %+v", n)
	}
	r = newRig(t, says(200, jsonType, `{}`))
	r.post("/v1/messages", `{"mcp_servers":[{"url":"x"}] , "model":"m", "container":"c"}`)
	if got := r.asked[0].body; got != `{  "model":"big-1"}` {
		t.Errorf("sent %s", got)
	}
}

// TestAgentGoesAway: the provider's reply is not waited for, and what it may
// have cost is an estimate.
func TestAgentGoesAway(t *testing.T) {
	gone, begun := make(chan bool), make(chan bool)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", sse)
		io.WriteString(w, "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
		w.(http.Flusher).Flush()
		close(begun)
		<-req.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(context.Background())
	req, _ := http.NewRequestWithContext(ctx, "POST", r.url+"/v1/chat/completions",
		strings.NewReader(`{"model":"m","stream":true}`))
	req.Header.Set("Api-Key", token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	cancel()
	<-gone
	resp.Body.Close()
	if rec := r.last(); rec.Outcome != trial.RequestLeft || !rec.Guessed || rec.Usage.Output != 1 ||
		rec.Usage.Input == 0 {
		t.Errorf("recorded %+v", rec)
	}
}

// TestGatewayCloseEndsAll: nothing is under way once the gateway is closed, though the
// provider never answers.
func TestGatewayCloseEndsAll(t *testing.T) {
	begun := make(chan bool)
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) { close(begun); <-req.Context().Done() })
	var all sync.WaitGroup
	all.Go(func() {
		<-begun
		r.g.Close()
	})
	if resp, err := http.Post(r.url+"/v1/chat/completions?key="+token, jsonType, strings.NewReader(hello)); err == nil {
		resp.Body.Close()
	}
	all.Wait()
	if rec := r.last(); rec.Outcome != trial.RequestLeft || len(r.records) != 1 {
		t.Errorf("recorded %+v", r.records)
	}
}

// pipes is a listener of connections in memory.
type pipes struct {
	next chan net.Conn
	done chan bool
	once sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.next:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

// TestGatewayHeldConnections: of 10,000 connections that say nothing all but the first
// are closed at once, those under way go on, and Close ends all.
func TestGatewayHeldConnections(t *testing.T) {
	r := newRig(t, says(200, jsonType, `{"usage":{"prompt_tokens":5,"completion_tokens":1}}`))
	l := &pipes{next: make(chan net.Conn), done: make(chan bool)}
	served := make(chan error, 1)
	go func() { served <- r.g.Serve(l) }()
	ask := func(c net.Conn) string {
		fmt.Fprintf(c,
			"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
			token, len(hello), hello)
		b := make([]byte, 15)
		io.ReadFull(c, b)
		return string(b)
	}
	first, their := net.Pipe()
	l.next <- their
	var held []net.Conn
	open := 0
	for range 10_000 {
		ours, theirs := net.Pipe()
		l.next <- theirs
		held = append(held, ours)
	}
	if got := ask(first); got != "HTTP/1.1 200 OK" {
		t.Errorf("the first connection got %q", got)
	}
	r.g.Close()
	for _, c := range held {
		if _, err := c.Read(make([]byte, 1)); err != io.EOF {
			open++
		}
	}
	if err := <-served; err != nil || open > 0 {
		t.Errorf("served: %v, %d connections are open", err, open)
	}
}

// TestOtherDialect: a dialect that the provider does not speak is refused where
// nothing can be translated.
func TestOtherDialect(t *testing.T) {
	r := newRig(t, says(200, jsonType, `{}`),
		func(o *gateway.Options) { o.Upstream.Dialects = []wire.Dialect{wire.Messages} })
	if s, text := r.post("/v1/chat/completions", hello); s != 404 || !strings.Contains(text,
		"the provider of acme/big does not speak chat") {
		t.Errorf("status %d %s", s, text)
	}
}

// What an agent asks for and does not get is named in events, but not at any length.
func TestNamesOfWhatWasLeftOut(t *testing.T) {
	r := newRig(t, says(200, jsonType, `{"status":"completed"}`))
	var tools []string
	for i := range 200 {
		tools = append(tools, fmt.Sprintf(`{"type":"web_search_%d%s"}`, i, strings.Repeat("‹", 1<<10)))
	}
	r.post("/v1/responses", `{"model":"m","tools":[`+strings.Join(tools, ",")+`]}`)
	got := r.last().Dropped
	if len(got) == 0 || len(got) > 50 || len(got[0]) > 1000 {
		t.Errorf("%d names, the first of %d bytes", len(got), len(got[0]))
	}
}

// An empty account is no fault of the agent, whatever the provider calls it; numbers
// count in whatever way they are written; what streams as one list is metered.
func TestWhatCountsIsRead(t *testing.T) {
	r := newRig(t, says(400, jsonType,
		`{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`))
	r.post("/v1/messages", `{"model":"m","max_tokens":8,"messages":[]}`)
	if rec := r.last(); rec.Outcome != trial.RequestProvider {
		t.Errorf("an empty account: %s", rec.Outcome)
	}
	r = newRig(t, says(200, jsonType, `{}`))
	if status, text := r.post("/v1/chat/completions", `{"model":"m","n":8.0,"messages":[]}`); status != 400 {
		t.Errorf("eight replies for one: %d %s", status, text)
	}
	r = newRig(t,
		says(200, jsonType,
			oneline.Of(`[
				{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},
				{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}],
					"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":5000}}]`)))
	r.post("/v1beta/models/m:streamGenerateContent", `{"contents":[]}`)
	if rec := r.last(); rec.Usage.Output != 5000 {
		t.Errorf("a list of parts: %+v", rec)
	}
}
