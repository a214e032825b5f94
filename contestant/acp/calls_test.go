package acp

import (
	"fmt"
	"testing"

	"cookoff/internal/oneline"
)

// FuzzLines: no line of an agent's breaks its client.
func FuzzLines(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"id":null,"method":"x"}`,
		`{"id":"a","method":"session/request_permission","params":{"options":[{"kind":"allow_once"}]}}`,
		`{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"1","rawInput":[1]}}}`,
		oneline.Of(`{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update",
			"toolCallId":1,"status":"failed","content":"x"}}}`), `[`, `0`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		calls := &Calls{Began: func(c *Call) {
			if c.Name == "" {
				t.Error("a call without a name")
			}
		}, Ended: func(*Call) {}}
		c := &Client{out: make(chan []byte, 8), pending: map[int]chan answer{}, finished: make(chan struct{}),
			opt: Options{Update: func(u Update) {
				if u.Tool != nil {
					calls.Take(u.Tool)
				}
			}}}
		c.take([]byte(line))
		calls.Close()
	})
}

// TestManyCalls: an agent that makes up calls without end fills no memory.
func TestManyCalls(t *testing.T) {
	n := 0
	calls := &Calls{Began: func(*Call) { n++ }, Ended: func(*Call) {}}
	for i := range 2 * maxCalls {
		calls.Take(&ToolUpdate{ID: fmt.Sprint(i), Status: "completed"})
	}
	calls.Close()
	if n != maxCalls {
		t.Errorf("%d calls", n)
	}
}
