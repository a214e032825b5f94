package acp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// Options say with whom a Client speaks, and who hears what. All functions but
// Allow are called from one goroutine, in the order in which things were said.
type Options struct {
	Out io.Reader // the agent's standard output
	In  io.Writer // its standard input
	// Update hears of what the agent does; nil: nobody does.
	Update func(Update)
	// Allow decides about what the agent wants to do, each time in a goroutine of its own;
	// nil: it may do all. An error says that nobody decides any more.
	Allow func(Wish) (Choice, error)
	// Line hears every line, of the agent or to it, as it is; nil: nobody does.
	Line func(fromAgent bool, line []byte)
	// Noise hears the lines that are no messages; nil: nobody does.
	Noise func(line []byte)

	most int64 // bytes that the agent may say; 0: MaxOutput
}

// Client is the client's side. It offers the agent nothing: neither files nor
// terminals, since the sandbox stands around it. Lines that are no messages are
// passed over, requests that it does not know are refused, notifications that it
// does not know are ignored. Its own requests may be made at once.
type Client struct {
	opt Options
	out chan []byte // lines to be written

	asking chan struct{} // holds one for each call of Options.Allow

	mu       sync.Mutex
	last     int
	pending  map[int]chan answer
	gone     *GoneError
	finished chan struct{} // closed with gone
	lines    sync.Mutex    // around Options.Line
}

// answer is what the agent said to a request.
type answer struct {
	result json.RawMessage
	err    *RPCError
}

// message is anything on the wire.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *RPCError       `json:"error"`
}

// waiting is how many lines an agent may leave unread.
const waiting = 256

// New begins to listen to an agent. Close ends it.
func New(opt Options) *Client {
	c := &Client{opt: opt, out: make(chan []byte, waiting), pending: map[int]chan answer{}, finished: make(chan struct{}),
		asking: make(chan struct{}, maxAsked)}
	go c.read()
	go c.write()
	return c
}

// Done is closed once the agent speaks no more.
func (c *Client) Done() <-chan struct{} { return c.finished }

// Close ends the conversation: whoever waits for an answer waits no more. It does
// not close the streams.
func (c *Client) Close() { c.end("the conversation was ended") }

// end says once why nothing more will be heard.
func (c *Client) end(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone != nil {
		return
	}
	c.gone = &GoneError{why}
	close(c.finished)
}

// Gone says why nothing more will be heard; nil: it will.
func (c *Client) Gone() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone == nil {
		return nil
	}
	return c.gone
}

// lastWords is how long an agent that takes no input may go on to speak: one that has ended closes its output as well,
// and what it said before tells more than a broken pipe does.
const lastWords = time.Second

// noInput ends with an agent that takes no input, unless it has ended by itself.
func (c *Client) noInput(err error) {
	select {
	case <-c.finished:
	case <-time.After(lastWords):
		c.end(fmt.Sprintf("the agent takes no input: %v", err))
	}
}

func (c *Client) write() {
	for {
		select {
		case line := <-c.out:
			if _, err := c.opt.In.Write(line); err != nil {
				c.noInput(err)
				return
			}
		case <-c.finished:
			return
		}
	}
}

// send queues a message.
func (c *Client) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.logLine(false, line)
	select {
	case c.out <- append(line, '\n'):
		return nil
	case <-c.finished:
		return c.Gone()
	default:
		c.end(fmt.Sprintf("the agent has left %d messages unread", waiting))
		return c.Gone()
	}
}

// Silent makes Options.Line hear nothing more, and waits until it has heard the last.
func (c *Client) Silent() {
	c.lines.Lock()
	defer c.lines.Unlock()
	c.opt.Line = nil
}

func (c *Client) logLine(fromAgent bool, line []byte) {
	c.lines.Lock()
	defer c.lines.Unlock()
	if c.opt.Line != nil {
		c.opt.Line(fromAgent, line)
	}
}

// read takes what the agent says until it says no more.
func (c *Client) read() {
	in := bufio.NewReaderSize(c.opt.Out, 64<<10)
	noise, said, most := 0, int64(0), cmp.Or(c.opt.most, MaxOutput)
	for {
		line, err := readLine(in)
		said += int64(len(line)) + 1
		switch {
		case said > most:
			c.end(fmt.Sprintf("the agent has said more than %d MiB", most>>20))
			return
		case errors.Is(err, errLong):
			c.end(fmt.Sprintf("the agent sent a message of more than %d bytes", MaxLine))
			return
		case len(bytes.TrimSpace(line)) > 0 && !c.take(line):
			if noise += len(line); noise > maxNoise {
				c.end("the agent writes without end what is no message")
				return
			}
		}
		if err != nil {
			c.end("the agent has closed its output")
			return
		}
	}
}

var errLong = errors.New("line too long")

// readLine gives the next line, without its end, however long it is up to MaxLine.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxLine {
			return nil, errLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// take handles one line; ok is false when it is no message.
func (c *Client) take(line []byte) (ok bool) {
	c.logLine(true, line)
	var m message
	if json.Unmarshal(line, &m) != nil || len(m.ID) > maxOption ||
		m.Method == "" && (m.ID == nil || m.Result == nil && m.Error == nil) {
		if c.opt.Noise != nil {
			c.opt.Noise(line)
		}
		return false
	}
	switch {
	case m.Method == "":
		c.answered(m)
	case m.ID == nil:
		c.notified(m)
	default:
		c.asked(m)
	}
	return true
}

// answered hands an answer to whoever waits for it. What nobody asked, or was
// answered before, is ignored.
func (c *Client) answered(m message) {
	id, err := strconv.Atoi(string(m.ID))
	if err != nil {
		return
	}
	c.mu.Lock()
	to := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if to != nil {
		to <- answer{m.Result, m.Error}
	}
}

// call makes a request and waits for its answer. Every update that the agent sent
// before the answer has been heard when it returns.
func (c *Client) call(ctx context.Context, method string, params, result any) error {
	to := make(chan answer, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.pending[id] = to
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
	}()
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return err
	}
	var a answer
	select {
	case a = <-to:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.finished:
		select {
		case a = <-to: // it answered before it went
		default:
			return c.Gone()
		}
	}
	if a.err != nil {
		a.err.Method = method
		return a.err
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(a.result, result); err != nil {
		return &GoneError{fmt.Sprintf("the agent's answer to %s is none: %v", method, err)}
	}
	return nil
}

// Initialize begins the conversation. An agent that speaks another version of the
// protocol is a *VersionError.
func (c *Client) Initialize(ctx context.Context) (Agent, error) {
	var a Agent
	err := c.call(ctx, "initialize", map[string]any{
		"protocolVersion": Version,
		"clientInfo":      map[string]string{"name": "cookoff", "title": "cookoff", "version": "1"},
		"clientCapabilities": map[string]any{
			"fs": map[string]bool{"readTextFile": false, "writeTextFile": false}, "terminal": false,
		},
	}, &a)
	if err == nil && a.Version != Version {
		err = &VersionError{a.Version}
	}
	return a, err
}

// NewSession makes a session in a directory, absolute as the agent sees it.
func (c *Client) NewSession(ctx context.Context, dir string, servers []Server) (Session, error) {
	var s Session
	err := c.call(ctx, "session/new", map[string]any{"cwd": dir, "mcpServers": some(servers)}, &s)
	switch {
	case err != nil:
	case s.ID == "":
		err = &GoneError{"the agent made a session without an id"}
	case len(s.ID) > maxOption:
		err = &GoneError{fmt.Sprintf("the agent made a session whose id has %d bytes", len(s.ID))}
	}
	return s, err
}

// SetMode puts a session into a mode.
func (c *Client) SetMode(ctx context.Context, session, mode string) error {
	return c.call(ctx, "session/set_mode", map[string]string{"sessionId": session, "modeId": mode}, nil)
}

// Prompt says something to the agent and waits until it is done with it.
func (c *Client) Prompt(ctx context.Context, session, text string) (Stop, error) {
	var r struct {
		Stop Stop `json:"stopReason"`
	}
	err := c.call(ctx, "session/prompt", map[string]any{"sessionId": session,
		"prompt": []any{map[string]string{"type": "text", "text": text}}}, &r)
	return r.Stop, err
}

// Cancel asks the agent to end what it does; its Prompt returns once it has.
func (c *Client) Cancel(session string) {
	_ = c.send(map[string]any{"jsonrpc": "2.0", "method": "session/cancel",
		"params": map[string]string{"sessionId": session}})
}
