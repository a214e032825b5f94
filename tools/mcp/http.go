package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"cookoff/tools"
)

// Header fields of the transport "streamable HTTP".
const (
	sessionField = "Mcp-Session-Id"
	versionField = "Mcp-Protocol-Version"
)

// web is a connection to a server that is asked from the host, or to what
// answers in its place.
type web struct {
	server Server
	client *http.Client
	notice func(method string) // of a notification
	next   atomic.Int64

	mu      sync.Mutex
	session string // which the server began
	version string // of the protocol; "": not agreed on yet
}

func newWeb(s Server, notice func(string)) *web {
	// No redirect is followed: it could lead to another host.
	keep := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &web{server: s, client: &http.Client{CheckRedirect: keep}, notice: notice}
}

func (w *web) request(ctx context.Context, method string, params any) (response, error) {
	if w.server.Middleware == nil {
		return w.ask(ctx, method, params)
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return response{}, err
	}
	direct := func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		if w.server.Offline {
			return nil, errors.New("nothing is sent in a replay")
		}
		resp, err := w.ask(ctx, method, params)
		if err != nil {
			return nil, err
		}
		return json.Marshal(resp)
	}
	if raw, err = w.server.Middleware(direct)(ctx, method, raw); err != nil {
		return response{}, err
	}
	var got response
	return got, json.Unmarshal(raw, &got)
}

// ask makes a request and reads its answer, which is one message, or a stream
// of messages of which one is the answer.
func (w *web) ask(ctx context.Context, method string, params any) (response, error) {
	m := request(w.next.Add(1), method, params)
	resp, err := w.post(ctx, m)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()
	body := &cappedReader{r: resp.Body, left: maxFrame}
	if resp.StatusCode != http.StatusOK {
		return refused(resp, body)
	}
	if method == string(mcp.MethodInitialize) {
		w.mu.Lock()
		w.session = resp.Header.Get(sessionField)
		w.mu.Unlock()
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	var got response
	switch kind {
	case "application/json":
		var answer message
		err = json.NewDecoder(body).Decode(&answer)
		got = answer.response
	case "text/event-stream":
		got, err = w.stream(ctx, body, m.ID)
	default:
		err = fmt.Errorf("the server answers with %q, want application/json or text/event-stream",
			resp.Header.Get("Content-Type"))
	}
	switch {
	case body.cut:
		err = fmt.Errorf("it wrote a message of more than %d MiB", maxFrame>>20)
	case ctx.Err() != nil:
		err = ctx.Err()
	}
	return got, err
}

// refused reads an answer that has no status of success. It may hold an error
// of JSON-RPC all the same.
func refused(resp *http.Response, body io.Reader) (response, error) {
	text, _ := io.ReadAll(io.LimitReader(body, 64<<10)) // what there is of it
	var m message
	if json.Unmarshal(text, &m) == nil && m.Error != nil {
		return m.response, nil
	}
	said := tools.Clip(tools.Clean(bytes.TrimSpace(text)), 300)
	if said != "" {
		said = ": " + said
	}
	return response{}, fmt.Errorf("the server answered with the status %s%s", resp.Status, said)
}

// post sends a message. A server that is not there is said to be so, without
// the steps that led to nothing.
func (w *web) post(ctx context.Context, m message) (*http.Response, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	req, err := w.ready(ctx, http.MethodPost, body)
	if err != nil {
		return nil, err
	}
	if params, err := json.Marshal(m.Params); err == nil && m.Params != nil {
		for name, value := range mcp.StandardHeaders(req.Header.Get(versionField), mcp.MCPMethod(m.Method), params) {
			req.Header.Set(name, value)
		}
	}
	resp, err := w.client.Do(req)
	if far, ok := errors.AsType[*url.Error](err); ok && ctx.Err() == nil {
		return nil, fmt.Errorf("the server could not be reached: %w", far.Err)
	}
	return resp, err
}

// ready gives a request with the fields that every request has.
func (w *web) ready(ctx context.Context, method string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.server.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session != "" {
		req.Header.Set(sessionField, w.session)
	}
	if w.version != "" {
		req.Header.Set(versionField, w.version)
	}
	return req, nil
}

func (w *web) speak(version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version = version
}

// stream reads server-sent events until the answer to the request id comes.
func (w *web) stream(ctx context.Context, body io.Reader, id json.RawMessage) (response, error) {
	in := bufio.NewReader(body)
	var data []byte
	for {
		line, err := in.ReadBytes('\n')
		line = bytes.TrimRight(line, "\r\n")
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
		}
		if len(line) == 0 || err != nil {
			var m message
			known := json.Unmarshal(data, &m) == nil
			data = nil
			switch {
			case !known:
			case m.Method != "" && m.hasID():
				w.refuse(ctx, m)
			case m.Method != "":
				w.notice(m.Method)
			case string(m.ID) == string(id):
				return m.response, nil
			}
		}
		if err == io.EOF {
			return response{}, errClosed
		}
		if err != nil {
			return response{}, err
		}
	}
}

// refuse answers a request of the server.
func (w *web) refuse(ctx context.Context, m message) {
	if resp, err := w.post(ctx, refusal(m)); err == nil { // it may not want to know
		resp.Body.Close()
	}
}

func (w *web) notify(ctx context.Context, method string) error {
	if w.server.Offline {
		return nil
	}
	resp, err := w.post(ctx, message{Version: rpcVersion, Method: method})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// close ends the session that the server began.
func (w *web) close() {
	w.mu.Lock()
	began := w.session != ""
	w.mu.Unlock()
	if !began || w.server.Offline {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if req, err := w.ready(ctx, http.MethodDelete, nil); err == nil {
		if resp, err := w.client.Do(req); err == nil { // it ends by itself otherwise
			resp.Body.Close()
		}
	}
	w.client.CloseIdleConnections()
}

// cappedReader reads at most so many bytes, and remembers that there was more.
type cappedReader struct {
	r    io.Reader
	left int
	cut  bool
}

func (c *cappedReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		c.cut = true
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.r.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
