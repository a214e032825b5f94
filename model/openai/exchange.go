package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"cookoff/model/endpoint"
)

// Why a request was given up.
var (
	errCut      = endpoint.ErrCut
	errTooLarge = errors.New("the reply is too large")
)

// kept is how much of a body is kept to explain what went wrong, in bytes.
const kept = endpoint.Kept

// statusError is an answer that is no reply: an error status, a redirect, or a
// page where a stream was asked for.
type statusError struct {
	status int
	header http.Header
	body   []byte // its first bytes
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d", e.status) }

// exchange carries one request and its answer between go-openai and the
// network. It is what go-openai takes for an HTTP client.
type exchange struct {
	chat   *Chat
	body   []byte
	key    string // names the request, so that it is made once
	stream bool   // was asked for
	wait   *endpoint.Patience

	start   bytes.Buffer // the first bytes of the answer
	started bool         // a reply has begun
	// arrived is how many bytes of what the model wrote have come.
	arrived int
	strings quoted      // of the answer, read as JSON
	events  bool        // it is an event stream
	done    bool        // the stream said that it is done
	plain   *completion // the answer, where it came in one piece
}

// Do sends the exchange's body in the place of req's and watches the answer.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	req.Body = io.NopCloser(bytes.NewReader(x.body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	req.ContentLength = int64(len(x.body))
	req.Header.Set("User-Agent", "cookoff")
	for k, v := range x.chat.cfg.Headers {
		req.Header.Set(k, v)
	}
	if h := x.chat.cfg.KeyHeader; h != "" && x.key != "" {
		req.Header.Set(h, x.key)
	}
	resp, err := x.chat.client.Do(req)
	if err != nil {
		return nil, err
	}
	in := &limited{x: x, from: resp.Body, left: maxBody}
	if x.stream {
		x.wait.Bound()
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	instead := x.stream && media == "application/json"
	page := media == "text/html" || instead
	if resp.StatusCode < 200 || resp.StatusCode >= 300 || page {
		// What could be read explains enough, even when it was cut off.
		body, _ := io.ReadAll(io.LimitReader(in, kept))
		if instead && resp.StatusCode == http.StatusOK {
			if _, err := x.whole(body, in); errors.Is(err, errTooLarge) {
				return nil, errors.Join(err, resp.Body.Close())
			}
		}
		return nil, errors.Join(&statusError{resp.StatusCode, resp.Header, body}, resp.Body.Close())
	}
	var from io.Reader
	if x.events = x.stream; x.stream {
		from = &dataLines{x: x, from: bufio.NewReader(in)}
	} else {
		in.reply = true
		body, err := x.whole(nil, in)
		if err != nil {
			return nil, errors.Join(err, resp.Body.Close())
		}
		from = bytes.NewReader(body)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{from, resp.Body}
	return resp, nil
}

// whole reads an answer in one piece, and keeps the reply that it is. What is no
// reply is a page like any other. go-openai takes numbers of another form in a
// usage for a broken reply: here they are unknown.
func (x *exchange) whole(begin []byte, rest io.Reader) (body []byte, err error) {
	end, err := io.ReadAll(rest)
	body = slices.Concat(begin, end)
	var r completion
	if err == nil && json.Unmarshal(body, &r) == nil && r.chosen() {
		x.plain = &r
	}
	return body, err
}

// limited ends an answer that is too large, and one that stalls.
type limited struct {
	x     *exchange
	from  io.Reader
	left  int
	reply bool // it is one in one piece
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.x.wait.Read(l.from, p[:min(len(p), l.left)])
	l.left -= n
	l.x.strings.add(p[:n])
	if l.reply && l.x.wait.Started(p[:n]) {
		l.x.started = true
	}
	if room := kept - l.x.start.Len(); room > 0 {
		l.x.start.Write(p[:min(n, room)])
	}
	return n, err
}

// dataLines passes the data of an event stream on and drops the rest:
// go-openai counts comments that keep a connection alive as empty messages,
// mixes them into errors, and loses a last line without a newline.
type dataLines struct {
	x    *exchange
	from *bufio.Reader
	line []byte
	err  error
}

func (d *dataLines) Read(p []byte) (int, error) {
	for len(d.line) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.line, d.err = d.from.ReadBytes('\n')
		if d.err != nil && d.err != io.EOF { // half a line is none
			d.line = nil
			continue
		}
		d.line = d.keep(bytes.TrimSpace(d.line))
	}
	n := copy(p, d.line)
	d.line = d.line[n:]
	return n, nil
}

func (d *dataLines) keep(line []byte) []byte {
	field, value, _ := strings.Cut(string(line), ":")
	switch field {
	case "", "event", "id", "retry":
		return nil
	case "data":
		if strings.TrimSpace(value) == "[DONE]" {
			d.x.done = true
		}
	}
	return append(line, '\n')
}
