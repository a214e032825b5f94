package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"cookoff/contestant/acp"
	"cookoff/contestant/agents"
	"cookoff/runner/agent"
	"cookoff/runner/loop"
	v1 "cookoff/runner/v1"
	"cookoff/sandbox"
)

// worker works on the task of a trial: a conversation with a model, or an agent
// program.
type worker interface {
	Work(ctx context.Context) error
	Cost() (usd float64, known bool)
	Used() loop.Used
	Messages() *loop.History // nil: nothing that another task could go on from
}

// program is an agent program as a worker.
type program struct{ *agent.Contestant }

func (p program) Used() loop.Used {
	u := p.Contestant.Used()
	return loop.Used{Calls: u.Calls, Wrote: u.Wrote, Time: u.Time}
}

func (program) Messages() *loop.History { return nil }

// hire makes the agent program of a trial; nil: its contestant is none.
func (a *attempt) hire() *agent.Contestant {
	r, t := a.r, a.t
	who := r.Models[a.plan.Model].Agent
	if who == nil {
		return nil
	}
	cfg := agent.Config{Trial: a.plan, Prompt: t.Told(), Agent: who.Installed, Upstream: who.Upstream(a.id),
		Model: who.Model, Servers: a.handed(),
		Clock: r.shared.Clock, Prices: r.shared.Prices, Lines: r.shared.Lines, Record: a.rec, Place: a.place,
		Claim: a.claim, Outcome: &a.out, Approve: r.shared.Person.Approve,
		Timeout:  cmp.Or(t.Timeout, r.Recipe.Constraints.Timeout, v1.Timeout),
		MaxSteps: r.Recipe.Constraints.MaxSteps, MaxCost: r.Recipe.Constraints.MaxCost}
	if t.MaxSteps != nil {
		cfg.MaxSteps = *t.MaxSteps
	}
	if a.gate != nil {
		cfg.Reach = a.gate.Allows
	}
	if say := r.shared.Person.Text; say != nil {
		cfg.Text = func(text string) {
			say(loop.Piece{Trial: a.rec.Trial, Attempt: a.rec.Attempt, Step: max(a.rec.Step, 1), Try: 1, Text: text})
		}
	}
	return agent.New(cfg)
}

// handed are the MCP servers that the agent of a trial starts for itself.
func (a *attempt) handed() []acp.Server {
	var out []acp.Server
	for _, s := range a.r.Servers {
		if s.Command != "" && slices.Contains(a.own.Servers, s.Name) {
			out = append(out, acp.Server{Name: s.Name, Command: "/bin/bash",
				Args: []string{"--noprofile", "--norc", "-c", "exec " + s.Command}})
		}
	}
	return out
}

// UnprovenAgents are the agents of the plan that have not shown yet that they speak their
// protocol, by name.
func (r *Runner) UnprovenAgents() []agents.Installed {
	found := map[string]agents.Installed{}
	for _, t := range r.Left() {
		if a := r.Models[t.Model].Agent; a != nil && !r.env.Spoken.Before(a.Installed) {
			found[a.Name] = a.Installed
		}
	}
	var out []agents.Installed
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[name])
	}
	return out
}

// Try sees that agents speak their protocol, before anything is paid for: all of them
// at once. What is wrong with each comes in one error.
func (r *Runner) Try(ctx context.Context, list []agents.Installed) error {
	errs := make([]error, len(list))
	var tried sync.WaitGroup
	for i, a := range list {
		tried.Go(func() { errs[i] = r.env.Spoken.Probe(ctx, r.env.Backend, a) })
	}
	tried.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("before anything was asked of a model: %w", err)
	}
	return nil
}

// prepared describes the world of a trial, with what its agent needs.
func (a *attempt) prepared() sandbox.Spec {
	spec := a.r.Spec(a.t, sandbox.Agent)
	if a.agent != nil {
		spec = a.agent.Prepare(spec)
	}
	return spec
}

// idle reports whether nothing was done in a trial's world since it was staged: by no
// call, no hook, no server, no agent program and no trial before it.
func (a *attempt) idle(used loop.Used) bool {
	return a.agent == nil && a.hand == nil && len(used.Calls) == 0 && len(a.sessions) == 0 && len(a.own.Files) == 0 &&
		len(a.r.Hooks) == 0 && a.out.Counters.ToolCalls == 0
}
