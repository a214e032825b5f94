package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"cookoff/model"
	"cookoff/sandbox"
	"cookoff/tools"
)

// Probe starts a server, asks what it offers, and ends it.
func Probe(ctx context.Context, sb sandbox.Sandbox, s Server) (*List, error) {
	c, err := connect(ctx, sb, s)
	if err != nil {
		return nil, err
	}
	defer c.close()
	l, err := c.list(ctx)
	if err == nil && len(l.Tools) == 0 {
		return nil, &StartError{s.Name, errors.New("it offers no tool")}
	}
	return l, err
}

// Session is a server in one trial. It is safe for concurrent use.
type Session struct {
	sb      sandbox.Sandbox
	server  Server
	want    *List
	timeout time.Duration // of a call

	mu        sync.Mutex
	conn      *conn  // nil: it is gone
	why       string // it went
	restarted bool
	answered  bool // it has answered a call
}

// Open starts a server in a trial's sandbox. want is what it offered when the
// run began; an error is *ChangedError when it now offers something else,
// *StartError when it does not come up, or the sandbox's. timeout bounds one
// call.
func Open(ctx context.Context, sb sandbox.Sandbox, s Server, want *List, timeout time.Duration) (*Session, error) {
	x := &Session{sb: sb, server: s, want: want, timeout: timeout}
	c, err := x.connect(ctx)
	if err != nil {
		return nil, err
	}
	x.conn = c
	return x, nil
}

// connect starts the server and sees that it offers what it did.
func (x *Session) connect(ctx context.Context) (*conn, error) {
	c, err := connect(ctx, x.sb, x.server)
	if err != nil {
		return nil, err
	}
	if err := x.compare(ctx, c); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (x *Session) compare(ctx context.Context, c *conn) error {
	c.changed.Store(false)
	got, err := c.list(ctx)
	if err != nil {
		return err
	}
	if got.Digest == x.want.Digest {
		return nil
	}
	return &ChangedError{x.server.Name, difference(x.want, got)}
}

// difference names what is not as it was.
func difference(want, got *List) string {
	var out []string
	had := map[string]model.ToolSpec{}
	for _, t := range want.Tools {
		had[t.Name] = t.Spec
	}
	for _, t := range got.Tools {
		spec, ok := had[t.Name]
		switch {
		case !ok:
			out = append(out, t.Name+" is new")
		case spec.Description != t.Spec.Description, !bytes.Equal(spec.Parameters, t.Spec.Parameters):
			out = append(out, t.Name+" is another")
		}
		delete(had, t.Name)
	}
	for name := range had {
		out = append(out, name+" is missing")
	}
	slices.Sort(out)
	return tools.Clip(strings.Join(out, ", "), 300)
}

// Tools gives what the server offers.
func (x *Session) Tools() []*Callable {
	var out []*Callable
	for _, t := range x.want.Tools {
		out = append(out, &Callable{x, t})
	}
	return out
}

// Close ends the server.
func (x *Session) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.conn != nil {
		x.conn.close()
	}
	x.conn, x.why, x.restarted = nil, "the trial is over", true
}

// ready gives the living server. One that went before it ever answered is
// started again, once: whatever it was, no call can have changed anything.
func (x *Session) ready(ctx context.Context) (*conn, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.conn != nil && x.conn.gone() {
		x.drop(strings.TrimPrefix(x.conn.lastWords(), ": "))
	}
	if x.conn == nil && (x.restarted || x.answered) {
		return nil, x.useless()
	}
	if x.conn == nil {
		x.restarted = true
		c, err := x.connect(ctx)
		var start *StartError
		if errors.As(err, &start) && ctx.Err() == nil {
			x.why = start.Err.Error()
			return nil, &tools.CallError{Kind: tools.ToolFailed,
				Reason: fmt.Sprintf("the MCP server %q could not be started again: %s", x.server.Name, x.why)}
		}
		if err != nil {
			return nil, err
		}
		x.conn = c
	}
	if !x.conn.changed.Load() {
		return x.conn, nil
	}
	err := x.compare(ctx, x.conn)
	var start *StartError
	if errors.As(err, &start) && ctx.Err() == nil {
		x.drop(start.Err.Error())
		return nil, x.useless()
	}
	return x.conn, err
}

func (x *Session) useless() error {
	return &tools.CallError{Kind: tools.ToolFailed,
		Reason: fmt.Sprintf("the MCP server %q is gone and its tools can't be used any more: %s", x.server.Name, x.why)}
}

// drop ends a server that is of no more use. The lock is held.
func (x *Session) drop(why string) {
	x.conn.close()
	x.conn, x.why = nil, tools.Clip(tools.Clean([]byte(why)), 1500)
}

// call asks the server. A server that ends or hangs is the tool's error.
func (x *Session) call(ctx context.Context, name string, args json.RawMessage) (*mcp.CallToolResult, error) {
	c, err := x.ready(ctx)
	if err != nil {
		return nil, err
	}
	own, cancel := context.WithTimeout(ctx, x.timeout)
	defer cancel()
	var raw json.RawMessage
	var res *mcp.CallToolResult
	err = c.peer.ask(own, string(mcp.MethodToolsCall), map[string]any{"name": name, "arguments": args}, &raw)
	if err == nil {
		res, err = mcp.ParseCallToolResult(&raw)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err == nil {
		x.answered = true
		return res, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if lost := c.lost(); lost != nil {
		return nil, lost
	}
	kind, text := tools.ToolFailed, tools.Clip(tools.Clean([]byte(err.Error())), 2000)
	var changed *ChangedError
	switch {
	case errors.As(err, &changed):
		return nil, changed
	case own.Err() != nil:
		text = fmt.Sprintf("no answer from the MCP server %q within %v; it was ended", x.server.Name, x.timeout)
		if x.conn == c {
			x.drop("it hung")
		}
	case c.gone() || hasEnded(err):
		if c.prog != nil { // its end is known once all of its output was read
			c.close()
		}
		text = fmt.Sprintf("the MCP server %q ended before it answered%s", x.server.Name, c.lastWords())
		text = tools.Clip(tools.Clean([]byte(text)), 2000)
		if x.conn == c {
			x.conn, x.why = nil, "it ended"
		}
	case isInvalidParams(err):
		kind = tools.BadArguments
	}
	return nil, &tools.CallError{Kind: kind, Reason: text}
}

// hasEnded reports whether an error says that a server is gone: it closed the
// connection, or a request could not even be written.
func hasEnded(err error) bool {
	var fe *sandbox.FileError
	return errors.Is(err, errClosed) || errors.As(err, &fe) && fe.Op == "feed"
}

func isInvalidParams(err error) bool {
	e, ok := errors.AsType[*rpcError](err)
	return ok && e.Code == mcp.INVALID_PARAMS
}

// Callable is a tool of a session.
type Callable struct {
	session *Session
	tool    Tool
}

var _ tools.Tool = (*Callable)(nil)

// FullName is how recipes name the tool.
func (t *Callable) FullName() string { return t.tool.FullName() }

// Spec is what a model is told of the tool.
func (t *Callable) Spec() model.ToolSpec { return t.tool.Spec }

// Call makes the call. The arguments go to the server as the model wrote them.
func (t *Callable) Call(ctx context.Context, _ sandbox.Sandbox, args json.RawMessage) (tools.Result, error) {
	if trimmed := bytes.TrimSpace(args); len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(trimmed) {
		return tools.Result{}, &tools.CallError{Kind: tools.BadArguments, Reason: "the arguments are no JSON object"}
	}
	res, err := t.session.call(ctx, t.tool.Name, args)
	if err != nil {
		return tools.Result{}, err
	}
	text, cut := tools.Output(sandbox.Result{Stdout: []byte(words(res))})
	return tools.Result{Text: text, Failed: res.IsError, Cut: cut, Wrote: true}, nil
}
