package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"cookoff/contestant/acp"
	"cookoff/contestant/agents"
	"cookoff/runner/loop"
	"cookoff/sandbox"
	"cookoff/trial"
)

// How long an agent is waited for.
const (
	helloTime  = 2 * time.Minute // until it has a session
	cancelTime = 5 * time.Second // once it was asked to end
	exitTime   = time.Second     // once its input is closed: what it has to say it has said
	tick       = 500 * time.Millisecond
)

// errLimit ends the context of an agent that has met a limit.
type errLimit struct {
	stop   trial.Stop
	detail string
}

func (e *errLimit) Error() string { return e.detail }

// watch ends the context that it gives where a limit is met: of time, of the gateway,
// or of what can be recorded.
func (c *Contestant) watch(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancelCause(ctx)
	go func() {
		t := time.NewTicker(tick)
		defer t.Stop()
		for {
			select {
			case <-own.Done():
				return
			case <-c.gateway.Over():
				tally := c.gateway.Tally() // of a provider that is lost it says no limit
				cancel(&errLimit{tally.Stop, tally.Why})
				return
			case <-t.C:
				if c.late() {
					cancel(&errLimit{trial.StopTimeout, fmt.Sprintf("the agent took its %s", c.Timeout)})
				} else if err := c.failed(); err != nil {
					cancel(err)
				}
			}
		}
	}()
	return own, func() { cancel(nil) }
}

// late reports whether the agent has used its time. What it waits for a provider that
// is down is not charged.
func (c *Contestant) late() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Lines != nil && c.Lines.MustWait(c.Model) {
		c.paused += tick
	}
	return c.Clock.Now().Sub(c.began)-c.waited() >= c.Timeout
}

// waited is how long the agent waited for its provider without its fault. The lock is
// held.
func (c *Contestant) waited() time.Duration {
	provider := time.Duration(c.gateway.Tally().Wait * float64(time.Second))
	return max(c.paused, provider) + c.seat.lost() + c.person.away(c.Clock.Now())
}

// converse speaks with the agent by ACP.
func (c *Contestant) converse(ctx context.Context, prog sandbox.Program) ended {
	calls := c.events.calls()
	own, stop := c.watch(ctx)
	defer stop()
	asking, unasked := context.WithCancelCause(own)
	var noise []string
	client := acp.New(acp.Options{Out: prog, In: prog, Allow: c.allow(asking),
		Update: func(u acp.Update) { c.events.update(u, calls) },
		Line:   c.protocol.logLine,
		Noise: func(line []byte) {
			if len(noise) < 5 {
				noise = append(noise, short(string(line)))
			}
		}})
	reason, err := c.session(own, client)
	unasked(errUnanswered)
	c.finish() // not all of them end by themselves
	e := c.endOf(ctx, own, err)
	if err == nil {
		e = ended{stop: stopOf(reason)}
	}
	res, exited := leave(client, prog)
	c.mu.Lock()
	c.parting = parting(res.Stderr, noise)
	calls.Close()
	c.mu.Unlock()
	if calls.Left > 0 {
		c.note("agent", fmt.Sprintf("%d more of its tool calls are not told", calls.Left))
	}
	client.Silent() // nothing is heard any more
	if said := c.protocol.text(); said != "" {
		c.note(trial.NoteProtocol, said)
	}
	var gone *acp.GoneError
	if errors.As(err, &gone) && e.stop == trial.StopCrashed {
		e.detail = crashed(gone.Why, res, exited, noise)
	}
	return e
}

// session begins a session, gives the agent its task, and waits until it is done.
func (c *Contestant) session(ctx context.Context, client *acp.Client) (acp.Stop, error) {
	s, err := hello(ctx, client, c.Agent, c.Servers)
	if err != nil {
		return "", err
	}
	if s.unset != "" {
		c.note("agent", s.unset)
	}
	answered := make(chan struct{})
	defer close(answered)
	asking, give := context.WithCancel(context.WithoutCancel(ctx))
	defer give()
	go func() {
		select {
		case <-answered:
			return
		case <-ctx.Done():
		}
		client.Cancel(s.ID) // and it is waited for, a little
		select {
		case <-answered:
		case <-time.After(cancelTime):
			give()
		}
	}()
	reason, err := client.Prompt(asking, s.ID, c.Prompt)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return reason, err
}

// greeted is a session that has begun.
type greeted struct {
	acp.Session
	Who   acp.Agent
	unset string // why its mode was not set; "": it was
}

// hello begins a session with an agent, in the mode in which it need not ask.
func hello(ctx context.Context, client *acp.Client, a agents.Installed, servers []acp.Server) (greeted, error) {
	within, cancel := context.WithTimeoutCause(ctx, helloTime,
		&acp.GoneError{Why: fmt.Sprintf("the agent did not begin to speak the protocol within %s", helloTime)})
	defer cancel()
	g := greeted{}
	err := func() (err error) {
		if g.Who, err = client.Initialize(within); err != nil {
			return err
		}
		if g.Session, err = client.NewSession(within, sandbox.WorkDir, servers); err != nil || a.Mode == "" {
			return err
		}
		if !g.HasMode(a.Mode) {
			g.unset = fmt.Sprintf("the agent offers no mode %q; what it asks is allowed", a.Mode)
			return nil
		}
		var no *acp.RPCError
		if err = client.SetMode(within, g.ID, a.Mode); errors.As(err, &no) {
			g.unset = fmt.Sprintf("the mode %q was not set: %v; what it asks is allowed", a.Mode, no)
			err = nil
		}
		return err
	}()
	if err != nil && within.Err() != nil {
		err = context.Cause(within)
	}
	return g, err
}

// endOf says what an error of the conversation makes of the work.
func (c *Contestant) endOf(ctx, own context.Context, err error) ended {
	var limit *errLimit
	var rpc *acp.RPCError
	switch {
	case errors.Is(context.Cause(ctx), loop.ErrStopped):
		return ended{stop: trial.StopCancelled, detail: loop.ErrStopped.Error()}
	case ctx.Err() != nil:
		return ended{stop: trial.StopCancelled, err: ctx.Err()}
	case errors.As(context.Cause(own), &limit):
		return ended{stop: limit.stop, detail: limit.detail}
	case own.Err() != nil:
		return ended{err: context.Cause(own)}
	case errors.As(err, &rpc):
		return ended{stop: trial.StopCrashed, detail: rpc.Error()}
	case err != nil:
		return ended{stop: trial.StopCrashed, detail: err.Error()}
	}
	return ended{}
}

// stopOf is what an agent's word for its end means.
func stopOf(s acp.Stop) trial.Stop {
	if s == acp.Refusal {
		return trial.StopRefused
	}
	return trial.StopDone
}

// leave closes the agent's input, waits a little for its end, and then ends it.
func leave(client *acp.Client, prog sandbox.Program) (sandbox.Result, bool) {
	_ = prog.Close() // it may be gone already
	if !within(client.Done(), exitTime) {
		kill(prog)
		_ = within(client.Done(), cancelTime)
	}
	client.Close()
	if r, ok := prog.Result(); ok {
		return r, true
	}
	kill(prog) // it was not listened to until its end
	return drained(prog)
}

func within(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

func kill(prog sandbox.Program) {
	ctx, cancel := context.WithTimeout(context.Background(), cancelTime)
	defer cancel()
	_ = prog.Kill(ctx) // else the end of the sandbox ends it
}

// drained reads what a program that was killed left, up to its end.
func drained(prog sandbox.Program) (sandbox.Result, bool) {
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, prog)
		close(done)
	}()
	_ = within(done, cancelTime)
	return prog.Result()
}

// crashed says how an agent ended by a fault of its own, with its last words.
func crashed(why string, r sandbox.Result, exited bool, noise []string) string {
	text := why
	switch {
	case !exited:
	case r.Reason != "":
		text += fmt.Sprintf(" (ended by the limit: %s)", r.Reason)
	case r.Signal != "":
		text += fmt.Sprintf(" (%s)", r.Signal)
	default:
		text += fmt.Sprintf(" (exit status %d)", r.Exit)
	}
	return text + parting(r.Stderr, noise)
}

// parting is what an agent said last beside the protocol, to stand behind how it ended;
// "": nothing.
func parting(stderr []byte, noise []string) string {
	if words := lastWords(stderr); words != "" {
		return ": " + words
	}
	if len(noise) > 0 {
		return "; it printed: " + strings.Join(noise, " ")
	}
	return ""
}

// lastWords are the last lines of standard error.
func lastWords(stderr []byte) string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(stderr), "\uFFFD"))
	if n := len(text) - 600; n > 0 {
		text = "…" + text[n:]
	}
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

func short(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}
