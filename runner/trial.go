package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/runner/agent"
	"cookoff/runner/budget"
	"cookoff/runner/contents"
	"cookoff/runner/cores"
	"cookoff/runner/lend"
	"cookoff/runner/loop"
	"cookoff/runner/record"
	"cookoff/runner/resolve"
	v1 "cookoff/runner/v1"
	"cookoff/sandbox"
	"cookoff/sandbox/gate"
	"cookoff/tools/mcp"
	"cookoff/trial"
	"cookoff/trial/final"
	"cookoff/verify"
	"cookoff/verify/verdict"
)

// Run runs one trial: open, stage, loop, seal, judge. What a model does, and
// what voids a trial, is an Outcome; an error means that the run can't go on:
// ctx was cancelled, or the sink failed. The trial starts on clean ground, also
// where tasks build on each other: that is what RunAll does.
func (r *Runner) Run(ctx context.Context, t trial.Trial, sink trial.Sink) (trial.Outcome, error) {
	out, _, err := r.attempt(ctx, try{Trial: t, n: 1, claim: r.budget.Lone()}, sink)
	return out, err
}

// try is which go at which trial.
type try struct {
	trial.Trial
	n       int
	hand    *handover    // nil: the trial stands alone
	redo    *record.Redo // what the journal has of it; nil: it begins
	restart string       // why it begins anew; "": it does not
	run     string       // the run's id
	host    string       // the machine that it runs on; "": there are no others

	claim *budget.Claim // on the run's budget
}

// attempt is one go at a trial. cause is what voided it, when something did.
func (r *Runner) attempt(ctx context.Context, t try, sink trial.Sink) (out trial.Outcome, cause, err error) {
	rec := &record.Recorder{Sink: sink, Clock: r.env.Clock, Run: t.run, Trial: t.ID, Host: t.host, Attempt: t.n,
		Redo: t.redo}
	rec.Begin(t.Trial, t.restart)
	pressed := func() *trial.Pressure { return nil }
	if r.env.Pressure != nil {
		pressed = r.env.Pressure()
	}
	still := r.watchStandstill()
	out, cause = r.outcome(ctx, t, rec)
	noteStandstill(&out, t.ID, still())
	if diverged := t.redo.Failed(); diverged != nil && ctx.Err() == nil {
		return out, diverged, rec.Err()
	}
	rec.Step = 0
	rec.Diverged(&out)
	if out.Pressure == nil {
		out.Pressure = pressed()
	}
	rec.Emit(trial.Event{Kind: trial.TrialFinished, Outcome: &out})
	if rec.Err() != nil {
		return out, cause, rec.Err()
	}
	return out, cause, ctx.Err()
}

// outcome runs the attempt and turns every way it can go wrong into an
// Outcome. A panic is a fault of cookoff and voids this trial alone.
func (r *Runner) outcome(ctx context.Context, t try, rec *record.Recorder) (out trial.Outcome, cause error) {
	var a *attempt
	defer func() {
		if p := recover(); p != nil {
			out = a.spent()
			out.Status, out.Cause, out.Stop = trial.Void, trial.CauseInternal, trial.StopBroken
			out.Detail = fmt.Sprintf("a fault of cookoff: %v", p)
			rec.Note(trial.NotePanic, string(debug.Stack()))
		}
	}()
	own, end := r.control.begin(ctx, t.ID)
	defer end()
	a = &attempt{plan: t.Trial, id: model.TrialID{Task: t.Task, N: t.N, Attempt: t.n}, r: r, own: r.OwnOf(t.Model),
		t: r.OwnOf(t.Model).Task(r.TaskOf[t.Task]), rec: rec, hand: t.hand, claim: t.claim}
	defer a.handOver(t.ID)
	if cause = a.run(ctx, own); cause == nil && t.redo.Over() {
		a.out = *t.redo.Ended
		return a.out, nil
	} else if cause != nil {
		if errors.Is(context.Cause(own), loop.ErrStopped) {
			cause = loop.ErrStopped
		}
		a.void(ctx, cause)
		if a.out.Status == trial.Void && a.out.Cause == trial.CauseSandbox {
			cause = a.lost(ctx, cause)
		}
	}
	return a.spent(), cause
}

// spent is the outcome so far, with what it has cost where that is known.
func (a *attempt) spent() (out trial.Outcome) {
	if a == nil {
		return out
	}
	out = a.out
	if a.loop != nil {
		if usd, ok := a.loop.Cost(); ok {
			out.CostUSD = &usd
		}
	}
	return out
}

// attempt is one go at a trial.
type attempt struct {
	plan     trial.Trial
	id       model.TrialID
	sessions []*mcp.Session // of the MCP servers

	r      *Runner
	own    *resolve.Own
	t      *resolve.Task // as it is offered to the contestant
	rec    *record.Recorder
	claim  *budget.Claim // on the run's budget
	out    trial.Outcome
	loop   worker            // nil: it has not begun
	agent  *agent.Contestant // nil: the contestant is none
	hand   *handover
	gate   *gate.Gate             // nil: no way out
	from   sandbox.State          // which the trial started with; nil: the project
	final  sandbox.State          // once judged
	before *contents.Store        // of files as they were staged, and as they are stored
	unkept bool                   // something went wrong with storing the state
	staged map[string]*final.File // whose contents are in before
	phase  trial.Cause            // what an error in this phase means
	place  *cores.Place           // among the trials that work; nil: it needs none
}

// run does the work under own, which a person can end, and judges what is left
// all the same.
func (a *attempt) run(ctx, own context.Context) error {
	a.phase = trial.CauseSandbox
	a.place = a.r.cores.Place()
	defer a.place.Leave()
	if err := a.place.Take(own); err != nil {
		return err
	}
	if a.hand != nil {
		a.from = a.hand.state
	}
	if a.r.Models[a.plan.Model].ID == resolve.Cheater {
		return a.cheat(own)
	}
	began := a.r.env.Clock.Now()
	a.gate = a.r.Gate(a.t)
	if a.agent = a.hire(); a.agent != nil {
		defer a.agent.Close()
	}
	sb, err := a.r.OpenWith(own, a.prepared(), a.from, a.gate)
	if err != nil {
		return err
	}
	defer a.r.late.Close(ctx, sb)
	a.rec.NotShown(sb)
	start, err := a.t.Checks.Stage(own, sb)
	a.out.Seconds.Stage = a.r.env.Clock.Now().Sub(began).Seconds()
	if err != nil {
		return err
	}
	a.remember(ctx, sb, start.Manifest())
	defer a.before.Close()
	a.rec.Network(a.gate)
	a.phase = trial.CauseStaging
	loan, err := lend.Give(own, sb, a.own.Files)
	if err != nil {
		return err
	}
	stop, err := a.serve(own, sb)
	defer stop()
	if err != nil {
		return err
	}
	l, err := a.talk(sb)
	if err != nil {
		return err
	}
	a.phase = trial.CauseProvider
	if err := l.Work(own); err != nil {
		return err
	}
	a.phase = trial.CauseSandbox
	stop() // what they run is none of what the contestant left
	if err := errors.Join(a.rec.Failed(), a.place.Take(ctx), loan.TakeBack(ctx)); err != nil {
		return err
	}
	if a.rec.Redo.Over() { // what it left is wanted, and no verdict
		a.final, err = sb.Seal(ctx)
		return err
	}
	return a.judge(ctx, sb, start, l)
}

// talk sets up the conversation, or the agent program.
func (a *attempt) talk(sb sandbox.Sandbox) (worker, error) {
	if a.agent != nil {
		a.agent.In(sb)
		a.loop = program{a.agent}
		return a.loop, nil
	}
	r, t := a.r, a.t
	offer := t.Offer(a.own.Recipe)
	set := offer.Set(a.gate, r.Models[a.plan.Model].CommandTime(t))
	if err := set.Serve(offer, a.sessions); err != nil {
		return nil, err
	}
	shared := *r.shared
	shared.Recipe = a.own.Recipe
	me := r.Models[a.plan.Model]
	cfg := &loop.Config{Shared: &shared, Trial: a.plan, Model: me.ID, Prompt: t.Told(), Sandbox: sb, Gate: a.gate,
		Tools: set, Record: a.rec, Place: a.place, Claim: a.claim, Outcome: &a.out,
		Speaker: func(id string) loop.Speaker {
			who := me
			if id != me.ID {
				who = r.Models[id]
			}
			return loop.Speaker{Chat: who.ChatFor(t, a.id), Traits: who.Traits()}
		},
		Timeout:  cmp.Or(t.Timeout, r.Recipe.Constraints.Timeout, v1.Timeout),
		MaxSteps: r.Recipe.Constraints.MaxSteps}
	if t.MaxSteps != nil {
		cfg.MaxSteps = *t.MaxSteps
	}
	if a.resumed() {
		cfg.Before = a.hand.history
	}
	a.loop = loop.New(cfg)
	if cfg.Before != nil {
		a.rec.Note("carried", fmt.Sprintf("%d messages of trial %s", cfg.Before.Len(), a.hand.from))
	}
	return a.loop, nil
}

// resumed reports whether the conversation of another task goes on.
func (a *attempt) resumed() bool {
	return a.hand != nil && a.hand.history != nil && !baseline.Is(a.r.Models[a.plan.Model].ID)
}

// judge takes what the contestant left, and judges it in the trial's own world
// and where the contestant can't reach.
func (a *attempt) judge(ctx context.Context, sb sandbox.Sandbox, start *verify.Start, l worker) error {
	began := a.r.env.Clock.Now()
	scene, live, err := a.t.Checks.End(ctx, sb, start, a.r.Opening(a.t, a.from))
	a.rec.Elsewhere(sb)
	a.rec.Network(a.gate)
	if err != nil {
		return err
	}
	a.final, scene.Draw = scene.State, a.r.Draw(a.plan)
	used := l.Used()
	scene.Idle = a.idle(used)
	facts := verify.Loop{Answer: a.out.Answer, Tools: used.Calls, ToolErrors: a.out.Counters.Failures(),
		Wrote: used.Wrote, Latency: used.Time, Live: live}
	if usd, ok := l.Cost(); ok {
		facts.CostUSD = &usd
	}
	j, err := a.t.Checks.Judge(ctx, scene, start, facts)
	if err != nil {
		return err
	}
	a.out.Verdicts, a.out.SideEffects = j.Verdicts, j.SideEffects
	var detail string
	a.out.Status, a.out.Cause, detail = verdict.Decide(j.Verdicts, j.Changed, a.out.Stop)
	a.out.Detail = joined(a.out.Detail, detail)
	a.out.Seconds.Judge = a.r.env.Clock.Now().Sub(began).Seconds()
	a.rec.Emit(trial.Event{Kind: trial.Judged, Verdicts: j.Verdicts})
	if j.Final != nil {
		if err := a.keep(ctx, kept{start, j.Final, facts}); err != nil {
			return err
		}
	}
	return a.rec.Err()
}

// history is what was said; nil: nothing.
func (a *attempt) history() *loop.History {
	if a.loop == nil {
		return nil
	}
	return a.loop.Messages()
}

// handOver passes on what a trial that counts has left, or removes it.
func (a *attempt) handOver(id string) {
	if a.final == nil {
		return
	}
	var err error
	if a.hand != nil && (a.out.Status == trial.Pass || a.out.Status == trial.Fail) {
		err = a.hand.take(id, a.final, a.history())
	} else {
		err = a.final.Release()
	}
	if err != nil {
		a.rec.Note("leftover", err.Error())
	}
}

// void says what an error makes of the attempt: it is never the model's doing.
func (a *attempt) void(ctx context.Context, err error) {
	a.out.Status, a.out.Cause, a.out.Detail = trial.Void, a.phase, err.Error()
	if a.out.Stop == "" || a.out.Stop == trial.StopDone {
		a.out.Stop = trial.StopBroken
	}
	var staging *verify.StagingError
	var changed *mcp.ChangedError
	var hook *loop.HookError
	var broke *budget.Error
	var place *lend.PlaceError
	var back *lend.BackError
	switch {
	case ctx.Err() != nil:
		a.out.Stop, a.out.Cause, a.out.Detail = trial.StopCancelled, trial.CauseCancelled, "interrupted"
	case errors.Is(err, loop.ErrStopped):
		a.out.Stop, a.out.Cause = trial.StopCancelled, trial.CauseCancelled
	case errors.As(err, &broke): // as if it had never begun: it stays to be done
		a.out.Stop, a.out.Cause = trial.StopCancelled, trial.CauseCancelled
	case errors.As(err, &staging) && a.hand != nil && a.hand.state != nil:
		// Admission staged it on what the solutions leave, so what the model
		// left is at fault; a void would spare it the tasks it has spoilt.
		a.out.Status, a.out.Cause = trial.Fail, trial.CauseWrongFix
		a.out.Detail = fmt.Sprintf("the task can't be staged on what trial %s left: %v", a.hand.from, err)
	case errors.As(err, &place) && a.hand != nil && a.hand.state != nil:
		a.out.Status, a.out.Cause = trial.Fail, trial.CauseWrongFix
		a.out.Detail = fmt.Sprintf("on what trial %s left: %v", a.hand.from, err)
	case errors.As(err, &back): // else who is given files could void its trials
		a.out.Status, a.out.Cause = trial.Fail, trial.CauseWrongFix
	case errors.As(err, &staging), errors.As(err, &changed):
		a.out.Cause = trial.CauseStaging
	case errors.As(err, &hook):
		a.out.Cause = trial.CauseHook
	case errors.Is(err, sandbox.ErrUnavailable):
		a.out.Cause = trial.CauseSandbox
	}
}

// joined puts two sentences together; "" is none.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
