package gateway

import (
	"compress/gzip"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"cookoff/contestant/gateway/conn"
	"cookoff/contestant/gateway/document"
	"cookoff/contestant/gateway/request"
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
	maxIdling   = 1000     // requests that ask the provider nothing, before each more is paced
)

// What a listener of a gateway bears with.
const (
	maxConns   = 128
	readHeader = 20 * time.Second
	readAll    = 5 * time.Minute // headers and body of a request
	idleConn   = 2 * time.Minute
	paced      = 100 * time.Millisecond // how long an answer is held of one who floods
	maxHeader  = 64 << 10               // bytes
)

var errClosed = errors.New("the gateway is closed")

// Serve answers the connections of a listener until Close. Connections beyond
// those that one trial's agent can want are closed at once, and so are ones
// that send nothing for long. It returns when the gateway is closed, with nil,
// or with the listener's error.
func (g *Gateway) Serve(l net.Listener) error {
	s := &http.Server{Handler: g, ReadHeaderTimeout: readHeader, ReadTimeout: readAll, IdleTimeout: idleConn,
		MaxHeaderBytes: maxHeader, ErrorLog: log.New(io.Discard, "", 0)}
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return l.Close()
	}
	g.servers = append(g.servers, s)
	g.mu.Unlock()
	if err := s.Serve(conn.Bound(l, maxConns)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP answers one request of the agent.
func (g *Gateway) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !g.serve(rw, r) {
		g.pace(r)
	}
}

// pace holds the answer to a request that asked the provider nothing, once there were many:
// who floods the gateway would take processor time outside of its sandbox's share. It holds
// none of the places of requests that are under way.
func (g *Gateway) pace(r *http.Request) {
	g.mu.Lock()
	g.idling++
	late := g.idling > maxIdling
	g.mu.Unlock()
	if late {
		ctx, cancel := g.within(r)
		defer cancel(nil)
		_ = g.opts.Clock.Sleep(ctx, paced) // the agent is gone, or the trial has ended
	}
}

// serve answers one request, and reports whether the provider was asked.
func (g *Gateway) serve(rw http.ResponseWriter, r *http.Request) (asked bool) {
	w := conn.NewWriter(rw)
	leave, bad := g.enter(w)
	rt := request.Find(r)
	if bad != nil {
		bad.write(w, rt.Dialect)
		return false
	}
	defer leave()
	x := &exchange{g: g, w: w, from: r, began: g.opts.Clock.Now(), rec: trial.Request{Dialect: string(rt.Dialect)}}
	if !g.allowed(r) {
		x.refuse(&refusal{http.StatusUnauthorized, "authentication_error", "invalid_api_key",
			"the token is not this trial's", true})
		return false
	}
	if request.HeaderBytes(r) > request.MaxHeaders {
		x.refuse(&refusal{http.StatusRequestHeaderFieldsTooLarge, "invalid_request_error", "invalid_request",
			fmt.Sprintf("the headers are larger than %d KiB", request.MaxHeaders>>10), true})
		return false
	}
	switch rt.Op {
	case request.Greet:
		w.WriteHeader(http.StatusOK)
	case request.List:
		g.list(w, rt)
	case request.Count:
		countTokens(x, rt)
	case request.Generate:
		x.generate(rt)
		return x.rec.Outcome != trial.RequestRefused
	default:
		x.refuse(&refusal{http.StatusNotFound, "not_found_error", "not_found",
			fmt.Sprintf("there is nothing at %s %s", r.Method, document.Short(r.URL.Path)), true})
	}
	return false
}

// enter counts a request in, unless there are too many.
func (g *Gateway) enter(w *conn.Writer) (leave func(), bad *refusal) {
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
			fmt.Sprintf("Content-Encoding %q is not taken here: gzip or none", document.Short(encoding)), true}
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
	if r.ContentLength > 0 {
		chunk = 1 // it says how much comes
	}
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

// allowed reports whether a request presents the token, in one of the places
// that dialects have for keys.
func (g *Gateway) allowed(r *http.Request) bool {
	presented := []string{r.Header.Get("X-Api-Key"), r.Header.Get("X-Goog-Api-Key"), r.Header.Get("Api-Key"),
		r.URL.Query().Get("key")}
	if kind, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(kind, "bearer") {
		presented = append(presented, strings.TrimSpace(token))
	}
	for _, p := range presented {
		if g.opts.Token != "" && subtle.ConstantTimeCompare([]byte(p), []byte(g.opts.Token)) == 1 {
			return true
		}
	}
	return false
}

var _ http.Handler = (*Gateway)(nil)
