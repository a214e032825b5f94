package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/runner/record"
	"cookoff/runner/traffic"
	"cookoff/sandbox"
	"cookoff/trial"
)

// maxSandboxFaults is how many trials in a row may lose their sandbox, where an
// empty one is lost as well, before the run gives up: then it is the machine, not
// chance.
const maxSandboxFaults = 3

// RunAll runs every trial of the plan, Env.Parallel at once, and records the
// run under id: run.started, the trials that are left, run.finished. Tasks are admitted
// first, without a model; admitting, when not nil, is told how far that is.
// The error is ctx's when the run was interrupted, the sink's when the record
// could not be kept, a *ChangedError, or says why the machine can't go on; what was
// finished before is in the record.
func (r *Runner) RunAll(ctx context.Context, id string, sink trial.Sink, admitting func(done, of int)) error {
	began := r.env.Clock.Now()
	at, done, err := r.snapshot(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := at.same(false); err != nil {
		return err
	}
	run := &runAll{r: at, id: id, sink: &lockedSink{sink: sink}, dead: map[string]string{}, faults: map[string]bool{}}
	run.excluded, err = at.admit(ctx, admitting)
	if err != nil {
		return err
	}
	if at, err = at.freeze(ctx, run.excluded); err != nil {
		return err
	}
	if err := at.same(true); err != nil {
		return err
	}
	run.r = at
	at.env.Past.teach(at.shared.Habits)
	rec := &record.Recorder{Sink: run.sink, Clock: r.env.Clock}
	rec.Emit(trial.Event{Kind: trial.RunStarted, Run: at.describeRun(id, run.excluded)})
	if rec.Err() != nil {
		return rec.Err()
	}
	err = run.all(ctx)
	end := &trial.End{Interrupted: ctx.Err() != nil, Seconds: r.env.Clock.Now().Sub(began).Seconds()}
	if d := r.env.Decider; d != nil && !end.Interrupted && err == nil {
		end.Decision = new(d.Decision())
	}
	if err != nil && !end.Interrupted {
		end.Error = err.Error()
		_, end.Budget = errors.AsType[*budget.Error](err)
	}
	rec.Emit(trial.Event{Kind: trial.RunFinished, End: end})
	return errors.Join(err, rec.Err())
}

func (r *Runner) describeRun(id string, excluded map[string]trial.Exclude) *trial.Run {
	c := r.recipe.Comparison
	run := &trial.Run{Schema: trial.Schema, ID: id, Version: r.env.Version, Tools: r.env.Tools, Recipe: r.recipe.Name, Source: r.recipe.Source(), Project: r.root, ProjectSum: r.digest,
		Digest: r.recipe.Digest(), Markdown: string(r.recipe.MarshalMarkdown()), Models: r.recipe.Models, Tasks: r.order,
		Baseline: r.baseline(), Confidence: cmp.Or(c.Confidence, 0.95), Seed: cmp.Or(c.Seed, 1), Parallel: r.env.Parallel, Trials: r.Plan(), MCP: r.digests()}
	if r.env.Past == nil {
		run.ProjectFiles = r.files
	}
	run.Outputs = r.outputs()
	for _, w := range r.despite.what {
		run.Warnings = append(run.Warnings, "the run went on though "+w)
	}
	if m := r.recipe.Metadata; m.Name+m.Description+m.Author+m.Version != "" || len(m.Tags) > 0 {
		run.Metadata = &trial.Metadata{Name: m.Name, Description: m.Description, Tags: m.Tags, Author: m.Author, Version: m.Version}
	}
	for _, t := range r.order {
		if x, ok := excluded[t]; ok {
			run.Excluded = append(run.Excluded, x)
		}
	}
	for _, s := range r.recipe.Sources() {
		run.Lock = append(run.Lock, trial.Pinned(s))
	}
	if r.recipe.Sandbox.Filesystem == string(sandbox.Unrestricted) {
		run.Warnings = append(run.Warnings, "filesystem: unrestricted: models and checks saw all files of the machine that its user may read; on another machine they would see others")
	}
	if r.recipe.SubAgent.MaxDepth > 0 {
		run.SubAgent = cmp.Or(r.recipe.SubAgent.Model, trial.SameModel)
	}
	run.Places = r.places()
	if d := r.env.Decider; d != nil {
		run.Question = new(d.Question())
	}
	if r.env.Prices != nil {
		run.Prices = r.env.Prices.Date()
	}
	return run
}

// places says where the recipe has its tasks, as far as it is known.
func (r *Runner) places() map[string]trial.Place {
	out := map[string]trial.Place{}
	for i, t := range r.recipe.Tasks {
		if at := r.recipe.At(fmt.Sprintf("tasks[%d]", i)); at.Line > 0 && slices.Contains(r.order, t.Name()) {
			out[t.Name()] = trial.Place{File: at.File, Line: at.Line}
		}
	}
	return out
}

// admit proves every task, without a model: broken as staged, mended by its
// solution. It gives the tasks that are not fit to be run.
func (r *Runner) admit(ctx context.Context, admitting func(done, of int)) (map[string]trial.Exclude, error) {
	out := map[string]trial.Exclude{}
	if r.unproven() {
		return out, nil
	}
	var mu sync.Mutex
	n := 0
	tell := func() {
		if admitting != nil {
			admitting(n, len(r.order))
		}
	}
	tell()
	if r.sequential() {
		return r.admitInOrder(ctx, func(done int) {
			n = done
			tell()
		})
	}
	err := r.parallel(ctx, len(r.order), func(ctx context.Context, i int) error {
		t := r.tasks[r.order[i]]
		key := r.proofKey(t, r.digest)
		if r.known(key, t) {
			mu.Lock()
			defer mu.Unlock()
			n++
			tell()
			return nil
		}
		open := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
			return r.open(ctx, t, st, p)
		}
		x, err := t.checks.Admit(ctx, open, t.shortcuts)
		if err != nil {
			return fmt.Errorf("admitting task %q: %w", r.order[i], err)
		}
		r.remember(key, x, t.checks.Learned())
		mu.Lock()
		defer mu.Unlock()
		if n++; x != nil {
			x.Task = r.order[i]
			out[x.Task] = *x
		}
		tell()
		return nil
	})
	return out, err
}

// parallel calls f for 0..n-1, Env.Parallel at once, in order of start. The
// first error ends it: no further call starts, and those under way are
// cancelled.
func (r *Runner) parallel(ctx context.Context, n int, f func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(r.env.Parallel, n) {
		wg.Go(func() {
			for i := range next {
				if err := f(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case <-ctx.Done():
		case next <- i:
			continue
		}
		break
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

// runAll is one run: what its trials share.
type runAll struct {
	r        *Runner
	id       string
	sink     trial.Sink
	excluded map[string]trial.Exclude

	mu     sync.Mutex
	dead   map[string]string // provider, or model -> why it can't be used any more
	faults map[string]bool   // trials in a row that lost their sandbox by the machine's doing
	broke  bool              // the budget had no room for a request: no further trial is started
}

func (a *runAll) all(ctx context.Context) error {
	chains := a.r.chains()
	err := a.r.parallel(ctx, len(chains), func(ctx context.Context, i int) error { return a.chain(ctx, chains[i]) })
	if err == nil && a.spent() {
		return a.r.budget.SpentUp()
	}
	return err
}

// one runs a trial, again while it is void and that may pass.
func (a *runAll) one(ctx context.Context, t trial.Trial, hand *handover) error {
	before, again, anew := a.r.goesOn(t, hand)
	if again != nil {
		before--
	} else if a.r.env.Past.isOver(t) && !hand.begunAnew() {
		return nil
	} else if anew != "" {
		hand.diverged()
	}
	seen := &remembered{sink: a.sink}
	seen.recall(a.r.env.Past, t, again)
	if d := a.r.env.Decider; d != nil && again == nil && !d.Wanted(t) {
		return nil // it could not change the answer
	}
	for n, tries := before+1, 1; ; tries++ {
		if cause, why := a.hopeless(t); cause != "" && again == nil {
			return a.skip(t, n, cause, why)
		}
		if a.spent() {
			return nil // the trial stays to be done
		}
		c, ok, err := a.r.budget.Begin(ctx, t, a.group(t))
		if err != nil || !ok {
			a.mu.Lock()
			a.broke = a.broke || err == nil
			a.mu.Unlock()
			return err
		}
		out, cause, err := a.r.attempt(ctx, try{t, n, hand, again, anew, a.id, c}, seen)
		again, anew = nil, ""
		c.End(out.Status == trial.Pass || out.Status == trial.Fail)
		if err != nil {
			return err
		}
		if diverged, ok := errors.AsType[*record.DivergedError](cause); ok {
			n, tries, anew = n+1, tries-1, anewText(diverged.Error(), seen.paid)
			seen.forget()
			hand.diverged()
			continue
		}
		if err := a.learn(t, out, cause); err != nil {
			return err
		}
		if out.Status != trial.Void || !passing(out.Cause) || final(cause) || tries > a.r.env.Retries {
			return nil
		}
		if again, anew = a.r.takenUp(t, out, seen); again == nil {
			n++
			seen.forget()
		}
	}
}

// group are the trials of all models that try what t tries.
func (a *runAll) group(t trial.Trial) (out []trial.Trial) {
	for _, g := range a.r.Left() {
		if cause, _ := a.hopeless(g); g.Task == t.Task && g.N == t.N && cause == "" {
			out = append(out, g)
		}
	}
	return out
}

// spent reports whether the budget was too small for a trial: those under way may
// end, no other is begun.
func (a *runAll) spent() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.broke
}

// passing says whether a void for this cause may not happen again.
func passing(c trial.Cause) bool {
	return slices.Contains([]trial.Cause{trial.CauseProvider, trial.CauseSandbox, trial.CauseInternal}, c)
}

// final says whether the provider would say the same again.
func final(cause error) bool {
	_, rejected := errors.AsType[*model.AuthError](cause)
	_, missing := errors.AsType[*model.NotFoundError](cause)
	_, lost := errors.AsType[*traffic.LostError](cause)
	return rejected || missing || lost
}

// hopeless says why a trial need not be started.
func (a *runAll) hopeless(t trial.Trial) (trial.Cause, string) {
	if x, ok := a.excluded[t.Task]; ok {
		return trial.CauseAdmission, fmt.Sprintf("the task was not admitted: %s: %s", x.Phase, x.Why)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range []string{traffic.Provider(t.Model), t.Model} {
		if why, ok := a.dead[name]; ok {
			return trial.CauseProvider, why
		}
	}
	return "", ""
}

// learn keeps what an outcome says about trials to come. A rejected key ends
// all trials of its provider; a machine that loses sandbox after sandbox ends
// the run.
func (a *runAll) learn(t trial.Trial, out trial.Outcome, cause error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if auth, ok := errors.AsType[*model.AuthError](cause); ok {
		a.dead[traffic.Provider(t.Model)] = auth.Error()
	}
	if lost, ok := errors.AsType[*traffic.LostError](cause); ok {
		a.dead[lost.Provider] = lost.Error()
		if a.r.env.StopOnLoss {
			return fmt.Errorf("%w\n  hint: cookoff resume goes on once it answers; --on-provider-loss skip goes on without it", lost)
		}
	}
	if _, ok := errors.AsType[*budget.Error](cause); ok {
		a.broke = true
	}
	lost, ok := errors.AsType[*machineError](cause)
	if !ok {
		clear(a.faults)
		return nil
	}
	if a.faults[t.ID] = true; len(a.faults) >= maxSandboxFaults {
		return fmt.Errorf("%d trials in a row lost their sandbox, the last one: %w\n  hint: cookoff doctor says what this machine lacks", len(a.faults), lost)
	}
	return nil
}

// skip records a trial that was not started.
func (a *runAll) skip(t trial.Trial, n int, cause trial.Cause, why string) error {
	rec := &record.Recorder{Sink: a.sink, Clock: a.r.env.Clock, Trial: t.ID, Attempt: n}
	rec.Emit(trial.Event{Kind: trial.TrialStarted, Start: &t})
	rec.Emit(trial.Event{Kind: trial.TrialFinished, Outcome: &trial.Outcome{Status: trial.Void, Cause: cause, Stop: trial.StopBroken, Detail: why}})
	return rec.Err()
}

// lockedSink lets trials that run at once share a sink.
type lockedSink struct {
	mu   sync.Mutex
	sink trial.Sink
}

// Sync lets trials share a turn of the disk.
func (s *lockedSink) Sync() error { return trial.Sync(s.sink) }

func (s *lockedSink) Emit(e trial.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sink.Emit(e)
}
