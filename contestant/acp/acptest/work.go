package acptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// prompt works on a task, and answers the prompt in the manner of the play.
func (a *agent) prompt(m message) {
	var p struct {
		Prompt []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	}
	_ = json.Unmarshal(m.Params, &p)
	task := ""
	for _, b := range p.Prompt {
		task += b.Text
	}
	if a.misbehave() {
		return
	}
	err := a.work(task, a.tool)
	if a.is("crash-after") {
		fmt.Fprintln(os.Stderr, "fake: lost the thread")
		os.Exit(3)
	}
	if a.is("late") {
		defer a.say("agent_message_chunk", "too late")
	}
	stop := "end_turn"
	switch {
	case a.cancelled():
		stop = "cancelled"
	case err != nil && a.is("swallow"):
		a.say("agent_message_chunk", "Error: "+err.Error())
	case err != nil && a.is("code-400"):
		a.fail(m, 400, err.Error())
		return
	case err != nil:
		a.fail(m, -32603, err.Error())
		return
	}
	a.reply(m, map[string]any{"stopReason": stop, "usage": nil,
		"_meta": map[string]any{"quota": map[string]int{"tokens": 1e6}}})
}

// misbehave does what the play has in the place of work, and reports whether that is
// all.
func (a *agent) misbehave() bool {
	switch {
	case a.is("crash"):
		fmt.Fprintln(os.Stderr, "fake: segmentation fault\nfake: core dumped")
		os.Exit(139)
	case a.is("close"):
		os.Exit(0)
	case a.is("garbage"):
		_, _ = os.Stdout.WriteString("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":\n")
		os.Exit(1)
	case a.is("hang", "endless"):
		return true
	case a.is("give-up"):
	case a.is("ask-back"):
		got := a.ask("craft/drainMidTurnQueue", map[string]string{"sessionId": "s1"})
		if !strings.Contains(string(got), "-32601") {
			os.Exit(4)
		}
		if got := a.ask("fs/read_text_file", map[string]string{"path": "/etc/passwd"}); !strings.Contains(string(got),
			"-32601") {
			os.Exit(5)
		}
		if got := a.ask("elicitation/create", map[string]string{}); !strings.Contains(string(got), "decline") {
			os.Exit(6)
		}
	}
	return false
}

// work asks the model and runs the commands that it wants.
func (a *agent) work(task string, run func(id, command string) (string, bool)) error {
	if a.is("give-up") {
		return nil
	}
	if a.is("helper") {
		if _, err := a.model("tiny-title-model", []any{user("Give this a title: " + task)}, false); err != nil {
			return err
		}
	}
	if a.is("hostile") {
		_ = os.WriteFile("/tmp/attempts", []byte(a.attack()), 0o644)
	}
	msgs := []any{map[string]any{"role": "system", "content": "You mend things."}, user(task)}
	for !a.cancelled() {
		r, err := a.model(os.Getenv("FAKE_MODEL"), msgs, true)
		if err != nil && a.is("retry") {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		msgs = append(msgs, r)
		if r.Content != "" {
			a.say("agent_message_chunk", r.Content)
		}
		if len(r.Calls) == 0 {
			return nil
		}
		for _, c := range r.Calls {
			var args struct {
				Command string `json:"command"`
			}
			_ = json.Unmarshal([]byte(c.Function.Arguments), &args)
			out, ok := run(c.ID, args.Command)
			if !ok {
				return nil
			}
			msgs = append(msgs, map[string]any{"role": "tool", "tool_call_id": c.ID, "content": out})
		}
	}
	return nil
}

func user(text string) any { return map[string]any{"role": "user", "content": text} }

type reply struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Calls   []call `json:"tool_calls,omitempty"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// model makes one request, without a stream.
func (a *agent) model(name string, msgs []any, tools bool) (*reply, error) {
	body := map[string]any{"model": name, "messages": msgs}
	if tools {
		body["tools"] = []any{map[string]any{"type": "function",
			"function": map[string]any{"name": "bash", "description": "Run a command.",
				"parameters": map[string]any{"type": "object",
					"properties": map[string]any{"command": map[string]string{"type": "string"}}}}}}
	}
	if most, err := strconv.Atoi(os.Getenv("FAKE_MAX_TOKENS")); err == nil {
		body["max_tokens"] = most
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, os.Getenv("FAKE_BASE_URL")+"/chat/completions", bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("FAKE_TOKEN"))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d: %s", resp.StatusCode, text)
	}
	var r struct {
		Choices []struct {
			Message reply `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(text, &r); err != nil || len(r.Choices) == 0 {
		return nil, fmt.Errorf("no reply in %s", text)
	}
	return &r.Choices[0].Message, nil
}

// shell runs a command and gives what it printed.
func shell(command string) (string, bool) {
	out, err := exec.Command("bash", "-c", command).CombinedOutput()
	return string(out), err == nil
}

// tool runs a command, and tells the client of it in the manner of the play. ok is
// false when that was not allowed.
func (a *agent) tool(id, command string) (out string, ok bool) {
	input := map[string]string{"command": command}
	if a.is("permission", "only-permission") {
		got := a.ask("session/request_permission", map[string]any{"sessionId": "s1",
			"toolCall": map[string]any{"toolCallId": id, "title": command, "kind": "execute", "status": "pending",
				"rawInput": input},
			"options": []any{map[string]string{"optionId": "no", "kind": "reject_once"},
				map[string]string{"optionId": "always", "kind": "allow_always", "name": "Yes, and don't ask again"},
				map[string]string{"optionId": "once", "kind": "allow_once", "name": "Yes"}}})
		if !strings.Contains(string(got), "once") {
			return "", false
		}
	}
	switch {
	case a.is("only-permission", "only-end"):
	case a.is("empty-first"):
		a.update(map[string]any{"sessionUpdate": "tool_call", "toolCallId": id, "title": "Terminal", "kind": "execute",
			"status": "pending", "rawInput": map[string]string{}})
		a.update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "rawInput": input, "title": command,
			"content": "of another shape"})
	default:
		a.update(map[string]any{"sessionUpdate": "tool_call", "toolCallId": id, "title": "bash", "name": "bash",
			"kind": "execute", "status": "pending", "rawInput": map[string]string{"cwd": "/work"}})
		a.update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "in_progress",
			"rawInput": input})
	}
	text, well := shell(command)
	if a.is("no-end") {
		return text, true
	}
	u := map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed", "kind": "execute",
		"content": []any{map[string]any{"type": "content", "content": map[string]string{"type": "text", "text": text}}}}
	if a.is("only-end") {
		u["rawInput"] = input
	}
	if !well {
		u["status"] = "failed"
	}
	a.update(u)
	a.update(u) // some say it twice
	return text, true
}

// exec is the agent as one command: the task is its last argument, or "-" and on
// standard input.
func (a *agent) exec(play string, args []string) int {
	task := ""
	if len(args) > 0 {
		task = args[len(args)-1]
	}
	if task == "-" {
		b, _ := io.ReadAll(os.Stdin)
		task = string(b)
	}
	a.play, a.out = strings.TrimPrefix(play, "-"), io.Discard
	if a.is("crash") {
		fmt.Fprintln(os.Stderr, "Traceback: no module named fake")
		return 1
	}
	if a.is("hang") {
		for { // where all goroutines wait for nothing, Go may call it a deadlock and end
			time.Sleep(time.Hour)
		}
	}
	fmt.Println("working on it")
	err := a.work(task, func(_, command string) (string, bool) {
		out, _ := shell(command)
		return out, true
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	fmt.Println("done")
	return 0
}
