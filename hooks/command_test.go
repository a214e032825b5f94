package hooks

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// shell is a sandbox whose only command ends as told.
type shell struct {
	sandbox.Sandbox
	result sandbox.Result
	ran    sandbox.Cmd
}

func (s *shell) Exec(_ context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	s.ran = c
	return s.result, nil
}

func TestCommandDecides(t *testing.T) {
	check := func(name string, inject bool, res sandbox.Result, want Decision, wantErr string) {
		t.Helper()
		sb := &shell{result: res}
		d, err := NewCommand(CommandConfig{Name: "h", Command: "x", InjectOutput: inject}).Decide(t.Context(),
			Event{Point: PreToolUse, Tool: "bash", Args: json.RawMessage(`{"command":"ls"}`), Sandbox: sb})
		if wantErr != "" {
			if err == nil || !strings.Contains(err.Error(), wantErr) || d.Allow {
				t.Errorf("%s: %+v, %v; want error %q", name, d, err, wantErr)
			}
			return
		}
		if err != nil || d.Allow != want.Allow || d.Halt != want.Halt || d.Reason != want.Reason || d.Context != want.Context || string(d.Args) != string(want.Args) {
			t.Errorf("%s: %+v, %v; want %+v", name, d, err, want)
		}
		if in := string(sb.ran.Stdin); in != `{"args":{"command":"ls"},"event":"pre_tool_use","result":"","tool":"bash"}` {
			t.Errorf("%s: standard input %s", name, in)
		}
	}
	out := func(s string) sandbox.Result { return sandbox.Result{Stdout: []byte(s)} }
	check("silent", false, out(""), Decision{Allow: true}, "")
	check("plain output is not injected unasked", false, out("hello\n"), Decision{Allow: true}, "")
	check("plain output injected", true, out("hello\n"), Decision{Allow: true, Context: "hello"}, "")
	check("exit 2 denies", false, sandbox.Result{Exit: 2, Stderr: []byte("not today\n")}, Decision{Reason: "not today"}, "")
	check("denies in JSON", false, out(`{"decision":"deny","reason":"no"}`), Decision{Reason: "no"}, "")
	check("halts", false, out(`{"decision":"halt","reason":"enough"}`), Decision{Halt: true, Reason: "enough"}, "")
	check("rewrites", false, out(`{"args":{"command":"pwd"}}`), Decision{Allow: true, Args: json.RawMessage(`{"command":"pwd"}`)}, "")
	check("adds context", false, out(`{"context":"mind the gap"}`), Decision{Allow: true, Context: "mind the gap"}, "")
	check("any other status fails closed", false, sandbox.Result{Exit: 1}, Decision{}, "exit status 1")
	check("a timeout fails closed", false, sandbox.Result{Exit: 124, Reason: "timeout"}, Decision{}, "timeout")
	check("a signal fails closed", false, sandbox.Result{Exit: 137, Signal: "SIGKILL"}, Decision{}, "SIGKILL")
	check("broken JSON fails closed", false, out(`{"decision":`), Decision{}, "no decision")
	check("two decisions fail closed", false, out(`{"decision":"allow"} {"decision":"deny"}`), Decision{}, "more follows")
	check("output cut short fails closed", false, sandbox.Result{Stdout: []byte(`{"context":"a"}`), Cut: 9}, Decision{}, "too long")
	check("an unknown key fails closed", false, out(`{"decison":"deny"}`), Decision{}, "decison")
	check("an unknown decision fails closed", false, out(`{"decision":"block"}`), Decision{}, "allowed: allow, deny, halt")
	check("args that are no object", false, out(`{"args":[1]}`), Decision{}, "no JSON object")
}
