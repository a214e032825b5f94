// Package openaitest is an OpenAI-compatible server on the loopback that does
// what a test or an example wrote down: it replies, streamed or not as it is
// asked to, and it fails in every way that real providers do. Agents may ask it in
// their own dialects.
package openaitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Request is one request as the server saw it.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte

	dialect *dialect // nil: the path has none

	// Of the body: what most answers follow from, whatever the dialect.
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools"`
}

// Message is a message of a request.
type Message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []Call `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

// UnmarshalJSON reads a message, whose content may be text or parts of it.
func (m *Message) UnmarshalJSON(b []byte) error {
	type plain Message
	var parts struct {
		plain
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	*m = Message(parts.plain)
	var list []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(parts.Content, &list) == nil {
		for _, p := range list {
			m.Content += p.Text
		}
		return nil
	}
	if len(parts.Content) == 0 {
		return nil
	}
	return json.Unmarshal(parts.Content, &m.Content)
}

// Tool is a tool that a request offers.
type Tool struct {
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Call is a tool call on the wire.
type Call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function Function `json:"function"`
}

// Function is what a tool call calls.
type Function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Server answers requests; URL is the base URL to ask it at. It is safe for
// concurrent use.
type Server struct {
	URL string

	http     *httptest.Server
	answer   func(n int, r *Request) Step
	released chan struct{}
	release  func()

	mu       sync.Mutex
	requests []*Request
	broken   []error
	left     func(asked int) int
	list     Step // answers GET /v1/models, which counts as no request
	words    bool // the steps answer a preflight's word, too
}

// Words makes the steps answer the word that a preflight asks for, too. Before, the
// server says ok to it, which counts as no request.
func (s *Server) Words() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.words = true
}

// looks reports whether a request is a preflight's: it offers the tool that does nothing.
func (r *Request) looks() bool { return len(r.Tools) == 1 && r.Tools[0].Function.Name == "look" }

// List makes the server answer GET /v1/models with step. Before, it lists "model"
// and "test-model".
func (s *Server) List(step Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = step
}

// Models is a list of models, for List.
func Models(names ...string) Step {
	return func(a *answer) {
		data := []any{}
		for _, n := range names {
			data = append(data, map[string]any{"id": n, "object": "model"})
		}
		a.json(http.StatusOK, map[string]any{"object": "list", "data": data})
	}
}

// New starts a server that plays its steps, one a request, in the order in
// which requests come. A request beyond the last is answered with status 400,
// and makes Check fail. Close ends it.
func New(steps ...Step) *Server {
	s := NewFunc(func(n int, r *Request) Step {
		if n > len(steps) {
			return nil
		}
		return steps[n-1]
	})
	s.left = func(asked int) int { return len(steps) - asked }
	return s
}

// NewFunc starts a server whose steps follow from the request and its number,
// from 1; a nil step is a request that was not expected. answer must be safe
// for concurrent use.
func NewFunc(answer func(n int, r *Request) Step) *Server {
	s := &Server{list: Models("model", "test-model"), answer: answer, released: make(chan struct{}),
		left: func(int) int { return 0 }}
	s.release = sync.OnceFunc(func() { close(s.released) })
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL + "/v1"
	return s
}

// Release lets everything that stalls go on: the connection ends.
func (s *Server) Release() { s.release() }

// Close ends what stalls and stops the server.
func (s *Server) Close() {
	s.Release()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Requests gives what was asked so far, in order.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Check tells what went against the script: requests that were not expected
// and steps that nobody asked for. Tests call it at the end.
func (s *Server) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := errors.Join(s.broken...)
	if left := s.left(len(s.requests)); left > 0 {
		err = errors.Join(err, fmt.Errorf("%d steps are left", left))
	}
	return err
}

// ServeHTTP plays the step of a request to POST /v1/chat/completions, /v1/responses,
// /v1/messages or Gemini's /v1/models/MODEL:generateContent, and lists the models.
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	if hr.Method == http.MethodGet && hr.URL.Path == "/v1/models" {
		s.mu.Lock()
		step := s.list
		s.mu.Unlock()
		step(&answer{server: s, w: w, r: &Request{Path: hr.URL.Path, Header: hr.Header.Clone()}, http: hr})
		return
	}
	body, err := io.ReadAll(hr.Body)
	if errors.Is(err, io.ErrUnexpectedEOF) { // who asked has left before all of it was sent: nothing was asked
		panic(http.ErrAbortHandler)
	}
	r := &Request{Path: hr.URL.Path, Header: hr.Header.Clone(), Body: body, dialect: dialectOf(hr.URL.Path)}
	if err == nil {
		err = r.read()
	}
	s.mu.Lock()
	if err == nil && !s.words && r.looks() {
		s.mu.Unlock()
		Text("ok")(&answer{server: s, w: w, r: r, http: hr})
		return
	}
	s.requests = append(s.requests, r)
	n := len(s.requests)
	s.mu.Unlock()
	var step Step
	if err == nil {
		step = s.answer(n, r)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("request %d is no JSON: %w", n, err)
	case hr.Method != http.MethodPost || r.dialect == nil:
		err = fmt.Errorf("request %d asks for %s %s", n, hr.Method, r.Path)
	case step == nil:
		err = fmt.Errorf("request %d was not expected:\n%s", n, body)
	}
	if err != nil {
		s.mu.Lock()
		s.broken = append(s.broken, err)
		s.mu.Unlock()
		step = Status(http.StatusBadRequest, Error("", err.Error()))
	}
	step(&answer{server: s, w: w, r: r, http: hr})
}

// read fills in what the body says.
func (r *Request) read() error {
	if r.dialect == nil || r.dialect.read == nil {
		return json.Unmarshal(r.Body, r)
	}
	var of struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	if err := json.Unmarshal(r.Body, &of); err != nil {
		return err
	}
	r.Model, r.Stream = of.Model, of.Stream
	return r.dialect.read(r)
}

// Text gives the content of the last message of a role, "" when there is none.
func (r *Request) Text(role string) string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == role {
			return m.Content
		}
	}
	return ""
}

// Error gives the body of an error as OpenAI words it.
func Error(code, text string) string {
	b, err := json.Marshal(map[string]any{"error": map[string]any{"code": code, "type": "invalid_request_error",
		"message": text}})
	if err != nil { // strings always encode
		panic(err)
	}
	return strings.TrimSpace(string(b))
}
