package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"cookoff/sandbox"
	"cookoff/tools"
)

// conn is one life of a server.
type conn struct {
	server  Server
	client  *client.Client
	prog    *watched // of a stdio server
	tap     *tap
	changed atomic.Bool // the server said that its list did
}

// connect starts a server. Its errors are *StartError, and those of the
// sandbox.
func connect(ctx context.Context, sb sandbox.Sandbox, s Server) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	c := &conn{server: s, tap: &tap{}}
	t, err := c.transport(ctx, sb)
	if err != nil {
		return nil, err
	}
	// No sampling, no roots, no elicitation: a server that asks for them is
	// told that there are none.
	c.client = client.NewClient(t)
	c.client.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == string(mcp.MethodNotificationToolsListChanged) {
			c.changed.Store(true)
		}
	})
	err = c.client.Start(context.WithoutCancel(ctx))
	if err == nil {
		_, err = c.client.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
			ClientInfo: mcp.Implementation{Name: "cookoff", Version: "1"}}})
	}
	if err != nil {
		defer c.close()
		return nil, c.startError(ctx, err)
	}
	return c, nil
}

// transport makes the way to the server.
func (c *conn) transport(ctx context.Context, sb sandbox.Sandbox) (transport.Interface, error) {
	quiet := slog.New(slog.DiscardHandler)
	if c.server.URL != "" {
		h, err := transport.NewStreamableHTTP(c.server.URL, transport.WithHTTPBasicClient(httpClient()), transport.WithHTTPLogger(quiet))
		if err != nil {
			return nil, &StartError{c.server.Name, err}
		}
		return &httpTap{h, c.tap, c.server}, nil
	}
	starter, ok := sb.(sandbox.Starter)
	if !ok {
		return nil, &StartError{c.server.Name, errors.New("this sandbox can't leave a program running")}
	}
	p, err := starter.Start(ctx, sandbox.Cmd{Script: "exec " + c.server.Command})
	var fe *sandbox.FileError
	if errors.As(err, &fe) {
		return nil, &StartError{c.server.Name, err}
	}
	if err != nil {
		return nil, err
	}
	c.prog = &watched{Program: p}
	t := transport.NewIO(c.prog, c.prog, nil)
	transport.WithCommandLogger(quiet)(t)
	return &stdioTap{t, c.tap}, nil
}

// startError says why a server did not come up, with what it wrote.
func (c *conn) startError(ctx context.Context, err error) error {
	if lost := c.lost(); lost != nil {
		return lost
	}
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %v", startTime)
	}
	if deaf(err) { // its end is known once all of its output was read
		c.close()
	}
	return &StartError{c.server.Name, errors.New(tools.Clip(tools.Clean([]byte(plain(err)+c.epitaph())), 2000))}
}

// lost gives the error of a sandbox that is gone.
func (c *conn) lost() error {
	if c.prog == nil {
		return nil
	}
	if err := c.prog.failure(); errors.Is(err, sandbox.ErrUnavailable) {
		return err
	}
	return nil
}

// epitaph says how the server's program ended, if it has.
func (c *conn) epitaph() string {
	if c.prog == nil {
		return ""
	}
	if err := c.prog.failure(); err != nil {
		return ": " + err.Error()
	}
	r, ok := c.prog.Result()
	if !ok {
		return ""
	}
	text := fmt.Sprintf(": the server ended with exit status %d", r.Exit)
	if r.Signal != "" {
		text = ": the server was ended by " + r.Signal
	}
	if said := strings.TrimSpace(string(r.Stderr)); said != "" {
		text += ", and wrote: " + said[max(0, len(said)-1000):]
	}
	return text
}

// gone reports whether the program of the server has ended or was given up.
func (c *conn) gone() bool {
	if c.prog == nil {
		return false
	}
	_, ended := c.prog.Result()
	return ended || c.prog.failure() != nil
}

// close ends the server.
func (c *conn) close() {
	if c.prog != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = c.prog.Kill(ctx)                       // it may be gone
		_, _ = io.Copy(io.Discard, c.prog.Program) // what is left of its output; its place is free then
	}
	_ = c.client.Close()
}

// list asks for the tools. Its errors are *StartError, and the sandbox's.
func (c *conn) list(ctx context.Context) (*List, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var req mcp.ListToolsRequest
	l := &List{}
	for page := 0; ; page++ {
		res, err := c.client.ListToolsByPage(ctx, req)
		if err != nil {
			return nil, c.startError(ctx, fmt.Errorf("listing its tools: %w", err))
		}
		var raw struct {
			Tools []rawTool `json:"tools"`
		}
		if err := json.Unmarshal(c.tap.last(), &raw); err != nil {
			return nil, &StartError{c.server.Name, errors.New("its list of tools can't be read")}
		}
		for _, t := range raw.Tools {
			tool, err := c.tool(t)
			if err != nil {
				return nil, &StartError{c.server.Name, fmt.Errorf("its tool %q: %w", tools.Clip(t.Name, 100), err)}
			}
			l.Tools = append(l.Tools, tool)
		}
		if page >= maxPages || len(l.Tools) > maxTools {
			return nil, &StartError{c.server.Name, fmt.Errorf("it has more than %d tools", maxTools)}
		}
		if res.NextCursor == "" {
			break
		}
		req.Params.Cursor = res.NextCursor
	}
	slices.SortFunc(l.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	l.Digest = digest(l.Tools)
	return l, nil
}

func (c *conn) tool(t rawTool) (Tool, error) {
	params, err := schema(t.InputSchema)
	if err != nil {
		return Tool{}, err
	}
	if t.Name == "" {
		return Tool{}, errors.New("it has no name")
	}
	out := Tool{Server: c.server.Name, Name: t.Name}
	out.Spec.Name = wireName(out.Server, out.Name)
	out.Spec.Description = tools.Clip(tools.Clean([]byte(t.Description)), maxDoc)
	out.Spec.Parameters = params
	return out, nil
}

// tap keeps the last list of tools as the server wrote it: the library keeps
// only those parts of a schema that it knows.
type tap struct {
	mu  sync.Mutex
	raw json.RawMessage
}

func (t *tap) see(method string, resp *transport.JSONRPCResponse) {
	if method != string(mcp.MethodToolsList) || resp == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.raw = resp.Result
}

func (t *tap) last() json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.raw
}

type stdioTap struct {
	*transport.Stdio
	tap *tap
}

func (s *stdioTap) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	resp, err := s.Stdio.SendRequest(ctx, r)
	s.tap.see(r.Method, resp)
	return resp, err
}

// watched is a program whose output has bounds.
type watched struct {
	sandbox.Program

	frame, total, messages int

	mu  sync.Mutex
	err error
}

// Read ends the output of a server that goes too far: the connection is over
// then. The error of a sandbox is kept, since the library does not pass it on.
func (w *watched) Read(p []byte) (int, error) {
	if err := w.failure(); err != nil {
		return 0, io.EOF
	}
	n, err := w.Program.Read(p)
	longest := 0
	for _, b := range p[:n] {
		w.frame++
		longest = max(longest, w.frame)
		if b == '\n' {
			w.frame = 0
			w.messages++
		}
	}
	w.total += n
	switch {
	case err != nil && err != io.EOF:
		w.fail(err)
		return 0, io.EOF
	case longest > maxFrame:
		w.fail(fmt.Errorf("it wrote a message of more than %d MiB", maxFrame>>20))
		return 0, io.EOF
	case w.total > maxTotal, w.messages > maxMessages:
		w.fail(errors.New("it wrote more than a server may"))
		return 0, io.EOF
	}
	return n, err
}

func (w *watched) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

func (w *watched) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
