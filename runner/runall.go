package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cookoff/model"
	"cookoff/runner/budget"
	"cookoff/runner/closing"
	"cookoff/runner/cores"
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
	copied, done, err := r.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer done()
	at := new(*r)
	at.Staging = copied
	at.late = &closing.Late{}
	if err := at.same(false); err != nil {
		return err
	}
	if ask := r.env.Asking; ask != nil {
		if err := ask(ctx); err != nil {
			return err
		}
	}
	run := &runAll{r: at, id: id, sink: &lockedSink{sink: sink}, dead: map[string]string{}, faults: map[string]bool{},
		room: newRoom()}
	if !r.unproven() {
		if run.excluded, err = at.admission().All(ctx, admitting); err != nil {
			return err
		}
	}
	if at.servers, err = at.servers.asked(ctx, &at.Worlds, run.excluded); err != nil {
		return err
	}
	if err := at.same(true); err != nil {
		return err
	}
	at.env.Journal.Teach(at.shared.Habits)
	rec := &record.Recorder{Sink: run.sink, Clock: r.env.Clock}
	rec.Emit(trial.Event{Kind: trial.RunStarted, Run: at.describeRun(id, run.excluded)})
	if rec.Err() != nil {
		return rec.Err()
	}
	disk := at.OnDisk()
	err = run.all(ctx)
	end := &trial.End{Interrupted: ctx.Err() != nil, Seconds: r.env.Clock.Now().Sub(began).Seconds()}
	if !end.Interrupted {
		end.Changed = disk.Changed(ctx)
	}
	if d := r.env.Decider; d != nil && !end.Interrupted && err == nil {
		end.Decision = new(d.Decision())
	}
	if err != nil && !end.Interrupted {
		end.Error = err.Error()
		_, end.Budget = errors.AsType[*budget.Error](err)
	}
	rec.Emit(trial.Event{Kind: trial.RunFinished, End: end})
	tell := r.env.Closing
	if ctx.Err() == nil {
		tell = nil // nobody waits for the table: what ended the run has to be said first
	}
	at.late.End(tell)
	return errors.Join(err, rec.Err())
}

// describeRun makes the record with which a journal begins: of what recipe, project and
// contestants the run is, its plan of trials, the tasks it leaves out, and warnings that
// hold for all of it.
func (r *Runner) describeRun(id string, excluded map[string]trial.Exclude) *trial.Run {
	c := r.Recipe.Comparison
	run := &trial.Run{Schema: trial.Schema, ID: id, Version: r.env.Version, Tools: r.env.Tools,
		Programs: r.env.Programs, Recipe: r.Recipe.Name,
		Source: r.Recipe.Source(), Project: r.Root, ProjectSum: r.Digest,
		Digest: r.Recipe.Digest(), Markdown: string(r.Recipe.MarshalMarkdown()), Models: r.Recipe.Names(),
		Contestants: Contestants(r.Values), Tasks: r.Order,
		Baseline: r.Baseline(), Confidence: cmp.Or(c.Confidence, 0.95), Seed: cmp.Or(c.Seed, 1), Parallel: r.env.Parallel,
		Trials: r.Plan(), MCP: r.servers.digests(), Planted: r.env.Planted}
	if run.Shard = r.env.Shard; r.env.Journal == nil {
		run.ProjectFiles = r.Listed
	} else {
		run.Shard = r.env.Journal.Run.Shard
	}
	run.Outputs = r.env.Outputs
	for _, w := range r.despite.what {
		run.Warnings = append(run.Warnings, "the run went on though "+w)
	}
	for _, name := range r.repriced() {
		run.Warnings = append(run.Warnings, fmt.Sprintf("the price of %s was changed since the run began: "+
			"what it had cost by then is counted as it was", name))
	}
	run.Hosts = r.env.Seats.Kinds()
	for _, how := range r.env.Mixed {
		run.Warnings = append(run.Warnings, "the hosts differ, which was allowed: "+how)
	}
	if m := r.Recipe.Metadata; m.Name+m.Description+m.Author+m.Version != "" || len(m.Tags) > 0 {
		run.Metadata = &trial.Metadata{Name: m.Name, Description: m.Description, Tags: m.Tags, Author: m.Author,
			Version: m.Version}
	}
	for _, t := range r.Order {
		if x, ok := excluded[t]; ok {
			run.Excluded = append(run.Excluded, x)
		}
	}
	for _, s := range r.Recipe.Sources() {
		run.Lock = append(run.Lock, trial.Pinned(s))
	}
	if r.Recipe.Sandbox.Filesystem == string(sandbox.Unrestricted) {
		run.Warnings = append(run.Warnings, "filesystem: unrestricted: "+
			"models and checks saw all files of the machine that its user may read; on another machine they would see others")
	}
	if r.Recipe.SubAgent.MaxDepth > 0 {
		run.SubAgent = cmp.Or(r.Recipe.SubAgent.Model, trial.SameModel)
	}
	for _, name := range r.Order {
		if day := r.TaskOf[name].Date; day != "" {
			if run.Dates == nil {
				run.Dates = map[string]string{}
			}
			run.Dates[name] = day
		}
	}
	run.Places, run.Groups = r.places(), r.groups()
	if d := r.env.Decider; d != nil {
		run.Question = new(d.Question())
	}
	if r.env.Prices != nil {
		ids := make([]string, len(run.Models))
		for i, name := range run.Models {
			if ids[i] = name; run.Contestant(name) != nil {
				ids[i] = run.Contestant(name).Model
			}
		}
		run.Prices = r.env.Prices.DateFor(ids)
	}
	return run
}

// groups gives the tags of tasks that name a group.
func (r *Runner) groups() map[string][]string {
	var out map[string][]string
	for _, name := range r.Order {
		for _, tag := range r.TaskOf[name].Tags {
			if group, value, is := strings.Cut(tag, ":"); is && group != "" && value != "" {
				if out == nil {
					out = map[string][]string{}
				}
				out[name] = append(out[name], tag)
			}
		}
	}
	return out
}

// places says where the recipe has its tasks, as far as it is known.
func (r *Runner) places() map[string]trial.Place {
	out := map[string]trial.Place{}
	for i, t := range r.Recipe.Tasks {
		if at := r.Recipe.At(fmt.Sprintf("tasks[%d]", i)); at.Line > 0 && slices.Contains(r.Order, t.Name()) {
			out[t.Name()] = trial.Place{File: at.File, Line: at.Line}
		}
	}
	return out
}

// runAll is one run: what its trials share.
type runAll struct {
	r        *Runner
	id       string
	sink     trial.Sink
	excluded map[string]trial.Exclude
	rounds   map[round][]trial.Trial // those that are left
	room     *room                   // on the disk below the sandboxes

	mu     sync.Mutex
	dead   map[string]string // provider, or model -> why it can't be used any more
	faults map[string]bool   // trials in a row that lost their sandbox by the machine's doing
	broke  bool              // the budget had no room for a request: no further trial is started
}

// round is what a trial of each contestant tries: a task, for the n-th time.
type round struct {
	task string
	n    int
}

// roundsOf sorts trials into rounds, once a run: there may be ten thousand of them.
func roundsOf(chains [][]trial.Trial) map[round][]trial.Trial {
	out := map[round][]trial.Trial{}
	for _, chain := range chains {
		for _, t := range chain {
			out[round{t.Task, t.N}] = append(out[round{t.Task, t.N}], t)
		}
	}
	return out
}

func (a *runAll) all(ctx context.Context) error {
	chains := a.r.chains()
	a.rounds = roundsOf(chains)
	err := error(nil)
	if a.r.env.Seats != nil {
		err = a.seated(ctx, chains)
	} else {
		err = cores.Parallel(ctx, a.r.env.Parallel, len(chains),
			func(ctx context.Context, i int) error { return a.chain(ctx, chains[i], nil) })
	}
	if err == nil && a.spent() {
		return a.r.budget.SpentUp()
	}
	return err
}

func (a *runAll) resuming() *resuming {
	return &resuming{a.r.env.Resume, &a.r.Worlds, &a.r.servers}
}

// group are the trials of all models that try what t tries.
func (a *runAll) group(t trial.Trial) (out []trial.Trial) {
	for _, g := range a.rounds[round{t.Task, t.N}] {
		if cause, _ := a.hopeless(g); cause == "" {
			out = append(out, a.r.paid(g))
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

// lasting says whether the provider would say the same again.
func lasting(cause error) bool {
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
	id := a.r.Models[t.Model].ID
	for _, name := range []string{traffic.Provider(id), id, t.Model} {
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
		a.dead[traffic.Provider(a.r.Models[t.Model].ID)] = auth.Error()
	}
	if lost, ok := errors.AsType[*traffic.LostError](cause); ok {
		a.dead[lost.Provider] = lost.Error()
		if a.r.env.StopOnLoss {
			return fmt.Errorf("%w\n  hint: cookoff resume goes on once it answers; --on-provider-loss skip goes on without it",
				lost)
		}
	}
	if _, ok := errors.AsType[*budget.Error](cause); ok {
		a.broke = true
	}
	if out.Status == trial.Pass || out.Status == trial.Fail {
		a.room.ended.Store(true)
	}
	lost, ok := errors.AsType[*machineError](cause)
	if !ok {
		clear(a.faults)
		return nil
	}
	if a.faults[t.ID] = true; len(a.faults) >= maxSandboxFaults {
		return fmt.Errorf("%d trials in a row lost their sandbox, the last one: %w\n"+
			"  hint: cookoff doctor says what this machine lacks", len(a.faults), lost)
	}
	return nil
}

// skip records a trial that was not started.
func (a *runAll) skip(t trial.Trial, n int, cause trial.Cause, why string) error {
	rec := &record.Recorder{Sink: a.sink, Clock: a.r.env.Clock, Trial: t.ID, Attempt: n}
	rec.Emit(trial.Event{Kind: trial.TrialStarted, Start: &t})
	rec.Emit(trial.Event{Kind: trial.TrialFinished,
		Outcome: &trial.Outcome{Status: trial.Void, Cause: cause, Stop: trial.StopBroken, Detail: why}})
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
