// Package acptest is an agent for tests: a small real one, which asks its model by
// Chat Completions and runs commands, and misbehaves in the ways that agents do. A
// test binary becomes it by calling Main.
package acptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Command is the first argument of a test binary that is to be the agent; the second
// names the play.
const Command = "fake-agent"

// Main plays the agent, and gives its exit status: args are what follows Command.
// Its model is asked at $FAKE_BASE_URL, as $FAKE_MODEL, with $FAKE_TOKEN.
func Main(args []string) int {
	play := ""
	if len(args) > 0 {
		play = args[0]
	}
	a := &agent{play: play, out: os.Stdout, answers: map[string]chan json.RawMessage{}}
	if rest, ok := strings.CutPrefix(play, "exec"); ok {
		return a.exec(rest, args[1:])
	}
	return a.serve(os.Stdin)
}

// agent is one, with one session.
type agent struct {
	play string

	mu      sync.Mutex
	out     io.Writer
	last    int
	answers map[string]chan json.RawMessage
	cancel  bool
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (a *agent) is(plays ...string) bool {
	for _, p := range plays {
		if a.play == p {
			return true
		}
	}
	return false
}

func (a *agent) write(v any) {
	b, _ := json.Marshal(v)
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.out.Write(append(b, '\n'))
}

// serve answers the client until it closes its side.
func (a *agent) serve(in io.Reader) int {
	switch {
	case a.is("no-protocol"):
		fmt.Println("usage: fake-agent [--help]")
		return 2
	case a.is("banner"):
		fmt.Println("Welcome!\n{\"level\":\"info\",\"msg\":\"starting\"}\n[1,2]\nnull")
	case a.is("flood"):
		line := strings.Repeat("y", 1<<16) + "\n"
		for {
			if _, err := os.Stdout.WriteString(line); err != nil {
				return 1
			}
		}
	case a.is("long-line"):
		fmt.Print(strings.Repeat("y", 20<<20) + "\n")
	case a.is("silent"):
		_, _ = io.Copy(io.Discard, in)
		return 0
	case a.is("stubborn", "endless"):
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	case a.is("deaf"):
		for {
			time.Sleep(time.Hour)
		}
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var m message
		if json.Unmarshal(line, &m) == nil {
			a.take(m)
		}
	}
	for a.is("stubborn", "endless") {
		time.Sleep(time.Hour)
	}
	return 0
}

// take handles one message of the client: an answer to a request of the agent, or a
// request.
func (a *agent) take(m message) {
	switch {
	case m.Method == "":
		a.mu.Lock()
		to := a.answers[string(m.ID)]
		a.mu.Unlock()
		if to != nil {
			if m.Error != nil {
				m.Result = m.Error
			}
			to <- m.Result
		}
	case m.Method == "session/cancel":
		a.mu.Lock()
		a.cancel = true
		a.mu.Unlock()
	case m.ID != nil && m.Method == "session/prompt":
		go a.prompt(m)
	case m.ID != nil:
		a.answer(m)
	}
}

func (a *agent) reply(m message, result any) {
	a.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

func (a *agent) fail(m message, code int, text string) {
	a.write(map[string]any{"jsonrpc": "2.0", "id": m.ID,
		"error": map[string]any{"code": code, "message": text, "data": map[string]string{"details": "see above"}}})
}

// answer replies to one message of the client as a good agent does, but for the fault that
// the agent was started with.
func (a *agent) answer(m message) {
	switch m.Method {
	case "initialize":
		version := 1
		if a.is("version-2") {
			version = 2
		}
		a.reply(m, map[string]any{"protocolVersion": version,
			"agentInfo":         map[string]string{"name": "fake", "version": "1.2.3"},
			"authMethods":       []any{map[string]string{"id": "login", "name": "Log in"}},
			"agentCapabilities": map[string]any{"mcpCapabilities": map[string]bool{"http": true}}})
	case "session/new":
		switch {
		case a.is("login"):
			a.fail(m, -32000, "Authentication required")
			return
		case a.is("no-session"):
			a.reply(m, map[string]any{})
			return
		}
		a.reply(m, map[string]any{"sessionId": "s1", "modes": map[string]any{"currentModeId": "ask",
			"availableModes": []any{map[string]string{"id": "ask", "name": "Ask"},
				map[string]string{"id": "yolo", "name": "Never ask"}}}})
		a.update(map[string]any{"sessionUpdate": "available_commands_update",
			"availableCommands": []any{strings.Repeat("x", 600_000)}})
		a.write(map[string]any{"jsonrpc": "2.0", "method": "fake/notify", "params": map[string]string{}})
	case "session/set_mode":
		if a.is("no-mode") {
			a.fail(m, -32603, "not in an untrusted folder")
			return
		}
		a.reply(m, map[string]any{})
	default:
		a.fail(m, -32601, "method not found")
	}
}

func (a *agent) update(u map[string]any) {
	a.write(map[string]any{"jsonrpc": "2.0", "method": "session/update",
		"params": map[string]any{"sessionId": "s1", "update": u}})
}

func (a *agent) say(kind, text string) {
	a.update(map[string]any{"sessionUpdate": kind, "content": map[string]string{"type": "text", "text": text}})
}

// ask makes a request of the client, numbered from 0 as its own are from 1.
func (a *agent) ask(method string, params any) json.RawMessage {
	to := make(chan json.RawMessage, 1)
	a.mu.Lock()
	id := fmt.Sprint(a.last)
	a.last++
	a.answers[id] = to
	a.mu.Unlock()
	a.write(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
	return <-to
}

func (a *agent) cancelled() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cancel
}
