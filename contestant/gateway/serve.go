package gateway

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"cookoff/trial"
)

// What a gateway bears with.
const (
	maxBody     = 32 << 20 // bytes of a request, decompressed
	maxHeld     = 64 << 20 // bytes of requests that are under way together
	maxActive   = 32       // requests under way at once
	maxRecorded = 100      // refused requests that have an event of their own
	helpersEach = 3        // helper calls that may be made for each step of MaxSteps
	extraCalls  = 16       // helper calls beside those, and calls that fail
	maxFailures = 1000     // calls that fail
)

var errClosed = errors.New("the gateway is closed")

// ServeHTTP answers one request of the agent.
func (g *Gateway) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w := newWriter(rw)
	leave, bad := g.enter(w)
	if bad != nil {
		bad.write(w, find(r).dialect)
		return
	}
	defer leave()
	rt := find(r)
	x := &exchange{g: g, w: w, from: r, began: g.opts.Clock.Now(), rec: trial.Request{Dialect: string(rt.dialect)}}
	if !g.allowed(r) {
		x.refuse(&refusal{http.StatusUnauthorized, "authentication_error", "invalid_api_key", "the token is not this trial's",
			true})
		return
	}
	if headerBytes(r) > maxHeaders {
		x.refuse(&refusal{http.StatusRequestHeaderFieldsTooLarge, "invalid_request_error", "invalid_request",
			fmt.Sprintf("the headers are larger than %d KiB", maxHeaders>>10), true})
		return
	}
	switch rt.op {
	case greet:
		w.WriteHeader(http.StatusOK)
	case list:
		g.list(w, rt)
	case count:
		x.count(rt)
	case generate:
		x.generate(rt)
	default:
		x.refuse(&refusal{http.StatusNotFound, "not_found_error", "not_found",
			fmt.Sprintf("there is nothing at %s %s", r.Method, short(r.URL.Path)), true})
	}
}

// enter counts a request in, unless there are too many.
func (g *Gateway) enter(w *writer) (leave func(), bad *refusal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return nil, unavailable("the trial has ended")
	case g.active >= maxActive:
		g.count(trial.Request{Outcome: trial.RequestRefused, Status: http.StatusTooManyRequests,
			Why: "more than 32 requests at once"})
		return nil, busy(fmt.Sprintf("more than %d requests at once", maxActive))
	}
	g.active++
	g.under.Add(1)
	g.writers[w] = true
	return func() {
		g.mu.Lock()
		g.active--
		delete(g.writers, w)
		g.mu.Unlock()
		g.under.Done()
	}, nil
}

// count adds a refused request that gets no event of its own. The lock is held.
func (g *Gateway) count(r trial.Request) {
	g.tally.Refused++
	times := g.quiet.Times
	g.quiet = r
	g.quiet.Times = times + 1
}

// body reads a request's body, of which all requests together hold so much at
// most. free gives its room back.
func (g *Gateway) body(r *http.Request) (body []byte, free func(), bad *refusal) {
	from := io.Reader(r.Body)
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, func() {}, invalid("the body is no gzip")
		}
		from = z
	default:
		return nil, func() {}, &refusal{http.StatusUnsupportedMediaType, "invalid_request_error", "invalid_request",
			fmt.Sprintf("Content-Encoding %q is not taken here: gzip or none", short(encoding)), true}
	}
	if r.ContentLength > maxBody {
		return nil, func() {}, tooLarge()
	}
	held := 0
	free = func() {
		g.mu.Lock()
		g.held -= held
		g.mu.Unlock()
	}
	chunk := 64 << 10
	for {
		if len(body)+chunk > cap(body) {
			grow := max(chunk, cap(body), int(min(max(r.ContentLength, 0)+1, maxBody)))
			if !g.hold(grow) {
				return nil, free, busy("the requests under way hold too much already")
			}
			held += grow
			body = append(make([]byte, 0, cap(body)+grow), body...)
		}
		n, err := from.Read(body[len(body):min(cap(body), maxBody+1)])
		body = body[:len(body)+n]
		switch {
		case len(body) > maxBody:
			return nil, free, tooLarge()
		case err == io.EOF:
			return body, free, nil
		case err != nil:
			return nil, free, invalid("the body broke off")
		}
		chunk = 1
	}
}

func tooLarge() *refusal {
	return &refusal{http.StatusRequestEntityTooLarge, "request_too_large", "request_too_large",
		fmt.Sprintf("the body is larger than %d MiB", maxBody>>20), true}
}

func (g *Gateway) hold(n int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held+n > maxHeld {
		return false
	}
	g.held += n
	return true
}

// within gives a context that ends with the request and with the gateway.
func (g *Gateway) within(r *http.Request) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(r.Context())
	stop := context.AfterFunc(g.ctx, func() { cancel(errClosed) })
	return ctx, func(cause error) { stop(); cancel(cause) }
}

// short makes foreign text fit for an error.
func short(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}

var _ http.Handler = (*Gateway)(nil)
