package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"cookoff/sandbox"
	"cookoff/tools"
)

// conn is one life of a server.
type conn struct {
	server  Server
	peer    peer
	prog    *boundedProgram // of a stdio server
	changed atomic.Bool     // the server said that its list did
}

// connect starts a server. Its errors are *StartError, and those of the
// sandbox.
func connect(ctx context.Context, sb sandbox.Sandbox, s Server) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	c := &conn{server: s}
	if err := c.dial(ctx, sb); err != nil {
		return nil, err
	}
	if err := c.peer.begin(ctx); err != nil {
		defer c.close()
		return nil, c.startError(ctx, err)
	}
	return c, nil
}

// dial makes the way to the server.
func (c *conn) dial(ctx context.Context, sb sandbox.Sandbox) error {
	if c.server.URL != "" {
		c.peer.wire = newWeb(c.server, c.notice)
		return nil
	}
	starter, ok := sb.(sandbox.Starter)
	if !ok {
		return &StartError{c.server.Name, errors.New("this sandbox can't leave a program running")}
	}
	p, err := starter.Start(ctx, sandbox.Cmd{Script: "exec " + c.server.Command})
	var fe *sandbox.FileError
	if errors.As(err, &fe) {
		return &StartError{c.server.Name, err}
	}
	if err != nil {
		return err
	}
	c.prog = &boundedProgram{Program: p}
	c.peer.wire = newStdio(c.prog, c.notice)
	return nil
}

// notice hears what a server says by itself.
func (c *conn) notice(method string) {
	if method == string(mcp.MethodNotificationToolsListChanged) {
		c.changed.Store(true)
	}
}

// startError says why a server did not come up, with what it wrote.
func (c *conn) startError(ctx context.Context, err error) error {
	if lost := c.lost(); lost != nil {
		return lost
	}
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %v", startTime)
	}
	if hasEnded(err) { // how is known once all of its output was read
		c.close()
	}
	return &StartError{c.server.Name, errors.New(tools.Clip(tools.Clean([]byte(err.Error()+c.lastWords())), 2000))}
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

// lastWords says how the server's program ended, if it has.
func (c *conn) lastWords() string {
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
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c.end(ctx)
}

// end is close, and waits no longer than ctx for a sandbox that does not answer.
func (c *conn) end(ctx context.Context) {
	if c.prog != nil {
		_ = c.prog.Kill(ctx) // it may be gone
		read := make(chan struct{})
		go func() { // what is left of its output; its place is free then
			_, _ = io.Copy(io.Discard, c.prog.Program)
			close(read)
		}()
		select {
		case <-read:
		case <-ctx.Done():
		}
	}
	c.peer.close()
}

// list asks for the tools. Its errors are *StartError, and the sandbox's.
func (c *conn) list(ctx context.Context) (*List, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	l := &List{}
	params := map[string]any{}
	for page := 0; ; page++ {
		var got struct {
			Tools      []rawTool `json:"tools"`
			NextCursor string    `json:"nextCursor"`
		}
		if err := c.peer.ask(ctx, string(mcp.MethodToolsList), params, &got); err != nil {
			return nil, c.startError(ctx, fmt.Errorf("listing its tools: %w", err))
		}
		for _, t := range got.Tools {
			tool, err := c.tool(t)
			if err != nil {
				return nil, &StartError{c.server.Name, fmt.Errorf("its tool %q: %w", tools.Clip(t.Name, 100), err)}
			}
			l.Tools = append(l.Tools, tool)
		}
		if page >= maxPages || len(l.Tools) > maxTools {
			return nil, &StartError{c.server.Name, fmt.Errorf("it has more than %d tools", maxTools)}
		}
		if got.NextCursor == "" {
			break
		}
		params["cursor"] = got.NextCursor
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
