package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// scriptedServer answers requests over HTTP by hand.
type scriptedServer struct {
	answer func(m message, r *http.Request) string // a result; "" refuses the method
	events []string                                // written as events before each answer, if there are any

	mu      sync.Mutex
	methods []string // of the messages that came
	refused []string // answers that this client gave to requests of the server
}

func (s *scriptedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m message
	_ = json.NewDecoder(r.Body).Decode(&m)
	s.mu.Lock()
	if m.Method == "" && m.Error != nil {
		s.refused = append(s.refused, m.Error.Message)
	}
	s.methods = append(s.methods, strings.TrimSpace(r.Method+" "+m.Method))
	s.mu.Unlock()
	if m.Method == "" || !m.hasID() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
	if result := s.answer(m, r); result != "" {
		body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}
	if len(s.events) == 0 {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range append(s.events, body) {
		fmt.Fprintf(w, ": a comment\nevent: message\ndata: %s\r\n\r\n", e)
	}
}

const oneTool = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`

// TestServerWithoutHandshake: a server of the newest revision knows no
// initialize, and wants to be told in each request who asks.
func TestServerWithoutHandshake(t *testing.T) {
	s := &scriptedServer{answer: func(m message, r *http.Request) string {
		params, _ := json.Marshal(m.Params)
		switch {
		case m.Method == "initialize":
			return ""
		case !strings.Contains(string(params), mcp.ProtocolVersion20260728),
			r.Header.Get(versionField) != mcp.ProtocolVersion20260728,
			r.Header.Get(mcp.HeaderMethod) != m.Method:
			t.Errorf("%s: params %s, header %v", m.Method, params, r.Header)
		case m.Method == "tools/list":
			return oneTool
		case m.Method == "tools/call":
			return `{"content":[{"type":"text","text":"done"}]}`
		}
		return `{}`
	}}
	h := httptest.NewServer(s)
	defer h.Close()
	x := open(t, nil, Server{Name: "web", URL: h.URL}, time.Minute)
	if res, bad := call(t, x, "t", `{}`); res.Text != "done" {
		t.Errorf("call: %q %s", res.Text, bad)
	}
}

// TestEventStream: what a server says and asks before its answer is heard, and
// a session is ended.
func TestEventStream(t *testing.T) {
	s := &scriptedServer{
		answer: func(m message, r *http.Request) string {
			switch m.Method {
			case "initialize":
				return `{"protocolVersion":"2025-06-18","capabilities":{}}`
			case "tools/list":
				return oneTool
			}
			return `{"content":[{"type":"text","text":"done"}]}`
		},
		events: []string{`{"jsonrpc":"2.0","method":"notifications/progress"}`,
			`{"jsonrpc":"2.0","id":7,"method":"roots/list"}`, `no JSON`, `{"jsonrpc":"2.0","id":999,"result":{}}`},
	}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(sessionField, "abc")
		s.ServeHTTP(w, r)
	}))
	defer h.Close()
	x := open(t, nil, Server{Name: "web", URL: h.URL}, time.Minute)
	if res, bad := call(t, x, "t", `{}`); res.Text != "done" {
		t.Errorf("call: %q %s", res.Text, bad)
	}
	x.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refused) == 0 || s.refused[0] != "this client has no method roots/list" {
		t.Errorf("the server heard %q", s.refused)
	}
	if last := s.methods[len(s.methods)-1]; last != "DELETE" {
		t.Errorf("messages %q: the session was not ended", s.methods)
	}
}

// TestHTTPAnswers that are no answers are errors of the server, in words.
func TestHTTPAnswers(t *testing.T) {
	check := func(status int, kind, body, want string) {
		t.Helper()
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		defer h.Close()
		if _, err := Probe(t.Context(), nil, Server{Name: "web", URL: h.URL}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%d %s %q: %v, want %q", status, kind, body, err, want)
		}
	}
	check(404, "text/plain", "no\x1b[2Jpage", `the server answered with the status 404 Not Found: no\x1b[2Jpage`)
	check(200, "text/html", "<p>", `the server answers with "text/html", want application/json or text/event-stream`)
	check(200, "application/json", "<p>", "invalid character")
	check(200, "text/event-stream", "data: {}\n\n", "the server closed the connection")
	check(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1999-01-01"}}`,
		`it speaks version "1999-01-01" of the protocol`)
	check(200, "application/json", strings.Repeat(" ", maxFrame+1), "a message of more than 8 MiB")
}
