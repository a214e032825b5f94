package openai

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/model/openai/openaitest"
)

// endless sends a text over and over, as gzip where the client takes that.
func endless(media, begin, again string) openaitest.Step {
	return openaitest.Handler(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		var to io.Writer = w
		if r.Header.Get("Accept-Encoding") == "gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			defer z.Close()
			to = z
		}
		_, _ = io.WriteString(to, begin)
		block := bytes.Repeat([]byte(again), 1+(1<<20)/len(again))
		for range maxBody>>20 + 1 {
			if _, err := to.Write(block); err != nil {
				return // the client has seen enough
			}
		}
	})
}

// TestLargerThanTheCap: an answer that is too large is the model's doing where the
// model wrote it, and else the provider's; both are told the cap.
func TestLargerThanTheCap(t *testing.T) {
	const whole, event = `{"choices":[{"message":{"content":"`, `data: {"choices":[{"delta":{"content":"`
	check := func(stream bool, limit *int, step openaitest.Step, want string) {
		t.Helper()
		_, cfg := serve(t, step)
		cfg.Stream = stream
		req := hello()
		req.Params.MaxTokens = limit
		reply, err := New(cfg).Generate(t.Context(), req)
		got := ""
		if retry, ok := errors.AsType[*model.RetryError](err); ok {
			got = "provider: " + retry.Error()
		} else if err == nil && reply.Finish == model.FinishLength {
			got = "model: " + strings.Join(reply.Notes, "; ")
		}
		if !strings.Contains(got, want) || !strings.Contains(got,
			"larger than 32 MiB, which an answer may have at most") {
			t.Errorf("stream %v: %q is not %q: %v", stream, got, want, err)
		}
	}
	check(false, nil, endless("application/json", "", " "), "provider: ")
	check(false, nil, endless("application/json", whole+`hello"}}],`, "\n\t"), "the model wrote ")
	check(false, nil, endless("application/json", whole, "a"), "model: ")
	check(false, new(1000), endless("application/json", whole, "a"), "are more than max_tokens: 1000 allows")
	check(true, nil, endless("text/event-stream", "", "\n"), "the model wrote 0 bytes of it")
	check(true, nil, endless("text/event-stream", "data: ", "word "), "the model wrote 0 bytes of it")
	check(true, nil, endless("text/event-stream", "", ": wait\n\n"), "the model wrote 0 bytes of it")
	check(true, nil, endless("text/event-stream", "", event+strings.Repeat("a", 500)+"\"}}]}\n\n"), "model: ")
	check(true, nil, endless("application/json", whole, "a"), "model: ")
	check(true, nil, endless("application/json", "", " "), "provider: ")
}
