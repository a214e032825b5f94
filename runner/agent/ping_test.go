package agent

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/contestant/agents"
	"cookoff/model/wire"
	"cookoff/runner/clock"
	"cookoff/runner/record"
	"cookoff/sandbox"
	"cookoff/trial"
)

// hanging is a program that answers some lines and then waits until it is killed.
type hanging struct {
	*io.PipeReader // what it prints
	in             *io.PipeWriter
	kill           func()
	stderr         string
	killed         chan struct{}
}

func hang(prints, stderr string, answers ...string) *hanging {
	out, theirs := io.Pipe()
	in, ours := io.Pipe()
	h := &hanging{PipeReader: out, in: ours, stderr: stderr, killed: make(chan struct{})}
	h.kill = sync.OnceFunc(func() {
		close(h.killed)
		theirs.Close()
		in.Close()
	})
	go func() {
		_, _ = io.WriteString(theirs, prints)
		lines := bufio.NewReader(in)
		for _, a := range answers {
			_, _ = lines.ReadString('\n')
			_, _ = io.WriteString(theirs, a+"\n")
		}
		_, _ = io.Copy(io.Discard, lines)
	}()
	return h
}

func (h *hanging) Write(p []byte) (int, error)                  { return h.in.Write(p) }
func (h *hanging) Close() error                                 { return h.in.Close() }
func (h *hanging) Resize(context.Context, sandbox.Window) error { return nil }
func (h *hanging) Kill(context.Context) error                   { h.kill(); return nil }
func (h *hanging) Result() (r sandbox.Result, ok bool) {
	select {
	case <-h.killed:
		return sandbox.Result{Signal: "SIGKILL", Stderr: []byte(h.stderr)}, true
	default:
		return r, false
	}
}

// TestAPingThatTakesItsTimeHasLastWords: of an agent that was ended at its time, it is said
// what it said last, on standard error or else beside the protocol.
func TestAPingThatTakesItsTimeHasLastWords(t *testing.T) {
	check := func(name, prints, stderr, want, protocol string) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := New(Config{Trial: trial.Trial{ID: "ping"}, Clock: clock.Real{}, Timeout: pingTime,
					Outcome: &trial.Outcome{}, Upstream: loopback(wire.Chat), Model: "loopback/ping",
					Agent: agents.Installed{Agent: agents.Agent{Protocol: protocol}},
					Record: &record.Recorder{Sink: trial.SinkFunc(func(trial.Event) error { return nil }),
						Clock: clock.Real{}}})
				defer c.Close()
				c.began = time.Now()
				var e ended
				if protocol == agents.Exec {
					e = c.execute(t.Context(), hang(prints, stderr), agents.Run{})
				} else {
					e = c.converse(t.Context(),
						hang(prints, stderr, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`,
							`{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}`))
				}
				if err := c.conclude(t.Context(), e); err != nil {
					t.Fatal(err)
				}
				if got := c.cutOff().Error(); got != "it ended by timeout: the agent took its 3m0s"+want {
					t.Error(got)
				}
			})
		})
	}
	const login = "opening a browser\nwaiting for you to log in"
	check("acp", "", login+"\n", ": "+login, agents.ACP)
	check("acp beside the protocol", "waiting for a key\n", "", "; it printed: waiting for a key", agents.ACP)
	check("acp silent", "", "", "", agents.ACP)
	check("exec", "more\n", login, ": "+login, agents.Exec)
	check("exec that prints", strings.Repeat("line\n", 9)+"name? ", "",
		"; it printed: line\nline\nline\nline\nname?", agents.Exec)
	check("exec silent", "", "", "", agents.Exec)
}
