// Package gateway stands between an agent in a trial's sandbox and the provider
// of its model. The agent has a token that is worth nothing elsewhere; the key
// stays here. What the agent asks is passed on as it is, but for key, host and
// the model's name, and counted; limits are held, and every request is reported.
package gateway

import (
	"context"
	"net/http"
	"sync"
	"time"

	"cookoff/contestant/gateway/conn"
	"cookoff/contestant/gateway/request"
	"cookoff/contestant/gateway/tally"
	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/wire"
	"cookoff/runner/clock"
	"cookoff/runner/traffic"
	"cookoff/trial"
)

// Options say what a trial's gateway allows. Model, Upstream, Token and Clock
// are required.
type Options struct {
	Trial    string // its id, for the circuits of Lines
	Model    string // provider/model: what the agent may ask, whatever it calls it
	Upstream wire.Upstream
	// Token is what the agent presents as its key: a nonce of the trial, of 16
	// bytes at least.
	Token string
	// Strict refuses requests for a model of another name (404); else they are
	// answered by the trial's model.
	Strict bool
	// ServerTools lets the agent offer tools that the provider itself runs, as
	// a search of the web; else they are left out of its requests.
	ServerTools bool
	// Reach says of a host that the trial may reach it, so that content may be
	// given by its address there; nil: none.
	Reach func(host string) bool
	// MaxSteps bounds the model calls that are answered, without helper calls;
	// 0: any number.
	MaxSteps int
	// Toolless: the agent may offer its model no tools, so that already its first
	// call without them is one of its work.
	Toolless bool
	// Admit is asked before each call, in its goroutine. Its error refuses the
	// call, and all that follow. nil: all are admitted.
	Admit func(ctx context.Context, ask Ask) (Grant, error)
	// Away is called before a call that is no helper's goes out, and back before its
	// reply is handed on whole: the agent has little to do meanwhile. nil: nobody is told.
	Away func() (back func(ctx context.Context))
	// Cost gives what a usage costs in USD, if that is known; nil: it is not.
	Cost func(model.Usage) (float64, bool)
	// Lines are the ways to the providers; nil: no bound.
	Lines *traffic.Lines
	Clock clock.Clock
	// Record is told of each request when it has ended, one at a time and never
	// after Close has returned; nil: nobody is.
	Record func(trial.Request)
}

// Ask is what is known of a call before it is made.
type Ask struct {
	Input  int // tokens, at most: no token is shorter than a byte
	Output int // tokens, at most, as the request says; 0: it does not
	Thinks int // tokens of Output that are set apart for thinking
	Helper bool
	Caches bool // it asks that what it sends be written to a cache
	N      int  // of the trial's calls, from 1
}

// Grant is what an admitted call may take.
type Grant struct {
	// Output is how many tokens its reply may have: the limit in a request that has
	// none or a larger one. 0: what it says.
	Output int
	// Most is what it costs at most, in USD: what counts where the agent does not wait
	// for the end. nil: nobody knows.
	Most *float64
	// Settle, if it is not nil, is called once with what became of the call.
	Settle func(trial.Request)
}

// Gateway serves the requests of one trial's agent. It is an http.Handler.
type Gateway struct {
	opts     Options
	client   *http.Client
	redact   *redactor
	rules    request.Rules
	provider *endpoint.Endpoint // whose words are sorted

	ctx    context.Context // ends with Close
	cancel context.CancelCauseFunc
	under  sync.WaitGroup // requests under way

	mu        sync.Mutex
	closed    bool
	writers   map[*conn.Writer]bool
	servers   []*http.Server
	held      int             // bytes of bodies
	active    int             // requests under way
	steps     int             // calls that were answered or are under way, without helpers
	helpers   int             // helper calls
	tools     map[string]bool // that the agent works with
	toolless  bool            // it has made a call without tools
	tally     tally.Tally
	idle      tally.Idle
	calls     int           // that were to be admitted
	idling    int           // requests that asked the provider nothing
	unlimited bool          // the provider does not take the limit of a reply that is put in
	broken    *exchange     // the last that failed in a way that it may have brought about
	quiet     trial.Request // refused requests without an event of their own
	over      chan struct{} // is closed when a limit is met

	recording sync.Mutex
}

// New makes the gateway of one trial. It asks nothing.
func New(o Options) *Gateway {
	o.Upstream.Timeout = orElse(o.Upstream.Timeout, wire.DefaultTimeout)
	o.Upstream.Idle = orElse(o.Upstream.Idle, wire.DefaultIdle)
	g := &Gateway{opts: o, redact: newRedactor(o.Upstream), provider: endpointOf(o.Upstream),
		writers: map[*conn.Writer]bool{}, over: make(chan struct{})}
	g.rules = request.Rules{Model: o.Model, Upstream: o.Upstream, Strict: o.Strict, ServerTools: o.ServerTools,
		Reach: o.Reach}
	g.client = &http.Client{Transport: o.Upstream.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	g.ctx, g.cancel = context.WithCancelCause(context.Background())
	return g
}

func orElse(d, other time.Duration) time.Duration {
	if d == 0 {
		return other
	}
	return d
}

// Over is closed when a limit is met: from then on every call is refused, and
// Tally says why.
func (g *Gateway) Over() <-chan struct{} { return g.over }

// Tally gives what was counted so far.
func (g *Gateway) Tally() tally.Tally {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tally
	t.Wait = g.idle.At(g.opts.Clock.Now(), 0, 0).Seconds()
	return t
}

// Close ends all requests and waits until each is recorded. From then on the
// gateway answers nothing.
func (g *Gateway) Close() error {
	g.mu.Lock()
	g.closed = true
	servers := g.servers
	g.servers = nil
	for w := range g.writers {
		w.End()
	}
	g.mu.Unlock()
	g.cancel(errClosed)
	for _, s := range servers {
		s.Close() // its connections' errors say nothing
	}
	g.under.Wait()
	g.mu.Lock()
	quiet := g.quiet
	g.quiet = trial.Request{}
	g.mu.Unlock()
	if quiet.Times > 0 {
		g.report(quiet)
	}
	return nil
}

// report hands a request to Record.
func (g *Gateway) report(r trial.Request) {
	if g.opts.Record == nil {
		return
	}
	g.recording.Lock()
	defer g.recording.Unlock()
	g.opts.Record(r)
}
