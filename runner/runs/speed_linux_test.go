package runs_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/openai"
	"cookoff/model/scripted"
	"cookoff/trial"
)

// canned is an endpoint without a network: it takes a request to its last byte,
// asks for a call in each of n steps, then is done. It serves one trial.
type canned struct{ n, made int }

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	body := oneline.Of(`{"choices":[{"message":{"content":"done"},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":900,"completion_tokens":9}}`)
	if c.made++; c.made <= c.n {
		body = fmt.Sprintf(
			oneline.Of(`{"choices":[
				{"message":{"content":"","tool_calls":[
					{"id":"call_%d","type":"function",
						"function":{"name":"bash","arguments":"{\"command\":\"echo %06d\"}"}}]},
					"finish_reason":"tool_calls"}],
				"usage":{"prompt_tokens":900,"completion_tokens":9}}`), c.made, c.made)
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// processor is the processor time that this process took.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perStep runs loops of n steps until together they have at least as many as
// least, and gives the processor time of a step: requests written, replies read,
// hooks and reminders looked at, calls made, the journal kept.
func perStep(b *testing.B, n, least int) time.Duration {
	var chat model.Chat // each loop has an endpoint of its own
	r := benchRunner(b, 1, func(string) (model.Chat, error) {
		return scripted.Func(func(ctx context.Context, req *model.Request) (*model.Reply,
			error) {
			return chat.Generate(ctx, req)
		}), nil
	}, benchmarked)
	if tools := len(r.TaskOf["Write the file"].Offer(r.Recipe).Set(nil, 0).Names); tools < 20 {
		b.Fatalf("%d tools", tools)
	}
	journal, err := trial.CreateJournal(b.TempDir(), "r", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer journal.Close()
	var took time.Duration
	for done := 0; done < least; done += n {
		chat = openai.New(openai.Config{Name: "test", BaseURL: "http://127.0.0.1/v1", Model: "model",
			HTTPClient: &http.Client{Transport: &canned{n: n}}})
		before := processor(b)
		out, err := r.Run(b.Context(), r.Plan()[0], journal)
		took += processor(b) - before
		if err != nil || out.Steps != n+1 {
			b.Fatalf("%d steps, %v: %s", out.Steps, err, out.Detail)
		}
	}
	return took / time.Duration(max(least, n))
}

// BenchmarkStepCPU holds what cookoff itself takes for a step under a
// millisecond of the processor, with twenty tools, and looks at whether a step
// gets dearer as the conversation grows: the wire needs all of it each time, the
// encoding does not.
func BenchmarkStepCPU(b *testing.B) {
	for b.Loop() {
		short, long := perStep(b, 100, 1000), perStep(b, 1000, 1000)
		b.ReportMetric(float64(short.Microseconds()), "µs/step-of-100")
		b.ReportMetric(float64(long.Microseconds()), "µs/step-of-1000")
		b.ReportMetric(float64(long)/float64(short), "ratio")
		if short > time.Millisecond {
			b.Fatalf("a step takes %v of the processor", short)
		}
		if long > 4*short {
			b.Fatalf("a step of a long loop takes %v, of a short one %v", long, short)
		}
	}
}
