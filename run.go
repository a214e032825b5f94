package cookoff

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"cookoff/internal/faults"
	"cookoff/internal/host"
	"cookoff/internal/played"
	"cookoff/internal/preflight"
	"cookoff/internal/runs"
	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/runner"
	"cookoff/runner/resumed"
	"cookoff/trial"
)

// Watch is told how a run goes on, by one goroutine at a time.
type Watch interface {
	Begin(dir string)            // the run is recorded in dir from now on
	Admitting(done, of int)      // so many of the tasks are proven to be fit
	Copied(p runner.ProjectCopy) // what of the project trials start with
	// Closing is told, once an interrupted run is recorded, how many sandboxes are
	// still to be closed, which may take long, and what the run has come to.
	Closing(n int, so *Result)
	trial.Sink // each event of the trials that are left, once it is recorded
	End()      // nothing happens any more
}

// StepWatch is a Watch that is also told at which step the proof of a task is, as each
// begins: "the broken state", "the solution", "shortcut ID"; "": the proof is over.
// Tasks are proven at once: so is Proving called.
type StepWatch interface {
	Watch
	Proving(task, step string)
}

// Result is what came of a run.
type Result struct {
	Dir         string // where it is recorded
	Report      *report.Report
	Interrupted bool
	Admitted    int                // tasks that were proven before, by the same cookoff and tools
	Stored      int                // final states
	StoredBytes int64              // of them
	Replay      *played.Comparison // nil: the run was no replay
}

// Journal is the file that the run is recorded in.
func (r *Result) Journal() string { return filepath.Join(r.Dir, trial.JournalFile) }

// PreflightError says that providers don't answer as they have to, before anything
// was run.
type PreflightError = preflight.Error

// ErrNotStarted is a run that was interrupted before its first trial: nothing of it
// is kept.
var ErrNotStarted = errors.New("interrupted before the first trial: nothing was run")

// Run carries out the plan and records it below .cookoff/runs, once the user
// agrees to what it may cost and the machine and the providers have what it
// needs. w is told how it goes on; nil: nobody. also are given each event as the
// journal has it, once it is recorded.
//
// The error says why the run could not go on; beside it there is a Result wherever
// something was recorded. Where ctx ended the run, Result.Interrupted says so.
func (c *Comparison) Run(ctx context.Context, w Watch, also ...trial.Sink) (*Result, error) {
	if err := c.Ready(ctx); err != nil {
		return nil, err
	}
	if err := c.ConfirmCost(ctx); err != nil {
		return nil, err
	}
	if err := c.prep.env.Backend.Check(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, faults.Machinef("%w\n  hint: cookoff doctor says what this machine lacks; nothing was run", err)
	}
	if c.prep.opt.Replay == nil && !c.prep.opt.Unasked {
		if c.prep.opt.Resume != nil {
			c.prep.asking = c.Preflight
		} else if err := c.Preflight(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.prep.tryAgents(ctx); err != nil {
		return nil, err
	}
	if w == nil {
		w = unwatched{}
	}
	return c.carryOut(ctx, w, also)
}

// Resume goes on with the run of Options.Resume, as Run does.
func (c *Comparison) Resume(ctx context.Context, w Watch, also ...trial.Sink) (*Result, error) {
	if c.prep.opt.Resume == nil {
		return nil, errors.New("there is no run to go on with: Options.Resume says which")
	}
	if err := c.Ready(ctx); err != nil {
		return nil, err
	}
	if err := c.prep.opt.Resume.recall(c.prep.runner.Left()); err != nil {
		return nil, err
	}
	return c.Run(ctx, w, also...)
}

// Preflight asks every provider that a run needs whether it is there, takes the
// key and has the models, before anything is paid or waited for but the shortest of
// requests, which a limit of what the run spends counts. A *PreflightError names all that is wrong.
func (c *Comparison) Preflight(ctx context.Context) error {
	models := c.prep.asked()
	order, _ := preflight.Providers(models)
	if len(order) == 0 {
		return nil
	}
	c.prep.opt.Notify(Notice{Kind: host.Asking, Text: "asking " + text.Line(strings.Join(order,
		", ")) + " whether the models are there"})
	ask := preflight.Asker{Config: c.prep.host.Config, Limit: c.prep.env.MaxCost, Clock: c.prep.opt.Clock,
		Notify: c.prep.opt.Notify}
	usd, err := ask.Ask(ctx, models)
	if c.prep.runner != nil {
		c.prep.runner.Spend(usd)
	}
	return err
}

// carryOut runs the plan and records it.
func (c *Comparison) carryOut(ctx context.Context, w Watch, also []trial.Sink) (*Result, error) {
	id, builder := trial.NewRunID(time.Now()), report.New()
	if past := c.prep.opt.Resume; past != nil {
		id, builder = past.Run().ID, past.report
	}
	rec, err := openRecord(&c.prep.opt, c.prep.means, id)
	if err != nil {
		return nil, faults.Of(err)
	}
	journal := rec.journal
	res := &Result{Dir: filepath.Dir(journal.Path())}
	c.prep.env.States.In(res.Dir)
	w.Begin(res.Dir)
	c.prep.copied = w.Copied
	if by, ok := w.(StepWatch); ok {
		c.prep.atStep = by.Proving
	}
	c.prep.closing = func(n int) {
		w.Closing(n, &Result{Dir: res.Dir, Report: builder.Report(), Interrupted: true})
	}
	sink := trial.Tee(append([]trial.Sink{journal, builder, whatIsLeft{c.prep.runner, w}, c.prep.opt.Replay}, also...)...)
	if c.prep.decider != nil {
		sink = trial.Tee(sink, c.prep.decider)
	}
	runErr := c.prep.runner.RunAll(ctx, id, sink, w.Admitting)
	w.End()
	if c.prep.proofs != nil {
		res.Admitted = c.prep.proofs.Used()
	}
	res.Stored, res.StoredBytes = c.prep.env.States.Kept()
	runErr = rec.close(runErr)
	_, changed := errors.AsType[*resumed.ChangedError](runErr)
	_, absent := errors.AsType[*PreflightError](runErr)
	if changed || absent {
		return nil, runErr
	}
	res.Interrupted = ctx.Err() != nil
	if runErr != nil && !res.Interrupted { // the journal may have no room to say it
		_, broke := errors.AsType[*runner.BudgetError](runErr)
		_ = builder.Emit(trial.Event{Kind: trial.RunFinished, End: &trial.End{Error: runErr.Error(), Budget: broke}})
	}
	if removeIfEmpty(journal.Path()) && res.Interrupted {
		return nil, ErrNotStarted
	}
	if res.Report = builder.Report(); !res.Interrupted {
		runs.Store(journal.Path(), res.Report)
	}
	if c.prep.opt.Replay != nil {
		res.Replay = new(c.prep.opt.Replay.Compare())
	}
	return res, runErr
}

// whatIsLeft tells next of those trials only that are left: the others it has not
// seen.
type whatIsLeft struct {
	runner *runner.Runner
	next   trial.Sink
}

// Emit passes an event on.
func (w whatIsLeft) Emit(e trial.Event) error {
	if e.Kind == trial.RunStarted && e.Run != nil {
		run := *e.Run
		run.Trials = w.runner.Left()
		e.Run = &run
	}
	return w.next.Emit(e)
}

// unwatched is a run that nobody watches.
type unwatched struct{}

func (unwatched) Begin(string)              {}
func (unwatched) Closing(int, *Result)      {}
func (unwatched) Admitting(int, int)        {}
func (unwatched) Copied(runner.ProjectCopy) {}
func (unwatched) Emit(trial.Event) error    { return nil }
func (unwatched) End()                      {}
