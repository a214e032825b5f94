package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"cookoff/model"
)

// Why a request was given up.
var (
	errTimeout  = errors.New("no reply in time")
	errIdle     = errors.New("the reply has stalled")
	errTooLarge = errors.New("the reply is too large")
)

// Taker puts an answer together.
type Taker interface {
	// Event takes the data of one event of a stream. Its error is final, or a
	// *ReplyError.
	Event(data []byte) error
	// Whole takes an answer in one piece.
	Whole(body []byte) error
	// Ended reports whether the provider said that the reply is whole.
	Ended() bool
	// Size is how many bytes have come of what the model wrote.
	Size() int
}

// ReplyError is an error that a provider put into a reply.
type ReplyError struct{ Problem Problem }

func (e *ReplyError) Error() string { return e.Problem.Text }

// Post makes one request and hands its answer to t. key names the request where
// it may be made twice. Its errors are those of model.Chat.
func (e *Endpoint) Post(ctx context.Context, path string, body []byte, key string, t Taker) error {
	asked := time.Now()
	own, patience, done := e.Wait(ctx)
	defer done()
	a := &answer{of: e, to: t, wait: patience}
	err := a.ask(own, path, body, key)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && !patience.Stalled() {
		return e.Left(ctx, asked, a.open && !a.started)
	}
	if late := e.GaveUp(ctx, own); late != nil {
		err = late
	} else {
		err = a.sorted(err)
	}
	if retry, ok := errors.AsType[*model.RetryError](err); ok && !retry.Busy {
		retry.Partial, retry.Arrived = a.started, t.Size()
	}
	return err
}

// answer is one answer under way.
type answer struct {
	of      *Endpoint
	to      Taker
	wait    *Patience
	start   bytes.Buffer // its first bytes
	open    bool         // a stream of events is
	plain   bool         // a reply in one piece is
	started bool         // with an event, or a character, that says something
	left    int          // bytes that it may still have
}

// ask posts one request and reads its answer, streamed or in one piece. What the server
// answered in place of a reply is an error of package model.
func (a *answer) ask(ctx context.Context, path string, body []byte, key string) error {
	e := a.of
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url(path), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	e.headers(req.Header)
	if e.KeyHeader != "" && key != "" {
		req.Header.Set(e.KeyHeader, key)
	}
	resp, err := e.Client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	a.left = MaxBody
	a.wait.Bound()
	in := io.TeeReader(&watched{a, resp.Body}, &first{&a.start})
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode >= 200 && resp.StatusCode < 300 && media == "text/event-stream":
		a.open = true
		return a.events(in)
	case resp.StatusCode >= 200 && resp.StatusCode < 300 && media == "application/json":
		return a.whole(resp, in)
	}
	page, _ := io.ReadAll(io.LimitReader(in, Kept)) // what could be read explains enough
	return &sortedError{e.ByStatus(resp.StatusCode, resp.Header, page)}
}

// whole takes an answer in one piece, from a server that streams nothing.
func (a *answer) whole(resp *http.Response, in io.Reader) error {
	a.plain = true
	body, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if err := a.to.Whole(body); err != nil || a.to.Ended() {
		return err
	}
	return &sortedError{a.of.ByStatus(resp.StatusCode, resp.Header, body[:min(len(body), Kept)])}
}

// events takes a stream, event by event: the lines of data of one are joined.
func (a *answer) events(in io.Reader) error {
	lines, data := bufio.NewReader(in), []byte(nil)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF { // half a line is none
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if part, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(part, []byte(" "))...)
		}
		if (len(line) == 0 || err == io.EOF) && len(data) > 0 {
			if string(data) != "[DONE]" {
				a.started = a.started || !ping(data)
				if bad := a.to.Event(data); bad != nil {
					return bad
				}
				if a.to.Size() > 0 {
					a.wait.Wrote()
				}
			}
			data = nil
		}
		switch {
		case err == io.EOF && !a.to.Ended():
			return ErrCut
		case err == io.EOF:
			return nil
		}
	}
}

// sorted says what an error means for the caller.
func (a *answer) sorted(err error) error {
	e := a.of
	var said *ReplyError
	var refused *model.RefusedError
	var known *sortedError
	switch {
	case errors.Is(err, errTooLarge):
		return e.Retry(0, "the answer is larger than %d MiB, which an answer may have at most", MaxBody>>20)
	case errors.As(err, &said):
		return e.ByProblem(0, nil, said.Problem)
	case errors.As(err, &refused):
		refused.Reason = e.Words(refused.Reason)
		return refused
	case errors.As(err, &known):
		return known.error
	}
	return e.Broken(err, a.start.Bytes())
}

// sortedError is one of a kind that callers know already.
type sortedError struct{ error }

// watched ends an answer that is too large, and one that stalls.
type watched struct {
	a    *answer
	from io.Reader
}

func (w *watched) Read(p []byte) (int, error) {
	if w.a.left <= 0 {
		return 0, errTooLarge
	}
	n, err := w.a.wait.Read(w.from, p[:min(len(p), w.a.left)])
	w.a.left -= n
	if w.a.plain && w.a.wait.Started(p[:n]) {
		w.a.started = true
	}
	return n, err
}

// first keeps the first bytes that are written to it.
type first struct{ to *bytes.Buffer }

func (f *first) Write(p []byte) (int, error) {
	if room := Kept - f.to.Len(); room > 0 {
		f.to.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// Marshal is v as JSON, in which < and > stand for themselves.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
