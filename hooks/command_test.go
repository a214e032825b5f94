package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cookoff/internal/oneline"
	"cookoff/sandbox"

	"github.com/google/go-cmp/cmp"
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
		if err != nil || d.Allow != want.Allow || d.Halt != want.Halt || d.Reason != want.Reason ||
			d.Context != want.Context || string(d.Args) != string(want.Args) {
			t.Errorf("%s: %+v, %v; want %+v", name, d, err, want)
		}
	}
	out := func(s string) sandbox.Result { return sandbox.Result{Stdout: []byte(s)} }
	check("silent", false, out(""), Decision{Allow: true}, "")
	check("plain output is not injected unasked", false, out("hello\n"), Decision{Allow: true}, "")
	check("plain output injected", true, out("hello\n"), Decision{Allow: true, Context: "hello"}, "")
	check("exit 2 denies", false, sandbox.Result{Exit: 2, Stderr: []byte("not today\n")}, Decision{Reason: "not today"},
		"")
	check("denies in JSON", false, out(`{"decision":"deny","reason":"no"}`), Decision{Reason: "no"}, "")
	check("halts", false, out(`{"decision":"halt","reason":"enough"}`), Decision{Halt: true, Reason: "enough"}, "")
	check("rewrites", false, out(`{"args":{"command":"pwd"}}`),
		Decision{Allow: true, Args: json.RawMessage(`{"command":"pwd"}`)}, "")
	check("adds context", false, out(`{"context":"mind the gap"}`), Decision{Allow: true, Context: "mind the gap"}, "")
	check("any other status fails closed", false, sandbox.Result{Exit: 1}, Decision{}, "exit status 1")
	check("what broke is told", false, sandbox.Result{Exit: 127, Stderr: []byte("note\nsh: 1: jq: not found\n")},
		Decision{}, `exit status 127: 0 allows, 2 denies; it wrote "sh: 1: jq: not found"`)
	check("briefly", false, sandbox.Result{Exit: 1, Stderr: bytes.Repeat([]byte("x"), 300)}, Decision{},
		`exit status 1: 0 allows, 2 denies; it wrote "`+strings.Repeat("x", maxLastWords)+`"`)
	check("a timeout fails closed", false, sandbox.Result{Exit: 124, Reason: "timeout"}, Decision{}, "timeout")
	check("a signal fails closed", false, sandbox.Result{Exit: 137, Signal: "SIGKILL"}, Decision{}, "SIGKILL")
	check("broken JSON fails closed", false, out(`{"decision":`), Decision{}, "no decision")
	check("two decisions fail closed", false, out(`{"decision":"allow"} {"decision":"deny"}`), Decision{},
		"more follows")
	check("output cut short fails closed", false, sandbox.Result{Stdout: []byte(`{"context":"a"}`), Cut: 9}, Decision{},
		"too long")
	check("an unknown key fails closed", false, out(`{"decison":"deny"}`), Decision{}, "decison")
	check("an unknown decision fails closed", false, out(`{"decision":"blocked"}`), Decision{},
		"allowed: allow, deny, halt")
	check("args that are no object", false, out(`{"args":[1]}`), Decision{}, "no JSON object")
	check("arguments, as the word is", false, out(`{"arguments":{"command":"pwd"}}`),
		Decision{Allow: true, Args: json.RawMessage(`{"command":"pwd"}`)}, "")
	check("Claude Code: blocks", false, out(`{"decision":"block","reason":"no"}`), Decision{Reason: "no"}, "")
	check("Claude Code: approves", false, out(`{"decision":"approve","suppressOutput":true}`), Decision{Allow: true},
		"")
	check("Claude Code: denies", false,
		out(oneline.Of(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",
			"permissionDecisionReason":"no"}}`)), Decision{Reason: "no"}, "")
	check("Claude Code: rewrites", false,
		out(oneline.Of(`{"hookSpecificOutput":{"hookEventName":"PreToolUse",
			"permissionDecision":"allow","updatedInput":{"command":"pwd"},
			"additionalContext":"x"}}`)),
		Decision{Allow: true, Args: json.RawMessage(`{"command":"pwd"}`), Context: "x"}, "")
	check("Claude Code: ends it", false, out(`{"continue":false,"stopReason":"enough"}`),
		Decision{Halt: true, Reason: "enough"}, "")
	check("Claude Code: nobody can be asked", false, out(`{"hookSpecificOutput":{"permissionDecision":"ask"}}`),
		Decision{}, "nobody who could be asked")
	check("Claude Code: of another event", false, out(`{"hookSpecificOutput":{"hookEventName":"Stop"}}`), Decision{},
		`is of "Stop"`)
	check("a denial beats an approval", false,
		out(`{"decision":"approve","hookSpecificOutput":{"permissionDecision":"deny"}}`), Decision{}, "")
}

// TestWhatCommandsAreTold is what hooks read, by event. Scripts rely on it.
func TestWhatCommandsAreTold(t *testing.T) {
	check := func(e Event, want string) {
		t.Helper()
		sb := &shell{}
		e.Sandbox = sb
		if _, err := NewCommand(CommandConfig{Command: "x"}).Decide(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, strings.TrimSpace(string(sb.ran.Stdin))); d != "" {
			t.Errorf("%s: %s", e.Point, d)
		}
		if !slices.Contains(sb.ran.Env, "CLAUDE_PROJECT_DIR=/work") {
			t.Errorf("%s: environment %q", e.Point, sb.ran.Env)
		}
	}
	const none = `"tool":"","args":null,"result":"",`
	args := json.RawMessage(`{"command":"a && b"}`)
	check(Event{Point: SessionStart}, `{"event":"session_start",`+none+
		`"hook_event_name":"SessionStart","session_id":"trial","cwd":"/work","source":"startup"}`)
	check(Event{Point: SessionStart, Resumed: true},
		`{"event":"session_start",`+none+
			`"hook_event_name":"SessionStart","session_id":"trial","cwd":"/work","source":"resume"}`)
	check(Event{Point: PrePrompt, Prompt: "mend it"},
		`{"event":"pre_prompt",`+none+
			`"prompt":"mend it","hook_event_name":"UserPromptSubmit","session_id":"trial","cwd":"/work"}`)
	check(Event{Point: PostResponse, LastReply: "so", Calls: []Call{{"bash", args}}},
		`{"event":"post_response",`+none+
			oneline.Of(`"said":"so","calls":[{"name":"bash","args":{"command":"a && b"}}],
				"hook_event_name":"post_response","session_id":"trial","cwd":"/work"}`))
	check(Event{Point: PreToolUse, Tool: "bash", CallID: "c1", Args: args},
		oneline.Of(`{"event":"pre_tool_use","tool":"bash","args":{"command":"a && b"},"result":"",
			"hook_event_name":"PreToolUse","session_id":"trial","cwd":"/work","tool_name":"bash",
			"tool_input":{"command":"a && b"},"tool_use_id":"c1"}`))
	check(Event{Point: PostToolUse, Tool: "bash", CallID: "c1", Args: args, Result: "ok", Agent: "1"},
		oneline.Of(`{"event":"post_tool_use","tool":"bash","args":{"command":"a && b"},"result":"ok",
			"hook_event_name":"PostToolUse","session_id":"trial","cwd":"/work","tool_name":"bash",
			"tool_input":{"command":"a && b"},"tool_use_id":"c1","tool_response":"ok",
			"agent_id":"1"}`))
	check(Event{Point: ContextCompact, Trigger: "auto"},
		`{"event":"context_compact",`+none+
			`"trigger":"auto","hook_event_name":"PreCompact","session_id":"trial","cwd":"/work"}`)
	check(Event{Point: SubagentStart, Agent: "1", Mode: "scout", Prompt: "look"},
		`{"event":"subagent_start",`+none+
			oneline.Of(`"mode":"scout","prompt":"look","hook_event_name":"SubagentStart",
				"session_id":"trial","cwd":"/work","agent_id":"1","agent_type":"scout"}`))
	check(Event{Point: SubagentStop, Agent: "1", LastReply: "seen"},
		`{"event":"subagent_stop",`+none+
			oneline.Of(`"said":"seen","hook_event_name":"SubagentStop","session_id":"trial",
				"cwd":"/work","agent_id":"1","last_assistant_message":"seen",
				"stop_hook_active":false}`))
	check(Event{Point: PreVerify, LastReply: "done", Stop: "done", Again: true},
		`{"event":"pre_verify",`+none+
			oneline.Of(`"said":"done","stop":"done","hook_event_name":"Stop","session_id":"trial",
				"cwd":"/work","last_assistant_message":"done","stop_hook_active":true}`))
	check(Event{Point: SessionEnd, Stop: "max_steps"},
		`{"event":"session_end",`+none+
			`"stop":"max_steps","hook_event_name":"SessionEnd","session_id":"trial","cwd":"/work","reason":"max_steps"}`)
}

func TestOnlyOneEventHasArgumentsToChange(t *testing.T) {
	sb := &shell{result: sandbox.Result{Stdout: []byte(`{"args":{}}`)}}
	_, err := NewCommand(CommandConfig{Command: "x"}).Decide(t.Context(), Event{Point: PostToolUse, Sandbox: sb})
	if err == nil || !strings.Contains(err.Error(), "only pre_tool_use can") {
		t.Errorf("%v", err)
	}
}

func TestMatchers(t *testing.T) {
	check := func(e Event, matcher string, want bool) {
		t.Helper()
		if e.Matches(matcher) != want {
			t.Errorf("%s with matcher %q: %v", e.Point, matcher, !want)
		}
	}
	tool := Event{Point: PreToolUse, Tool: "write_file"}
	check(tool, "", true)
	check(tool, "*", true)
	check(tool, "write_file", true)
	check(tool, "edit_file | write_*", true)
	check(tool, "edit_file|bash", false)
	check(tool, "file", false)
	check(Event{Point: ContextCompact, Trigger: "auto"}, "manual", false)
	check(Event{Point: SubagentStart, Mode: "scout", Tool: "x"}, "scout", true)
	check(Event{Point: SessionEnd, Stop: "done"}, "done", false)
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"decision":"deny","reason":"no"}`))
	f.Add(
		[]byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{}}}`))
	f.Fuzz(func(t *testing.T, out []byte) {
		d, err := read(PreToolUse, out)
		if err != nil && (d.Allow || d.Halt) {
			t.Errorf("%q is allowed in spite of %v", out, err)
		}
		if d.Halt && d.Allow {
			t.Errorf("%q both halts and allows", out)
		}
		if d.Args != nil && !json.Valid(d.Args) {
			t.Errorf("%q gives arguments that are no JSON", out)
		}
	})
}
