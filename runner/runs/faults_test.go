package runs_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"cookoff/model"
	"cookoff/model/openai"
	"cookoff/model/openai/openaitest"
	"cookoff/runner/runnertest"
	"cookoff/trial"
)

// faulty runs a trial against an endpoint on the loopback that misbehaves, then
// mends the task and is done. It says how the trial ended.
func faulty(t *testing.T, stream bool, steps ...openaitest.Step) (ended, detail string) {
	t.Helper()
	mend := openaitest.Calls(model.Call{ID: "mend", Name: "bash", Arguments: `{"command":"touch done"}`})
	s := openaitest.New(append(steps, mend, openaitest.Text("done"))...)
	t.Cleanup(s.Close)
	cfg := openai.Config{Name: "test", BaseURL: s.URL, Key: "sk-0123456789", KeyEnv: "K", Model: "model",
		Stream: stream, Timeout: 5 * time.Minute, Idle: 5 * time.Minute}
	if strings.Contains(t.Name(), "stalls") {
		cfg.Idle = time.Second // enough for every answer that does come
	}
	b, _ := runnertest.Quick(t)
	b.Env.Prices = runnertest.DollarAToken(t)
	b.Env.Chat = func(string) (model.Chat, error) { return openai.New(cfg), nil }
	out := b.One(runnertest.Recipe(""))
	ended = strings.TrimSpace(fmt.Sprintf("%s %s", out.Status, out.Cause)) + ", " + string(out.Stop)
	for what, n := range map[string]int{"retries": out.Counters.Retries, "lost": out.Counters.Lost,
		"malformed": out.Counters.Malformed, "calls": out.Counters.ToolCalls - 1} {
		if n > 0 {
			what = fmt.Sprintf("%s %d", what, n)
			ended += ", " + what
		}
	}
	if strings.Contains(out.Detail, cfg.Key) {
		t.Errorf("the key is told: %s", out.Detail)
	}
	if out.CostUSD == nil {
		ended += ", cost unknown"
	}
	return ended, out.Detail
}

// resets begins an answer and resets the connection.
func resets(begin string) openaitest.Step {
	return openaitest.Handler(func(w http.ResponseWriter, _ *http.Request) {
		conn, buf, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return // the client sees that the connection is whole
		}
		_, _ = buf.WriteString(begin)
		_ = buf.Flush()
		_ = conn.(*net.TCPConn).SetLinger(0) // the end is a reset
		conn.Close()
	})
}

// TestFaults: every way in which an endpoint can misbehave, from the wire to
// the outcome of the trial: what is the provider's doing is tried again and
// charged to nobody, what is the model's goes back to it.
func TestFaults(t *testing.T) {
	check := func(name string, modes []bool, want []string, steps ...openaitest.Step) {
		t.Helper()
		for _, stream := range modes {
			t.Run(fmt.Sprintf("%s/stream %v", name, stream), func(t *testing.T) {
				t.Helper()
				got, detail := faulty(t, stream, steps...)
				if parts := strings.Split(got, ", "); len(parts) != len(want) {
					t.Fatalf("%s: %s; want %v", got, detail, want)
				}
				for _, w := range want {
					if !strings.Contains(got, w) {
						t.Errorf("%s: %s; want %s", got, detail, w)
					}
				}
			})
		}
	}
	status, words := openaitest.Status, openaitest.Error
	both, whole, streamed := []bool{false, true}, []bool{false}, []bool{true}
	again := []string{"pass", "done", "retries 1"}
	lost := append(again, "lost 1")

	check("reset before anything", both, again, resets(""))
	check("reset in the middle", streamed, lost,
		resets("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n"+
			"data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n"))
	half := model.Reply{Message: model.Message{Content: "half a thought",
		Calls: []model.Call{{ID: "a", Name: "bash", Arguments: `{"command":"touch done"}`}}}}
	check("ends in the middle", streamed, lost, openaitest.Cut(half))
	check("stalls in the middle", streamed, lost, openaitest.StallAfter(`{"choices":[{"delta":{"content":"a"}}]}`))
	check("stalls before the stream", streamed, again, openaitest.StallAfter())
	check("408", both, again, status(408, ""))
	check("429", both, again, status(429, words("rate_limit_exceeded", "slow down")))
	check("429 with Retry-After", both, again, status(429, "{}", "Retry-After", "7"))
	for _, code := range []int{500, 502, 503, 529} {
		check(fmt.Sprint(code), both, again, status(code, words("", "oops")))
	}
	check("HTML and status 502", both, again, status(502, "<html>Bad Gateway</html>", "Content-Type", "text/html"))
	check("HTML and status 200", both, []string{"void provider", "broken", "cost unknown"},
		openaitest.Raw("text/html", "<html>log in</html>"))
	check("truncated JSON", whole, lost, openaitest.Raw("application/json", `{"choices":[{"mess`))
	check("no choices", whole, lost, openaitest.Raw("application/json", `{"choices":[]}`))
	for _, code := range []int{401, 403, 404} {
		check(fmt.Sprint(code), both, []string{"void provider", "broken", "cost unknown"},
			status(code, words("", "no")))
	}
	check("context length", both, []string{"fail", "context_full", "cost unknown"},
		status(400, words("context_length_exceeded", "too long")))
	check("413", both, []string{"fail", "context_full", "cost unknown"}, status(413, "too large"))
	check("a parameter that is not taken, and was not sent", both, []string{"void provider", "broken", "cost unknown"},
		status(400, words("unsupported_parameter", "unsupported parameter: seed")))
	check("tools that are not taken", whole, []string{"fail", "done"},
		status(400, words("", "this model does not support tools")), openaitest.Text("so be it"))

	reply := func(text string, calls ...model.Call) openaitest.Step {
		return openaitest.Reply(model.Reply{Message: model.Message{Content: text, Calls: calls},
			Finish: model.FinishCalls, Usage: model.Usage{Input: 9, Output: 9, Known: true}})
	}
	bash := func(id, args string) model.Call { return model.Call{ID: id, Name: "bash", Arguments: args} }
	var many []model.Call
	for i := range 300 {
		many = append(many, bash(fmt.Sprint("c", i), fmt.Sprintf(`{"command":"echo %d"}`, i)))
	}
	check("invalid UTF-8", whole, []string{"pass", "done", "malformed 1", "calls 1"},
		openaitest.Raw("application/json",
			strings.ReplaceAll(`{"choices":[{"message":{"content":"a~",
				"tool_calls":[{"id":"1","function":{"name":"ba~sh","arguments":"{}"}}]}}],
				"usage":{"prompt_tokens":9,"completion_tokens":9}}`, "~", "\xff")))
	check("arguments that are no JSON", both, []string{"pass", "done", "malformed 1", "calls 1"},
		reply("", bash("1", `{"command": touch`)))
	check("300 calls in a reply", both, []string{"pass", "done", "calls 64"}, reply("", many...))
	check("no ids", both, []string{"pass", "done", "calls 2"},
		reply("", bash("", `{"command":"echo a"}`), bash("", `{"command":"echo b"}`)))
	check("repeated ids", whole, []string{"pass", "done", "calls 2"},
		reply("", bash("x", `{"command":"echo a"}`), bash("x", `{"command":"echo b"}`)))
	check("no usage", both, []string{"pass", "done", "cost unknown"},
		openaitest.Reply(model.Reply{Message: model.Message{Content: "",
			Calls: []model.Call{bash("1", `{"command":"touch done"}`)}}, Finish: model.FinishCalls}),
		openaitest.Text("done"))
	check("50 MB", whole, []string{"pass", "done", "cost unknown"},
		openaitest.Handler(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, `{"choices":[{"message":{"content":"`)
			for range 50 {
				if _, err := fmt.Fprint(w, strings.Repeat("word ", 1<<20/5)); err != nil {
					return
				}
			}
		}))
}

// TestNobodyListens: a provider that can't be reached is asked more and more
// rarely, then given up: its trials are void.
func TestNobodyListens(t *testing.T) {
	s := openaitest.New()
	s.Close()
	b, _ := runnertest.Quick(t)
	b.Env.Chat = func(string) (model.Chat, error) {
		return openai.New(openai.Config{Name: "test", BaseURL: s.URL, Model: "model"}), nil
	}
	out := b.One(runnertest.Recipe(""))
	if out.Cause != "provider" || out.Counters.Lost != 0 || !strings.Contains(out.Detail,
		"test was given up: it did not answer for") || !strings.Contains(out.Detail, "connection refused") {
		t.Errorf("%s, %d retries: %s", out.Cause, out.Counters.Retries, out.Detail)
	}
	if len(b.Notes(trial.ProviderDown)) < 5 || len(b.Notes(trial.ProviderLost)) != 1 {
		t.Errorf("said: %q", b.Log.Text(trial.Note))
	}
}
