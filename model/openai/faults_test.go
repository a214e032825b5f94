package openai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/openai/openaitest"
)

// kindOf names what an error means for the caller.
func kindOf(err error) string {
	var (
		retry   *model.RetryError
		long    *model.ContextError
		refused *model.RefusedError
		auth    *model.AuthError
		without *model.UnsupportedError
	)
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &without):
		return "unsupported " + without.What
	case errors.As(err, &retry) && retry.After > 0:
		return fmt.Sprintf("retry after %v", retry.After)
	case errors.As(err, &retry) && retry.Page:
		return "page"
	case errors.As(err, &retry):
		return "retry"
	case errors.As(err, &long):
		return "context"
	case errors.As(err, &refused):
		return "refused"
	case errors.As(err, &auth):
		return "auth " + auth.Env
	}
	return "final"
}

// fails asks once and checks the kind of error and what it says.
func fails(t *testing.T, cfg Config, kind, text string) {
	t.Helper()
	r, err := New(cfg).Generate(t.Context(), hello())
	if got := kindOf(err); got != kind || r != nil {
		t.Errorf("%s: %v (reply %+v), want %s", got, err, r, kind)
		return
	}
	if !strings.Contains(err.Error(), text) {
		t.Errorf("error %q does not say %q", err, text)
	}
	if strings.Contains(err.Error(), key) {
		t.Errorf("error holds the key: %q", err)
	}
	if len([]rune(err.Error())) > 600 || strings.ContainsAny(err.Error(), "\x1b\r\x00") {
		t.Errorf("error is not fit to print: %q", err)
	}
}

func TestStatuses(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		check := func(kind, text string, step openaitest.Step) {
			t.Helper()
			_, cfg := serve(t, step)
			cfg.Stream = stream
			fails(t, cfg, kind, text)
		}
		status := openaitest.Status
		words := openaitest.Error
		check("unsupported seed", "asking acme/big/one: status 400: unsupported parameter: seed",
			status(400, words("unsupported_parameter", "unsupported parameter: seed")))
		check("auth ACME_KEY", "status 401: Incorrect API key\nhint: check the variable ACME_KEY",
			status(401, words("invalid_api_key", "Incorrect API key")))
		check("auth ACME_KEY", "[redacted:ACME_KEY]", status(401, words("", "Incorrect API key: "+key)))
		check("auth ACME_KEY", "no money left", status(402, `{"message":"Insufficient Balance"}`))
		check("auth ACME_KEY", "status 403: not allowed", status(403, `{"error":"not allowed"}`))
		check("final", "status 404: no such model\nhint: check the model's name and base_url (http://127.0.0.1",
			status(404, words("model_not_found", "no such model")))
		check("retry", "status 408", status(408, ""))
		check("retry", "status 409", status(409, ""))
		check("final", `status 422: [{"loc":["body"],"msg":"bad"}]`, status(422, `{"detail":[{"loc":["body"],"msg":"bad"}]}`))
		check("retry", "status 429: slow down", status(429, words("rate_limit_exceeded", "slow down")))
		check("retry after 7s", "status 429", status(429, words("", "slow down"), "Retry-After", "7"))
		check("retry after 1.5s", "status 429", status(429, "{}", "retry-after-ms", "1500", "Retry-After", "2"))
		check("retry after 1m30s", "status 503", status(503, "", "Date", "Sat, 21 Nov 2026 06:00:00 GMT", "Retry-After",
			"Sat, 21 Nov 2026 06:01:30 GMT"))
		check("retry after 24h0m0s", "status 429", status(429, "", "Retry-After", "1e300"))
		for _, nonsense := range []string{"-3", "soon", "NaN", "", "Sat, 21 Nov 1996 06:01:30 GMT"} {
			check("retry", "status 429", status(429, "", "Retry-After", nonsense))
		}
		check("auth ACME_KEY", "no money left", status(429, words("insufficient_quota", "You exceeded your current quota")))
		check("retry", "status 500: oops", status(500, words("", "oops")))
		check("final", "status 501", status(501, ""))
		check("retry", "status 502: \"<html>", status(502, "<html>\x1b[31mBad\x00 Gateway</html>", "Content-Type",
			"text/html"))
		check("retry after 20s", "status 503: no reason given", status(503, "", "Retry-After", "20"))
		check("retry", "status 529: Overloaded",
			status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`))
		check("final", "redirects to \"http://elsewhere.example/v1\", which is not followed",
			status(307, "", "Location", "http://elsewhere.example/v1"))
		check("final", "status 400: "+strings.Repeat("x", 300)+"…", status(400, words("", strings.Repeat("x", 60000))))
	})
}

// TestBusy: which errors say that requests are too many, and which that
// something broke.
func TestBusy(t *testing.T) {
	check := func(want bool, step openaitest.Step) {
		t.Helper()
		_, cfg := serve(t, step)
		_, err := New(cfg).Generate(t.Context(), hello())
		var retry *model.RetryError
		if !errors.As(err, &retry) || retry.Busy != want {
			t.Errorf("busy %v, want %v: %v", !want, want, err)
		}
	}
	check(true, openaitest.Status(429, "{}"))
	check(true, openaitest.Status(529, "{}"))
	check(true, openaitest.Raw("application/json", openaitest.Error("rate_limit_exceeded", "slow down")))
	check(false, openaitest.Status(500, "{}"))
	check(false, openaitest.Status(503, "{}"))
	check(false, openaitest.Cut(model.Reply{}))
}

func TestContextErrors(t *testing.T) {
	check := func(status int, body string) {
		t.Helper()
		_, cfg := serve(t, openaitest.Status(status, body))
		fails(t, cfg, "context", "conversation too long: asking acme/big/one: ")
	}
	check(413, "<html>too large</html>")
	check(400, openaitest.Error("context_length_exceeded", "Your input exceeds it."))
	check(400, openaitest.Error("", "This model's maximum context length is 8192 tokens. "+
		"However, your messages resulted in 9000 tokens."))
	check(400, oneline.Of(`{"type":"error","error":{"type":"invalid_request_error",
		"message":"prompt is too long: 210000 tokens > 200000 maximum"}}`))
	check(400, oneline.Of(`[
		{"error":{"code":400,
			"message":"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
			"status":"INVALID_ARGUMENT"}}]`))
	check(400, oneline.Of(`{"error":{"code":400,
		"message":"the request exceeds the available context size",
		"type":"exceed_context_size_error"}}`))
	check(500, `{"error":"input exceeds the context window"}`)
}

func TestRefusals(t *testing.T) {
	check := func(text string, steps ...openaitest.Step) {
		t.Helper()
		_, cfg := serve(t, steps...)
		fails(t, cfg, "refused", text)
	}
	check("status 400: no", openaitest.Status(400, openaitest.Error("content_filter", "no")))
	check("requires moderation", openaitest.Status(403,
		openaitest.Error("403", "Your chosen model requires moderation and your input was flagged for violence")))

	_, cfg := serve(t,
		openaitest.Raw("application/json", oneline.Of(`{
			"choices":[{"message":{"refusal":"I can't\u001b help"},"finish_reason":"stop"}],
			"usage":{"prompt_tokens":9,"completion_tokens":3}}`)),
		openaitest.Events(`{"choices":[{"delta":{"refusal":"I can't "}}]}`,
			`{"choices":[{"delta":{"refusal":"help"},"finish_reason":"stop"}]}`))
	_, err := New(cfg).Generate(t.Context(), hello())
	var refused *model.RefusedError
	if !errors.As(err, &refused) || refused.Reason != `I can't\x1b help` ||
		refused.Usage != (model.Usage{Input: 9, Output: 3, Known: true}) {
		t.Errorf("error %#v", err)
	}
	cfg.Stream = true
	fails(t, cfg, "refused", "I can't help")
}

// TestBrokenReplies: what is no reply may be one another time.
func TestBrokenReplies(t *testing.T) {
	check := func(stream bool, text string, step openaitest.Step) {
		t.Helper()
		_, cfg := serve(t, step)
		cfg.Stream = stream
		fails(t, cfg, "retry", text)
	}
	half := model.Reply{Message: model.Message{Content: "half a thought",
		Calls: []model.Call{{ID: "a", Name: "bash", Arguments: `{"command":"rm -rf build"}`}}}}
	raw := openaitest.Raw
	check(false, "broken JSON", raw("application/json", `{"choices":[{]}`))
	check(false, `began "{\"choices\":[{\"mess"`, raw("application/json", `{"choices":[{"mess`))
	check(false, "ended before it was finished: nothing of it came", raw("application/json", ""))
	check(false, "ended before it was finished", openaitest.Cut(half))
	check(false, "no chat completion", raw("application/json", `{"choices":"none"}`))
	check(false, "no choice", raw("application/json", `{"choices":[]}`))
	check(false, "no choice", raw("application/json", `{"choices":[{"finish_reason":"stop"}]}`))
	check(false, "no choice", raw("application/json", `{"choices":[{"message":null,"finish_reason":"stop"}]}`))
	check(false, "upstream is busy", raw("application/json", `{"error":{"code":502,"message":"upstream is busy"}}`))
	check(false, "ended the reply with an error",
		raw("application/json", `{"choices":[{"message":{"content":"x"},"finish_reason":"error"}]}`))

	check(true, "ended before it was finished", openaitest.Cut(half))
	check(true, "broken JSON", openaitest.Events(`{"choices":[{"delta":{"content":"a"}}]}`, `{"choices":[{]`))
	check(true, "ended before it was finished", openaitest.Events())
	check(true, "ended before it was finished", openaitest.Events(`{"choices":[{"delta":{"content":"a"}}]}`))
	check(true, "the answer is application/json", raw("application/json", `{"choices":[]}`))
	check(true, "it is full", raw("application/json", `{"error":{"message":"it is full"}}`))
	check(true, "overloaded", openaitest.Events(`{"choices":[{"delta":{"content":"a"}}]}`,
		`{"error":{"message":"overloaded","code":null}}`))
	check(true, "status 502: upstream died",
		openaitest.Events(`{"id":"x","choices":[],"error":{"code":502,"message":"upstream died"}}`))
	check(true, "ended the reply with an error",
		openaitest.Events(`{"choices":[{"delta":{"content":"a"},"finish_reason":"error"}]}`))

	_, cfg := serve(t, openaitest.Events(`{"error":{"message":"too much","code":"context_length_exceeded"}}`))
	cfg.Stream = true
	fails(t, cfg, "context", "too much")
}

// TestStreamEnds: a stream is whole when it says why it ended, or that it is done.
func TestStreamEnds(t *testing.T) {
	check := func(events ...string) {
		t.Helper()
		_, cfg := serve(t, openaitest.Events(events...))
		cfg.Stream = true
		r, err := New(cfg).Generate(t.Context(), hello())
		if err != nil || r.Message.Content != "all" {
			t.Errorf("%q: %+v, %v", events, r, err)
		}
	}
	check(`{"choices":[{"delta":{"content":"all"}}]}`, "[DONE]")
	check(`{"choices":[{"delta":{"content":"all"},"finish_reason":"stop"}]}`)
	check(oneline.Of(`{"choices":[
		{"index":1,"delta":{"content":"other"}},
		{"index":0,"delta":{"content":"all"},"finish_reason":"weird"}]}`), `{"choices":[]}`)
}

func TestStalls(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		_, cfg := serve(t, openaitest.Stall())
		cfg.Stream, cfg.Timeout = stream, 500*time.Millisecond
		fails(t, cfg, "retry", "no reply within 500ms")
	})
	_, cfg := serve(t, openaitest.StallAfter(`{"choices":[{"delta":{"content":"a"}}]}`), openaitest.StallAfter())
	cfg.Stream, cfg.Idle = true, 30*time.Millisecond
	fails(t, cfg, "retry", "stalled: no bytes for 30ms")
	fails(t, cfg, "retry", "stalled: no bytes for 30ms")
}

// TestCancelled: what the caller ends is no fault of the provider.
func TestCancelled(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		ctx, cancel := context.WithCancel(t.Context())
		_, cfg := serve(t, openaitest.Handler(func(w http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		}))
		cfg.Stream = stream
		_, err := New(cfg).Generate(ctx, hello())
		if !errors.Is(err, context.Canceled) || kindOf(err) != "final" {
			t.Errorf("error %v", err)
		}
	})
}

func TestNoWayThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	cfg := Config{Name: "acme", BaseURL: "http://" + addr + "/v1", Key: key, KeyEnv: "ACME_KEY", Model: "one"}
	fails(t, cfg, "retry", "asking acme/one: dial tcp "+addr+": connect: connection refused")
	cfg.BaseURL = "http://nowhere.invalid/v1"
	fails(t, cfg, "retry", "nowhere.invalid")
	s, _ := serve(t)
	cfg.BaseURL = strings.Replace(s.URL, "http:", "https:", 1)
	fails(t, cfg, "retry", "HTTP response to HTTPS client")
	cfg.Key = ""
	fails(t, cfg, "auth ACME_KEY", "the variable ACME_KEY is not set")
}

// TestHugeReply: a reply without end is cut, and is the model's own.
func TestHugeReply(t *testing.T) {
	flood := func(begin, piece string) openaitest.Step {
		return openaitest.Handler(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, begin)
			for n := 0; n < 50<<20; n += len(piece) {
				if _, err := fmt.Fprint(w, piece); err != nil {
					return
				}
			}
		})
	}
	check := func(stream bool, step openaitest.Step) {
		t.Helper()
		_, cfg := serve(t, step)
		cfg.Stream = stream
		r, err := New(cfg).Generate(t.Context(), hello())
		if err != nil || r.Finish != model.FinishLength || r.Usage.Known || r.Message.Content != "" || len(r.Notes) != 1 {
			t.Errorf("stream %v: %.200v, %v", stream, r, err)
		}
	}
	text := strings.Repeat("word ", 13000)
	check(false, flood(`{"choices":[{"message":{"content":"`, text))
	check(true, flood("", `data: {"choices":[{"delta":{"content":"`+text+"\"}}]}\n\n"))
}

// TestBadCall: a tool call that the provider throws away is the model's own
// doing, and no reason to ask again.
func TestBadCall(t *testing.T) {
	_, cfg := serve(t, openaitest.Status(400, openaitest.Error("tool_use_failed", "Failed to call a function.")))
	r, err := New(cfg).Generate(t.Context(), hello())
	if err != nil || r.Message.Content != "" || r.Message.Calls != nil || len(r.Notes) != 1 ||
		!strings.Contains(r.Notes[0], "status 400: Failed to call a function.") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestKeyMayBeMissing: a server that needs no key is asked without one, and
// one that does says which variable it is.
func TestKeyMayBeMissing(t *testing.T) {
	s, cfg := serve(t, openaitest.Text("ok"), openaitest.Status(401, ""))
	cfg.Key, cfg.NoKey = "", true
	if _, err := New(cfg).Generate(t.Context(), hello()); err != nil ||
		s.Requests()[0].Header.Values("Authorization") != nil {
		t.Errorf("%v, sent %v", err, s.Requests()[0].Header)
	}
	fails(t, cfg, "auth ACME_KEY", "hint: check the variable ACME_KEY, which is not set")
}

// TestInvalidUTF8: foreign bytes become replacement characters.
func TestInvalidUTF8(t *testing.T) {
	_, cfg := serve(t, openaitest.Raw("application/json",
		"{\"choices\":[{\"message\":{\"content\":\"a\xff\xfeb\"},\"finish_reason\":\"stop\"}]}"))
	r, err := New(cfg).Generate(t.Context(), hello())
	if err != nil || r.Message.Content != "a\uFFFD\uFFFDb" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestInvalidUTF8InAStream: the same, also where a piece ends in the middle of
// a character, and in the arguments of a call.
func TestInvalidUTF8InAStream(t *testing.T) {
	_, cfg := serve(t, openaitest.Events("{\"choices\":[{\"delta\":{\"content\":\"a\xff\"}}]}",
		"{\"choices\":[{\"delta\":{\"content\":\"\xe2\x82\"}}]}",
		strings.Replace(oneline.Of(`{"choices":[
			{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\":\"~\"}"}}]},
				"finish_reason":"stop"}]}`), "~", "\xfe", 1), "[DONE]"))
	cfg.Stream = true
	r, err := New(cfg).Generate(t.Context(), hello())
	if err != nil || !utf8.ValidString(r.Message.Content) || !strings.HasPrefix(r.Message.Content, "a\uFFFD") {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(r.Message.Calls) != 1 || r.Message.Calls[0].Arguments != "{\"a\":\"\uFFFD\"}" || r.Message.Calls[0].ID == "" {
		t.Errorf("calls %+v", r.Message.Calls)
	}
}

// TestReset: a connection that is reset is a fault of the way there, wherever
// it happens; half a reply is none, and its calls are not made.
func TestReset(t *testing.T) {
	reset := func(begin string) openaitest.Step {
		return openaitest.Handler(func(w http.ResponseWriter, r *http.Request) {
			conn, buf, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = buf.WriteString(begin)
			_ = buf.Flush()
			_ = conn.(*net.TCPConn).SetLinger(0) // the end is a reset
			conn.Close()
		})
	}
	call := oneline.Of(`{"choices":[
		{"index":0,"delta":{
			"tool_calls":[{"index":0,"id":"1","function":{"name":"bash","arguments":"{}"}}]}}]}`)
	both(t, func(t *testing.T, stream bool) {
		kind := "Content-Type: application/json\r\n"
		if stream {
			kind = "Content-Type: text/event-stream\r\n"
		}
		for _, begin := range []string{
			"",
			"HTTP/1.1 200 OK\r\n" + kind,
			"HTTP/1.1 200 OK\r\n" + kind + "Content-Length: 9999\r\n\r\n",
			"HTTP/1.1 200 OK\r\n" + kind + "Content-Length: 9999\r\n\r\ndata: " + call + "\n\n",
		} {
			_, cfg := serve(t, reset(begin))
			cfg.Stream = stream
			r, err := New(cfg).Generate(t.Context(), hello())
			if got := kindOf(err); got != "retry" || r != nil {
				t.Errorf("after %q: %s: %v, %+v", begin, got, err, r)
			}
		}
	})
}

// TestRecovers: a Chat keeps nothing of a failure.
func TestRecovers(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		s, cfg := serve(t, openaitest.Status(500, ""), openaitest.Text("back"))
		cfg.Stream = stream
		fails(t, cfg, "retry", "status 500")
		r, err := New(cfg).Generate(t.Context(), hello())
		if err != nil || r.Message.Content != "back" {
			t.Errorf("%+v, %v", r, err)
		}
		if a, b := s.Requests()[0].Body, s.Requests()[1].Body; string(a) != string(b) {
			t.Errorf("the second request differs:\n%s\n%s", a, b)
		}
	})
}

func TestRetryAfterWithoutDate(t *testing.T) {
	now := time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)
	h := http.Header{"Retry-After": {now.Add(time.Minute).Format(http.TimeFormat)}}
	if got := endpoint.RetryAfter(h, now); got != time.Minute {
		t.Errorf("wait %v", got)
	}
}
