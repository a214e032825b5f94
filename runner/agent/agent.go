// Package agent lets an agent program work on a task: in the trial's own world, with
// the gateway as its only way to a model, under the limits of the recipe. What it does
// is told in the events that a conversation has; what its model takes the gateway
// counts. It knows neither tasks nor verdicts.
package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"cookoff/contestant/acp"
	"cookoff/contestant/agents"
	"cookoff/contestant/gateway"
	"cookoff/model"
	"cookoff/model/wire"
	"cookoff/runner/budget"
	"cookoff/runner/clock"
	"cookoff/runner/cores"
	"cookoff/runner/loop"
	"cookoff/runner/record"
	"cookoff/runner/traffic"
	"cookoff/sandbox"
	"cookoff/trial"
)

// Config is what an agent works with in one trial.
type Config struct {
	Trial    trial.Trial
	Prompt   string
	Agent    agents.Installed
	Upstream wire.Upstream
	Model    string // provider/model
	Servers  []acp.Server

	Clock   clock.Clock
	Prices  *model.Prices // nil: every cost is unknown
	Lines   *traffic.Lines
	Record  *record.Recorder
	Place   *cores.Place           // among the trials that work, taken; nil: it needs none
	Reach   func(host string) bool // the trial may reach it; nil: none
	Claim   *budget.Claim          // on the run's budget; nil: no limit
	Outcome *trial.Outcome         // what comes of the work is written to it
	Text    func(string)           // gets what the agent says, as it arrives; nil: nobody does
	// Approve decides about what the agent asks for; nil: it may do all.
	Approve func(context.Context, loop.Approval) (loop.Answer, error)

	Timeout  time.Duration
	MaxSteps int     // model calls; 0: any number
	MaxCost  float64 // USD; 0: any
}

// Contestant is an agent in one trial.
type Contestant struct {
	Config
	token   string
	gateway *gateway.Gateway
	sb      sandbox.Sandbox

	mu       sync.Mutex // around all below, and around Record
	events   events
	money    money
	seat     seat
	person   person
	protocol protocol // what was said by it
	parting  string   // what the agent said last beside it, behind a colon
	usage    Used
	began    time.Time
	finished time.Time     // it was done, or was ended; zero: it is not
	paused   time.Duration // waiting for a provider that is down
}

// Used is what an agent has used.
type Used struct {
	Calls map[string]int // of its tools, by their names
	Wrote int            // calls that may have changed files
	Time  time.Duration
}

// New makes the contestant of a trial, with a gateway and a token of its own.
func New(cfg Config) *Contestant {
	c := &Contestant{Config: cfg, token: "cookoff-" + rand.Text() + rand.Text(), usage: Used{Calls: map[string]int{}}}
	c.events = events{c: c}
	c.money = money{c: c}
	c.seat = seat{place: cfg.Place, clock: cfg.Clock}
	c.gateway = gateway.New(gateway.Options{
		Trial: cfg.Trial.ID, Model: cfg.Model, Upstream: cfg.Upstream, Token: c.token,
		Strict:   cfg.Agent.Models == agents.OwnModel,
		MaxSteps: cfg.MaxSteps, Toolless: cfg.Agent.Protocol == agents.Exec, Admit: c.money.admit, Away: c.seat.away,
		Reach: cfg.Reach, Cost: c.money.cost, Lines: cfg.Lines, Clock: cfg.Clock, Record: c.events.served,
	})
	return c
}

// Prepare adds to a world what the agent needs: its package, and the gateway.
func (c *Contestant) Prepare(spec sandbox.Spec) sandbox.Spec {
	spec.ReadOnly = slices.Concat(spec.ReadOnly, c.Agent.Mounts)
	spec.Gateway = door{c.gateway}
	return spec
}

// In says in which world, opened as Prepare says, the agent is to work.
func (c *Contestant) In(sb sandbox.Sandbox) { c.sb = sb }

// Close ends the gateway; it may be called at any time.
func (c *Contestant) Close() { _ = c.gateway.Close() }

// Used gives what was used up to now.
func (c *Contestant) Used() Used {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.usage
	u.Calls = maps.Clone(u.Calls)
	return u
}

// finish notes when the agent was done: how long its process lives on is none of its time.
func (c *Contestant) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished = c.Clock.Now()
}

// Cost is what the agent's model has cost in USD, if that is known.
func (c *Contestant) Cost() (float64, bool) {
	t := c.gateway.Tally()
	return t.CostUSD, t.Unpriced == 0 && t.Usage != (model.Usage{})
}

// ended is how the agent's own process, or the conversation with it, came to an end.
type ended struct {
	stop   trial.Stop
	detail string
	err    error // the trial is void
	own    bool  // the failure that it ended with is its request's doing
}

// Work lets the agent work until it says that it is done, or a limit ends it, and
// writes to the outcome how it ended. An error voids the trial.
func (c *Contestant) Work(ctx context.Context) error {
	c.began = c.Clock.Now()
	run := c.Agent.Run(agents.Values{Model: c.Upstream.Model, Token: c.token, Prompt: c.Prompt})
	var e ended
	own := ownFiles(ctx, c.sb, run.State)
	prog, err := start(ctx, c.sb, run)
	switch {
	case err == nil && c.Agent.Protocol == agents.Exec:
		e = c.execute(ctx, prog, run)
	case err == nil:
		e = c.converse(ctx, prog)
	default:
		e.err = err
	}
	c.Close()
	c.tidy(ctx, own)
	e.own = e.err == nil && e.stop != trial.StopCancelled && c.gateway.Own(ctx)
	return c.conclude(ctx, e)
}

// start lays down the agent's files and starts it.
func start(ctx context.Context, sb sandbox.Sandbox, run agents.Run) (sandbox.Program, error) {
	for _, path := range slices.Sorted(maps.Keys(run.Files)) {
		if err := sb.FS().Write(ctx, path, []byte(run.Files[path])); err != nil {
			return nil, sandbox.Unavailable("writing the agent's settings", err)
		}
	}
	s, ok := sb.(sandbox.Starter)
	if !ok {
		return nil, sandbox.Unavailable("starting the agent",
			errors.New("programs can't be left running in this sandbox"))
	}
	prog, err := s.Start(ctx, sandbox.Cmd{Argv: run.Argv, Env: run.Env, Else: true})
	if err != nil {
		return nil, sandbox.Unavailable("starting the agent", err)
	}
	return prog, nil
}

func (c *Contestant) note(kind, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Record.Note(kind, text)
}

// failed is the first error of the record.
func (c *Contestant) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Record.Failed()
}
