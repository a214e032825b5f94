package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"cookoff/contestant/gateway/conn"
	"cookoff/contestant/gateway/document"
	"cookoff/contestant/gateway/meter"
	"cookoff/contestant/gateway/request"
	"cookoff/contestant/gateway/translate"
	"cookoff/model"
	"cookoff/model/wire"
	"cookoff/runner/traffic"
	"cookoff/trial"
)

// exchange is one request of the agent, its way to the provider and back.
type exchange struct {
	g     *Gateway
	w     *conn.Writer
	from  *http.Request
	began time.Time
	wait  time.Duration
	rec   trial.Request
	call  *request.Call
	asked *translate.Asked // of a call that is translated
	meter meter.Meter
	sent  bool // something of it
	cut   bool // the reply broke off: the agent is to see that it did
	grant Grant

	over     atomic.Bool // nothing more of the reply is written
	departed time.Time   // it began to wait
	ended    time.Time   // the provider's part of it; zero: it has none
	done     func(error) // ends the provider's part: its place and the money are free; once
	home     func()      // waits for the agent's place, before its reply is handed on whole
}

// refuse answers in the place of the provider.
func (x *exchange) refuse(bad *refusal) {
	x.rec.Outcome, x.rec.Why = trial.RequestRefused, bad.text
	x.answer(bad)
	x.finish()
}

func (x *exchange) answer(bad *refusal) {
	bad.text = x.g.redact.text(bad.text)
	x.rec.Status = bad.status
	if bad.status == http.StatusRequestEntityTooLarge {
		x.w.Header().Set("Connection", "close")
	}
	_, _ = bad.write(x.w, wire.Dialect(x.rec.Dialect)) // who is gone gets no answer
}

// finish records the request, where it is one of the first that were refused or
// any other.
func (x *exchange) finish() {
	g := x.g
	x.rec.Wait = x.wait.Seconds()
	if x.ended.IsZero() {
		x.ended = g.opts.Clock.Now()
	}
	x.rec.Seconds = max(x.ended.Sub(x.began)-x.wait, 0).Seconds()
	x.rec.Why = document.Short(g.redact.text(x.rec.Why))
	x.rec.Asked, x.rec.Served = document.Short(g.redact.text(x.rec.Asked)), document.Short(g.redact.text(x.rec.Served))
	x.rec.Dropped = g.named(x.rec.Dropped)
	x.price()
	g.mu.Lock()
	if x.rec.Outcome == trial.RequestRefused && g.tally.Refused >= maxRecorded {
		g.count(x.rec)
		g.mu.Unlock()
		return
	}
	if x.rec.Outcome == trial.RequestProvider && !g.closed {
		if g.broken = nil; x.mayBeOwn() {
			g.broken = x
		}
	}
	g.tally.Add(x.rec)
	if g.tally.Failed+g.tally.Rejected+g.tally.Left > maxFailures {
		g.stop(trial.StopMaxSteps, fmt.Sprintf("%d of its requests failed", maxFailures))
	}
	g.mu.Unlock()
	g.report(x.rec)
}

// maxDropped is how many names of what was left out an event has.
const maxDropped = 50

// named gives what was left out of a request as events name it: an agent chose the words.
func (g *Gateway) named(dropped []string) []string {
	var out []string
	for _, name := range dropped {
		if name = document.Short(g.redact.text(name)); !slices.Contains(out, name) {
			out = append(out, name)
		}
		if len(out) == maxDropped {
			break
		}
	}
	return out
}

// generate passes a call of the model on.
func (x *exchange) generate(rt request.Route) {
	g := x.g
	body, free, bad := g.body(x.from)
	defer free()
	x.rec.Sent = int64(len(body))
	if bad != nil {
		x.refuse(bad)
		return
	}
	x.call, bad = g.read(rt, body)
	if c := x.call; c != nil {
		x.rec.Asked, x.rec.Stream, x.rec.Tools, x.rec.Dropped = c.Asked, c.Stream, len(c.Tools), c.Dropped
		x.rec.Helper = g.helper(c.Tools)
	}
	if bad == nil {
		bad = x.prepare()
	}
	var give func(bool)
	if bad == nil {
		give, bad = g.reserve(x.rec.Helper)
	}
	if bad != nil {
		x.refuse(bad)
		return
	}
	defer func() { give(x.rec.Outcome == trial.RequestOK || x.rec.Outcome == trial.RequestLeft) }()
	own, cancel := g.within(x.from)
	defer cancel(nil)
	x.depart(own)
	if bad := x.admitted(own); bad != nil {
		x.arrive()
		x.home()
		x.refuse(bad)
		return
	}
	x.send(own)
	x.settle()
	x.home()
	x.finish()
	if x.cut {
		panic(http.ErrAbortHandler) // the connection ends in the middle of the reply
	}
}

// prepare makes the body that is sent on.
func (x *exchange) prepare() *refusal {
	u, c := x.g.opts.Upstream, x.call
	switch {
	case u.HasDialect(c.Dialect):
	case u.HasDialect(wire.Chat) && translate.Can(c.Dialect):
		return x.translated()
	default:
		return &refusal{http.StatusNotFound, "not_found_error", "not_found",
			fmt.Sprintf("the provider of %s does not speak %s", x.g.opts.Model, c.Dialect), true}
	}
	x.meter.Dialect = c.Dialect
	if c.Dialect != wire.Gemini {
		c.Doc.Set("model", document.Marshal(u.Model))
	}
	if err := c.AskUsage(u); err != nil {
		return invalid(err.Error())
	}
	c.Fill(u, c.Doc, c.Dialect)
	return nil
}

// translated makes the body of a chat.
func (x *exchange) translated() *refusal {
	u, c := x.g.opts.Upstream, x.call
	asked, err := translate.Request(c.Dialect, c.Doc.Bytes())
	if err != nil {
		return invalid(err.Error())
	}
	x.asked, x.meter.Dialect, x.rec.To, c.Path = asked, wire.Chat, string(wire.Chat), "/chat/completions"
	x.rec.Dropped = append(x.rec.Dropped, asked.Dropped...)
	asked.Chat.Model = u.Model
	if u.NoStreamUsage {
		asked.Chat.StreamOptions = nil
	}
	doc, err := document.Open(document.Marshal(asked.Chat), nil)
	if err != nil {
		return invalid(err.Error())
	}
	if limit := doc.Value("max_tokens"); limit != nil && u.MaxTokensField != "" && u.MaxTokensField != "max_tokens" {
		doc.Remove("max_tokens")
		doc.Set(u.MaxTokensField, limit)
	}
	c.Fill(u, doc, wire.Chat)
	return nil
}

// admitted asks whether the call may be made, and how much of a reply it may ask for.
func (x *exchange) admitted(ctx context.Context) *refusal {
	g, c := x.g, x.call
	if g.opts.Admit == nil {
		return nil
	}
	g.mu.Lock()
	g.calls++
	x.rec.N = g.calls
	g.mu.Unlock()
	grant, err := g.opts.Admit(ctx, Ask{Input: len(c.Body), Output: c.Output, Thinks: c.Thinks(), Helper: x.rec.Helper,
		Caches: bytes.Contains(c.Body, cacheMark), N: x.rec.N})
	if err == nil {
		x.grant = grant
		if n := grant.Output; n > 0 && (c.Output == 0 || n < c.Output) {
			c.Bound(n, g.opts.Upstream.MaxTokensField, g.takesLimits())
		}
		return nil
	}
	if ctx.Err() == nil {
		g.mu.Lock()
		g.stop(trial.StopMaxCost, err.Error())
		g.mu.Unlock()
	}
	return limited(err.Error())
}

// cacheMark stands in a body that asks for a cache.
var cacheMark = []byte(`"cache_control"`)

// takesLimits reports whether the provider takes the limit of a reply that is put in, as
// far as it is known.
func (g *Gateway) takesLimits() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.unlimited
}

// line waits for a place among the requests to the provider.
func (g *Gateway) line(ctx context.Context) (p traffic.Passes, s traffic.Slot, err error) {
	if g.opts.Lines == nil {
		return p, s, nil
	}
	down := g.opts.Lines.MustWait(g.opts.Model)
	p, err = g.opts.Lines.Pass(ctx, g.opts.Model, func(time.Duration, string) {})
	if err == nil && ctx.Err() != nil {
		p.Neither()
		err = ctx.Err()
	}
	if err != nil {
		if down && ctx.Err() != nil && !errors.Is(context.Cause(ctx), errClosed) {
			err = errDown
		}
		return p, s, err
	}
	if s, err = g.opts.Lines.Acquire(ctx, g.opts.Model); err != nil {
		p.Neither()
	}
	return p, s, err
}

// left is the status of a call that nobody waits for any more.
const left = 499

// failed ends a call that got no reply.
func (x *exchange) failed(ctx context.Context, err error) {
	x.rec.Outcome = trial.RequestProvider
	if given, ok := errors.AsType[*traffic.LostError](err); ok {
		x.g.lost(given)
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(err, errDown):
	case errors.Is(cause, errTimeout) && endless(x.call): // nobody writes so much at once in time
		err, x.rec.Outcome = cause, trial.RequestRejected
		x.rec.Usage, x.rec.Guessed = guess(x.call, &x.meter), true
	case errors.Is(cause, errTimeout), errors.Is(cause, errIdle):
		err = cause
	case ctx.Err() != nil:
		x.rec.Status = left
		x.leave()
		return
	case x.sent && len(x.call.Body) > largeBody: // it breaks off what it finds too large
		x.rec.Outcome = trial.RequestRejected
		err = fmt.Errorf("the provider broke off a request of %d bytes: %w", len(x.call.Body), err)
	}
	x.rec.Why = err.Error()
	x.answer(badGateway("the provider can't be reached: " + document.Short(err.Error())))
}

// endless reports whether a call asks for more in one piece than can be waited for.
func endless(c *request.Call) bool { return !c.Stream && (c.Output == 0 || c.Output > longReply) }

// What a request may ask for before it is its own fault that it fails.
const (
	longReply = 16_384  // tokens, in one piece
	largeBody = 1 << 20 // bytes
)

// Why a reply was given up.
var (
	errDown    = errors.New("the provider is down, and the agent did not wait for it")
	errLarge   = errors.New("the reply is too large")
	errTimeout = errors.New("no reply in time")
	errIdle    = errors.New("the reply has stalled")
	errLeft    = errors.New("the agent went away")
	errCut     = errors.New("the reply ended before it was finished")
)

// ask makes the request. Its error is a *model.RetryError where the provider
// failed.
func (x *exchange) ask(ctx context.Context, cancel context.CancelCauseFunc) error {
	timer := time.AfterFunc(x.g.opts.Upstream.Timeout, func() { cancel(errTimeout) })
	defer timer.Stop()
	req, err := x.request(ctx)
	if err != nil {
		x.failed(ctx, err)
		return err
	}
	x.sent = true
	resp, err := x.g.client.Do(req)
	if err != nil {
		if x.failed(ctx, err); x.rec.Outcome != trial.RequestProvider {
			return nil
		}
		return &model.RetryError{Down: !errors.Is(context.Cause(ctx), errTimeout), Err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		again, err := x.passError(resp)
		if again {
			return x.ask(ctx, cancel)
		}
		return err
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if media == "text/event-stream" {
		err = passing{x}.stream(ctx, cancel, resp)
	} else {
		err = passing{x}.whole(ctx, resp)
	}
	return err
}

// request is the agent's with the key in the place of the token.
func (x *exchange) request(ctx context.Context) (*http.Request, error) {
	u := x.g.opts.Upstream
	base, path := strings.TrimRight(u.BaseURL, "/"), x.call.Path
	if x.call.Dialect == wire.Gemini {
		base = strings.TrimSuffix(base, "/openai") // where Google speaks chat, below its own
		path = "/models/" + u.Model + ":" + x.call.Action
	}
	address := base + path
	if q := request.Query(x.from); q != "" && x.asked == nil {
		address += "?" + q
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(x.call.Body))
	if err != nil {
		return nil, err
	}
	request.PassHeaders(req.Header, x.from.Header)
	req.Header.Set("Content-Type", "application/json")
	if u.Key != "" {
		switch x.meter.Dialect {
		case wire.Messages:
			req.Header.Set("X-Api-Key", u.Key)
		case wire.Gemini:
			req.Header.Set("X-Goog-Api-Key", u.Key)
		default:
			req.Header.Set("Authorization", "Bearer "+u.Key)
		}
	}
	for k, v := range u.Headers {
		req.Header.Set(k, v)
	}
	return req, nil
}

// reply writes an answer in one piece.
func (x *exchange) reply(resp *http.Response, status int, body []byte) {
	passBack(x.w.Header(), resp.Header, x.g.redact)
	x.w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	x.w.WriteHeader(status)
	if _, err := x.w.Write(body); err != nil && x.rec.Outcome == trial.RequestOK {
		x.rec.Outcome, x.rec.Why = trial.RequestLeft, errLeft.Error() // it was paid for as it came
	}
}

// passBack takes what a provider may say to an agent: nothing about who pays.
func passBack(to, from http.Header, redact *redactor) {
	for name, values := range from {
		low := strings.ToLower(name)
		keep := low == "content-type" || low == "retry-after" || low == "retry-after-ms" || low == "x-should-retry" ||
			strings.HasSuffix(low, "request-id") || low == "openai-processing-ms"
		for _, v := range values {
			if keep && redact.text(v) == v {
				to.Add(name, v)
			}
		}
	}
}
