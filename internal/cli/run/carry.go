package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/played"
	"cookoff/internal/ui/stdio"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/report/gates"
	"cookoff/runner"
	"cookoff/trial"
)

// open reads the recipe, lays the flags over it and checks everything, all
// problems at once. Nothing is run and nothing is sent; an apply that was cut off is taken back. past is the run to go on
// with, if any.
func (f *runFlags) open(ctx context.Context, d *door.Door, name string, past *cookoff.ResumedRun) (*cookoff.Comparison,
	error) {
	if !f.dryRun {
		if err := door.TakeBack(d.Common, d.Dir); err != nil {
			return nil, err
		}
	}
	o := d.Options(f.locked, f.yes)
	o.Build = f.build
	if f.replay != "" {
		again, err := cookoff.FindRecorded(d.Dir, f.replay)
		if err != nil {
			return nil, err
		}
		o.Replay = again
		name = f.planned(name, again.Record)
	}
	if past != nil {
		o.Resume = past
		name = f.planned(name, past.Run())
	}
	r, ps, err := d.Find(ctx, name, o)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, cli.Fail(cli.ExitUsage, ps)
	}
	d.Loaded(r, name)
	if *f, err = f.narrow(d, r); err != nil {
		return nil, err
	}
	f.lay(&o, r)
	c, err := cookoff.Check(ctx, r, ps, o)
	if wrong, ok := errors.AsType[problem.List](err); ok && len(f.models) > 0 {
		err = fromFlag(wrong, r)
	}
	if err != nil {
		return nil, door.Failure(ctx, err)
	}
	warnings := c.Problems()
	if len(f.models) > 0 {
		warnings = fromFlag(warnings, r)
	}
	d.Warn(warnings)
	if past != nil {
		sayOthers(d, r, past.Run())
	}
	return c, door.Failure(ctx, c.Ready(ctx))
}

// lay puts the flags into the options.
func (f *runFlags) lay(o *cookoff.Options, r *recipe.Recipe) {
	o.Models, o.Trials, o.Repairs, o.Allow = f.models, f.trials, dirs(f.repairs), f.allow
	o.Select = func(tasks []string) ([]string, error) { return f.pick(tasks, r.Context.TaskMode == "sequential") }
	if f.shard != "" {
		f.part = &trial.Shard{}
		o.Shard = f.part
	}
	o.Until, o.Seed = f.until, f.seed
	o.Hosts, o.CopySelf = f.hosts, f.copySelf
	o.Parallel, o.Retries, o.MaxCost = f.parallel, f.retries, float64(f.maxCost)
	o.ProviderWait, o.StopOnLoss, o.Unasked = f.wait, f.onLoss == lossStop, f.unasked
	o.Keep, o.Outputs, o.Record, o.Dry = runner.Keep(f.keep), f.outputs(), f.record, f.dryRun
}

// planned fills in what the flags leave to a run that was made, and gives its recipe
// where none is named.
func (f *runFlags) planned(name string, run trial.Run) string {
	if len(f.models)+len(f.contestants) == 0 {
		f.models = run.Models
	}
	if f.trials == 0 {
		for _, t := range run.Trials {
			f.trials = max(f.trials, t.N)
		}
	}
	if f.seed == 0 {
		f.seed = run.Seed
	}
	if q := run.Question; q != nil {
		f.until = cookoff.Until{Decided: q.Ask, Alpha: q.Level, Delta: 100 * q.Delta}
	}
	f.tasks = run.Tasks
	return cmp.Or(name, run.Source)
}

// fromFlag says of problems with models that they are not the recipe's.
func fromFlag(ps problem.List, r *recipe.Recipe) problem.List {
	out := slices.Clone(ps)
	for i := range out {
		if out[i].Pos == r.Place("models") {
			out[i].Pos = problem.Pos{File: "--models"}
		}
		for n := range len(r.Models) + 1 {
			if out[i].Pos == r.At(fmt.Sprintf("models[%d]", n)) {
				out[i].Pos = problem.Pos{File: "--models"}
			}
		}
	}
	return out
}

// start carries out a plan once the user agrees to what it may cost, shows how it
// goes on and prints the report.
func (f *runFlags) start(ctx context.Context, d *door.Door, c *cookoff.Comparison, want gates.Set) error {
	if err := c.ConfirmCost(ctx); err != nil {
		return door.Failure(ctx, err)
	}
	run := c.Run
	if c.Options().Resume != nil {
		run = c.Resume
	}
	door.Sweep(d)
	events, err := openEvents(d, c, f.events)
	if err != nil {
		return err
	}
	defer events.close(d)
	w := &watch{door: d, comparison: c, ctx: ctx}
	w.conclude = func(so *cookoff.Result) error {
		return conclusion{so.Report, want, f.Output, nil, so.Interrupted, so.Dir}.print(d)
	}
	attended, stop := stdio.UntilUnread(ctx, os.Stderr)
	res, err := run(attended, w, events.stream, after{d.After})
	stop()
	if w.done {
		return w.err
	}
	if res == nil {
		if errors.Is(err, cookoff.ErrNotStarted) {
			d.Say("%v", err)
			return cli.Fail(cli.ExitInterrupted, nil)
		}
		return door.Failure(ctx, err)
	}
	if res.Admitted > 0 && d.Verbose {
		d.Say("%s admitted before, by the same cookoff and tools", text.Count(res.Admitted, "task"))
	}
	if res.Stored > 0 && d.Verbose {
		d.Say("%s stored, %s", text.Count(res.Stored, "final state"), text.Bytes(res.StoredBytes))
	}
	if err := (conclusion{res.Report, want, f.Output, err, res.Interrupted, res.Dir}).print(d); err != nil {
		if other := compareReplay(d, res.Replay); other != nil { // which says why
			return other
		}
		return err
	}
	if where := whereTime(res.Report); where != "" && d.Verbose {
		d.Say("%s", where)
	}
	return compareReplay(d, res.Replay)
}

// after is a sink that may be none.
type after struct{ next trial.Sink }

// Emit passes an event on.
func (a after) Emit(e trial.Event) error {
	if a.next == nil {
		return nil
	}
	return a.next.Emit(e)
}

// compareReplay says where a replay went another way, and fails when it came out
// differently. nil is no replay.
func compareReplay(d *door.Door, r *played.Comparison) error {
	if r == nil {
		return nil
	}
	for _, line := range r.Diverged {
		d.Say("%s", text.Lines(line))
	}
	d.Say("replay of %s: %s as recorded, %d not", r.Of, text.Count(r.Same, "outcome"), len(r.Other))
	if len(r.Other) > 0 {
		return cli.Fail(cli.ExitGate, fmt.Errorf("the replay came out differently:\n  %s",
			strings.Join(r.Other, "\n  ")))
	}
	return nil
}

// dirs gives the directories of a flag, without an empty one.
func dirs(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
