package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"cookoff/model"
	"cookoff/model/openai/openaitest"
)

// endpointState is the endpoint of one script.
type endpointState struct {
	running *exec.Cmd // what was running in the background when the endpoint was reached
	server  *openaitest.Server
	asked   chan int // how many requests there were so far, each time one comes
}

type endpointKey struct{}

// endpoint is "endpoint FILE": a provider on the loopback that answers each
// request with the next line of FILE, the last one for ever. Lines are
//
//	text WORDS             an answer
//	call TOOL JSON         a tool call
//	status N [NAME=VALUE]  an error with a header
//	error N WORDS          an error in these words
//	body TEXT              status 200 and a body that is no JSON
//	cut                    the connection ends in the middle
//	stall                  nothing, until the client gives up
//
// OPENAI_BASE_URL and OPENAI_API_KEY lead there. "endpoint refuse" leads to a
// port where nobody listens.
func endpoint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: endpoint FILE|refuse")
	}
	ts.Setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
	if args[0] == "refuse" {
		s := openaitest.New()
		s.Close()
		ts.Setenv("OPENAI_BASE_URL", s.URL)
		return
	}
	var steps []openaitest.Step
	lines := bufio.NewScanner(strings.NewReader(ts.ReadFile(args[0])))
	for n := 1; lines.Scan(); n++ {
		steps = append(steps, parseStep(ts, n, lines.Text()))
	}
	state := ts.Value(endpointKey{}).(*endpointState)
	state.asked = make(chan int, 1000)
	state.server = openaitest.NewFunc(func(n int, _ *openaitest.Request) openaitest.Step {
		state.asked <- n
		return steps[min(n, len(steps))-1]
	})
	state.server.List(openaitest.Models("test-model", "gpt-4o"))
	ts.Defer(state.server.Close)
	ts.Setenv("OPENAI_BASE_URL", state.server.URL)
}

func parseStep(ts *testscript.TestScript, n int, line string) openaitest.Step {
	verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch verb {
	case "text":
		return openaitest.Text(rest)
	case "call":
		tool, args, _ := strings.Cut(rest, " ")
		return openaitest.Calls(model.Call{ID: "call_" + strconv.Itoa(n), Name: tool, Arguments: args})
	case "status":
		f := strings.Fields(rest)
		code, err := strconv.Atoi(f[0])
		ts.Check(err)
		var headers []string
		for _, h := range f[1:] {
			name, value, _ := strings.Cut(h, "=")
			headers = append(headers, name, value)
		}
		return openaitest.Status(code, openaitest.Error("", http.StatusText(code)), headers...)
	case "error":
		number, words, _ := strings.Cut(rest, " ")
		code, err := strconv.Atoi(number)
		ts.Check(err)
		return openaitest.Status(code, openaitest.Error("", words))
	case "as": // another model says that it answers
		other, text, _ := strings.Cut(rest, " ")
		return openaitest.Reply(model.Reply{Served: other, Message: model.Message{Content: text},
			Finish: model.FinishStop, Usage: model.Usage{Input: 100, Output: 10, Known: true}})
	case "body":
		return openaitest.Raw("application/json", rest)
	case "cut":
		return openaitest.Cut(model.Reply{Message: model.Message{Content: "half an answer that is never finished"}})
	case "stall":
		return openaitest.Stall()
	}
	ts.Fatalf("line %d: no such step: %q", n, line)
	return nil
}

// lists is "lists MODEL...": the endpoint says that it has these; "lists status N"
// fails with a status, and "lists" alone leaves the list as it is. After any of them the
// file of "endpoint" answers a preflight's word, too.
func lists(ts *testscript.TestScript, neg bool, args []string) {
	server := ts.Value(endpointKey{}).(*endpointState).server
	server.Words()
	if len(args) == 0 {
		return
	}
	if len(args) == 2 && args[0] == "status" {
		code, err := strconv.Atoi(args[1])
		ts.Check(err)
		server.List(openaitest.Status(code, openaitest.Error("", http.StatusText(code))))
		return
	}
	server.List(openaitest.Models(args...))
}

// asked is "asked N": the endpoint has had exactly N requests.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := len(ts.Value(endpointKey{}).(*endpointState).server.Requests()); (got == want) == neg {
		ts.Fatalf("the endpoint was asked %d times, want %d", got, want)
	}
}

// reached is "reached N": it waits until the endpoint has had N requests.
func reached(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	state := ts.Value(endpointKey{}).(*endpointState)
	for n := 0; n < want; {
		select {
		case n = <-state.asked:
		case <-time.After(hung):
			ts.Fatalf("the endpoint was asked %d times in %v, want %d", n, hung, want)
		}
	}
	watch(ts, false, nil)
}

// watch remembers what runs in the background, for "ended" and "sigterm".
func watch(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Value(endpointKey{}).(*endpointState).running = ts.BackgroundCmds()[0]
}

// sigterm sends SIGTERM to what is running.
func sigterm(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Value(endpointKey{}).(*endpointState).running.Process.Signal(syscall.SIGTERM))
}

// ended is "ended N", after wait: what was running ended by itself with exit
// code N.
func ended(ts *testscript.TestScript, _ bool, args []string) {
	if got := strconv.Itoa(ts.Value(endpointKey{}).(*endpointState).running.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// gone is "gone WORD": no process of the machine has WORD in its command line,
// but this one. One that was killed a moment ago may still have it.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		found := having(ts, args[0])
		if found == "" {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("still there: %s", found)
		}
	}
}

// there waits until a process has the word in its command line.
func there(ts *testscript.TestScript, _ bool, args []string) {
	for end := time.Now().Add(time.Minute); having(ts, args[0]) == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("no process of %s in a minute", args[0])
		}
	}
}

// having gives a process that has the word in its command line.
func having(ts *testscript.TestScript, word string) string {
	procs, err := os.ReadDir("/proc")
	ts.Check(err)
	for _, p := range procs {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		line, err := os.ReadFile("/proc/" + p.Name() + "/cmdline")
		if err == nil && strings.Contains(string(line), word) {
			return fmt.Sprintf("process %s: %q", p.Name(), line)
		}
	}
	return ""
}
