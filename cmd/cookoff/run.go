package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/config"
	"cookoff/internal/host"
	"cookoff/internal/progress"
	"cookoff/internal/runs"
	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/runner"
	"cookoff/trial"
)

// runFlags are the flags of "run".
type runFlags struct {
	models  []string
	task    string
	shard   string
	trials  int
	repairs string
	allow   []string
	yes     bool

	parallel int
	retries  int
	dryRun   bool
	maxCost  float64
	wait     time.Duration // for a provider
	onLoss   string
	unasked  bool // --no-preflight
	record   bool
	replay   string
	keep     string
	events   string

	divergence string // only of resume
	despite    bool
	corrupt    bool

	tasks []string // run these only; nil: any
	begun *begun   // the run to go on with

	narrowing
	reports.Output
	reports.Gates
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [RECIPE]",
		Short: "Let every model try every task, and print who fixed what",
		Long: `Runs a comparison: every model of the recipe tries every task in a sandbox of
its own, and what it leaves is judged. Everything is checked first; nothing is
sent to a model before every name, key, sandbox and task is known to be good.

RECIPE is a path, builtin:NAME, a bare name or git+https://host/repo//file@REV,
which is asked about before its first run; without it the recipe is looked for
("cookoff help finding-recipes"). The record of the run is kept in .cookoff/runs.`,
		Example: `  cookoff run
  cookoff run my.recipe.md --models openai/gpt-5,baseline/matcher
  cookoff run --task 'git*' --trials 3 --parallel 4
  cookoff run --failed --models openai/gpt-5
  cookoff run --dry-run
  cookoff run --record
  cookoff run --replay latest
  cookoff run --fail-under 0.8:openai/gpt-5 --format junit -o report.xml`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: a.CompleteRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runRecipe(cmd.Context(), strings.Join(args, ""), f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.models, "models", nil, "compare these models, as `A,B`, instead of the recipe's")
	fl.StringVar(&f.task, "task", "", "run only the tasks whose name matches `GLOB`, upper and lower case alike")
	f.narrowing.flags(cmd, a)
	fl.StringVar(&f.shard, "shard", "", "run part `I/N` of the tasks; cookoff report RUN... makes one table of the parts")
	fl.IntVar(&f.trials, "trials", 0, "try each task `N` times with each model (0: as the recipe says)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "check everything, print the plan and what it will probably cost, run nothing")
	fl.BoolVar(&f.record, "record", false, "keep what models are asked and answer beside the journal (no keys), to be played again")
	fl.StringVar(&f.replay, "replay", "", "run the trials of the recorded `RUN` (latest: the last that was recorded) again, without a network, and compare the outcomes")
	_ = cmd.RegisterFlagCompletionFunc("replay", reports.CompleteRuns(&a.Common))
	f.carryingOut(cmd, a)
	_ = cmd.RegisterFlagCompletionFunc("task", a.CompleteTasks)
	_ = cmd.RegisterFlagCompletionFunc("models", a.completeModels) // fails only for an unknown flag
	return cmd
}

// carryingOut are the flags that "resume" has, too.
func (f *runFlags) carryingOut(cmd *cobra.Command, a *app) {
	fl := cmd.Flags()
	fl.IntVar(&f.parallel, "parallel", 0, "run `N` trials at once (0: as the cores allow)")
	fl.IntVar(&f.retries, "retries", 2, "try a void trial `N` times more")
	fl.StringArrayVar(&f.allow, "allow", nil, "let the recipe do `THIS`, one of "+strings.Join(permissions(), ", ")+"; repeatable (cookoff help trust)")
	fl.BoolVar(&f.yes, "yes", false, "ask nothing: run a recipe from elsewhere though it was never run here, and one that may cost more than confirm_above_usd")
	cli.LockedFlag(cmd, &a.locked)
	fl.StringVar(&f.repairs, "repairs", "", "add the repairs in `DIR`")
	fl.StringVar(&f.keep, "keep", string(runner.KeepAll), "store what trials leave beside the journal, to look at, apply or judge it again: `WHICH` is all, failed or none")
	_ = cmd.RegisterFlagCompletionFunc("keep", cobra.FixedCompletions(keepings(), cobra.ShellCompDirectiveNoFileComp))
	fl.StringVar(&f.events, "events", "", "write what happens to `FILE` as it happens, a line of JSON each, as the journal has it (-: standard output)")
	f.Output.Flags(cmd)
	f.Gates.Flags(cmd)
	fl.Float64Var(&f.maxCost, "max-total-cost", 0, "stop (exit 4) before the run spends more than this many `USD` (0: no limit)")
	fl.BoolVar(&f.unasked, "no-preflight", false, "don't ask providers first whether they are there, take the key and have the models")
	fl.DurationVar(&f.wait, "provider-wait", 0, "give a provider up that does not answer for `TIME`, or asks to wait longer (0: 10m of silence, 2h where it says when to ask again)")
	fl.StringVar(&f.onLoss, "on-provider-loss", lossSkip, "when a provider is given up, `DO` this: "+strings.Join(losses(), " its trials or ")+" the run")
	_ = cmd.RegisterFlagCompletionFunc("on-provider-loss", cobra.FixedCompletions(losses(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("allow", cobra.FixedCompletions(permissions(), cobra.ShellCompDirectiveNoFileComp))
}

// completeModels offers the baselines, and the providers that can be asked.
func (a *app) completeModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	out := []string{"baseline/noop", "baseline/matcher", "baseline/oracle"}
	if cfg, err := a.LoadConfig(); err == nil {
		for _, p := range cfg.Providers() {
			if p.Ready {
				out = append(out, p.Name+"/")
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// permissions are what --allow can say: what this build can give.
func permissions() []string { return config.Permissions() }

// keepings are the values of --keep.
func keepings() []string {
	return []string{string(runner.KeepAll), string(runner.KeepFailed), string(runner.KeepNone)}
}

// What --on-provider-loss can say.
const (
	lossSkip = "skip"
	lossStop = "stop"
)

func losses() []string { return []string{lossSkip, lossStop} }

// check refuses flags that can't be met.
func (f *runFlags) check(a *app) (report.Gates, error) {
	allowed := reports.Formats()
	if f.dryRun {
		allowed = planFormats()
	}
	if err := f.Output.Check(allowed...); err != nil {
		return report.Gates{}, err
	}
	for _, p := range f.allow {
		if err := cli.OneOf("allow", p, permissions()...); err != nil {
			return report.Gates{}, err
		}
	}
	if err := cli.OneOf("keep", f.keep, keepings()...); err != nil {
		return report.Gates{}, err
	}
	if err := cli.OneOf("on-provider-loss", f.onLoss, losses()...); err != nil {
		return report.Gates{}, err
	}
	if f.wait < 0 {
		return report.Gates{}, cli.Usage("--provider-wait %v: give a time from 0 on, as 90s or 1h", f.wait)
	}
	if f.divergence != "" {
		if err := cli.OneOf("on-divergence", f.divergence, divergences()...); err != nil {
			return report.Gates{}, err
		}
	}
	if f.shard != "" {
		if _, _, err := parseShard(f.shard); err != nil {
			return report.Gates{}, cli.Fail(cli.ExitUsage, err)
		}
	}
	if err := f.checkEvents(); err != nil {
		return report.Gates{}, err
	}
	if err := checkTask(f.task); err != nil {
		return report.Gates{}, err
	}
	if err := f.narrowing.check(); err != nil {
		return report.Gates{}, err
	}
	for _, n := range []struct {
		flag  string
		value int
	}{{"trials", f.trials}, {"parallel", f.parallel}, {"retries", f.retries}} {
		if n.value < 0 {
			return report.Gates{}, cli.Usage("--%s %d: give a number from 0 on", n.flag, n.value)
		}
	}
	if f.record && f.replay != "" {
		return report.Gates{}, cli.Usage("--record and --replay at once: what is replayed is recorded already")
	}
	if !(f.maxCost >= 0) || math.IsInf(f.maxCost, 1) {
		return report.Gates{}, cli.Usage("--max-total-cost %v: give a number of USD from 0 on", f.maxCost)
	}
	return f.Gates.Wanted(&a.Common)
}

func (a *app) runRecipe(ctx context.Context, name string, f runFlags) error {
	want, err := f.check(a)
	if err != nil {
		return err
	}
	p, err := a.prepare(ctx, name, f)
	if err != nil {
		return err
	}
	if err := knownModels(want, p.recipe.Models); err != nil {
		return err
	}
	if f.dryRun {
		if p.env.Backend.Check(ctx) == nil {
			found, err := p.runner.Lacking(ctx)
			if err != nil {
				return cli.Fail(cli.ExitInfra, err)
			}
			cli.PrintProblems(a.Err, found)
		}
		return a.printPlan(p, f.Output)
	}
	return a.start(ctx, p, f, want)
}

// start carries out a plan once the user agrees to what it may cost, and the
// machine has what it needs.
func (a *app) start(ctx context.Context, p *prepared, f runFlags, want report.Gates) error {
	if err := a.agreed(ctx, p, f.yes); err != nil {
		return err
	}
	sweep(&a.Common, p.begun)
	if err := p.env.Backend.Check(ctx); err != nil {
		if ctx.Err() != nil {
			return cli.Fail(cli.ExitInterrupted, nil)
		}
		return cli.Fail(cli.ExitInfra, fmt.Errorf("%w\n  hint: cookoff doctor says what this machine lacks; nothing was run", err))
	}
	if p.played == nil && !f.unasked {
		if err := a.preflight(ctx, p); err != nil {
			return err
		}
	}
	return a.carryOut(ctx, p, f, want)
}

// knownModels refuses a gate for a model that is not in the comparison.
func knownModels(g report.Gates, models []string) error {
	for flag, rates := range map[string][]report.FailUnder{"fail-under": g.FailUnder, "min-lower-bound": g.MinLower} {
		for _, f := range rates {
			if f.Model != "" && !slices.Contains(models, f.Model) {
				return cli.Usage("--%s names %q, which is not compared: models are %s", flag, f.Model, strings.Join(models, ", "))
			}
		}
	}
	return nil
}

// carryOut runs the plan, records it, shows how it goes on and prints the
// report.
func (a *app) carryOut(ctx context.Context, p *prepared, f runFlags, want report.Gates) error {
	events, err := a.openEvents(f.events, p.secrets)
	if err != nil {
		return err
	}
	defer events.close(a)
	id, builder := trial.NewRunID(time.Now()), report.New()
	if p.begun != nil {
		id, builder = p.begun.Run.ID, p.begun.report
	}
	journal, err := p.record(a.Dir, id)
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	dir := filepath.Dir(journal.Path())
	p.env.States.In(dir)
	if p.begun != nil {
		a.sayBehind(p)
	}
	a.sayClock()
	a.Say("%s: %s against %s, in %s", text.Line(p.recipe.Name), text.Count(len(p.recipe.Models), "model"), text.Count(len(p.runner.Tasks()), "task"), a.Rel(dir))
	endGroup := reports.Group(&a.Common, "trials")
	display := progress.Start(a.Err, a.progressMode(), nil)
	defer context.AfterFunc(ctx, func() {
		if !a.Quiet {
			display.Say("stopping; Ctrl-C again leaves at once")
		}
	})()
	*p.copied = func(c runner.ProjectCopy) {
		if !a.Quiet {
			display.Say(a.copied(c))
		}
	}
	sink := trial.Tee(journal, builder, whatIsLeft{p.runner, display}, p.played, events.stream)
	if a.after != nil {
		sink = trial.Tee(sink, a.after)
	}
	runErr := p.runner.RunAll(ctx, id, sink, display.Admitting)
	display.Stop()
	endGroup()
	if known, ok := p.env.Proofs.(*host.Proofs); ok && a.Verbose && known.Used() > 0 {
		a.Say("%s admitted before, by the same cookoff and tools", text.Count(known.Used(), "task"))
	}
	if n, size := p.env.States.Kept(); n > 0 && a.Verbose {
		a.Say("%s stored, %s", text.Count(n, "final state"), text.Bytes(size))
	}
	rescued := ""
	if errors.Is(runErr, trial.ErrGone) {
		rescued, _ = journal.Rescue() // then the table is all there is
	}
	if err := journal.Close(); err != nil && runErr == nil {
		runErr = err
	}
	if p.writer != nil {
		if err := p.writer.Close(); err != nil && runErr == nil {
			runErr = fmt.Errorf("the recording is not whole: %w", err)
		}
	}
	if errors.Is(runErr, trial.ErrGone) && rescued != "" {
		runErr = fmt.Errorf("%w\n  hint: what it held is in %s", runErr, rescued)
	}
	if _, changed := errors.AsType[*runner.ChangedError](runErr); changed {
		return cli.Fail(cli.ExitUsage, runErr)
	}
	interrupted := ctx.Err() != nil
	if runErr != nil && !interrupted { // the journal may have no room to say it
		_, broke := errors.AsType[*runner.BudgetError](runErr)
		_ = builder.Emit(trial.Event{Kind: trial.RunFinished, End: &trial.End{Error: runErr.Error(), Budget: broke}})
	}
	if removeIfEmpty(journal.Path()) && interrupted {
		a.Say("interrupted before the first trial: nothing was run")
		return cli.Fail(cli.ExitInterrupted, nil)
	}
	if err := a.conclude(conclusion{builder.Report(), want, f.Output, runErr, interrupted, dir}); err != nil {
		return err
	}
	return p.played.compare(a)
}

// sayClock says that the clock was set back: names of runs sort by time.
func (a *app) sayClock() {
	last, err := trial.FindRun(a.Dir, "")
	if err != nil {
		return
	}
	if id := filepath.Base(filepath.Dir(last)); id > trial.NewRunID(time.Now().Add(time.Minute)) {
		a.Say("the clock is behind: the run %s is of a later time, and \"latest\" goes on to mean that one", text.Line(id))
	}
}

// removeIfEmpty removes the directory of a run that never began.
func removeIfEmpty(path string) bool {
	if st, err := os.Stat(path); err != nil || st.Size() > 0 {
		return false
	}
	return os.RemoveAll(filepath.Dir(path)) == nil
}

// conclusion is how a run ended.
type conclusion struct {
	report      *report.Report
	want        report.Gates
	output      reports.Output
	err         error // why it could not go on
	interrupted bool
	dir         string
}

// conclude prints what there is to report, and finds the exit code.
func (a *app) conclude(c conclusion) error {
	if !c.interrupted {
		runs.Store(filepath.Join(c.dir, trial.JournalFile), c.report)
	}
	c.report.Gates = c.want.Check(c.report)
	var printErr error
	if c.report.Run.ID != "" {
		printErr = errors.Join(reports.Print(&a.Common, reports.Recorded{Report: c.report, Journals: []string{filepath.Join(c.dir, trial.JournalFile)}}, c.output), reports.StepSummary(&a.Common, c.report))
	}
	switch {
	case c.interrupted:
		a.Say("interrupted: what finished is kept in %s\n  hint: cookoff resume %s goes on with it, cookoff report prints it again", a.Rel(c.dir), filepath.Base(c.dir))
		return cli.Fail(cli.ExitInterrupted, nil)
	case c.report.State == report.Spent:
		more := "with a larger --max-total-cost"
		if e, ok := errors.AsType[*runner.BudgetError](c.err); ok && e.Next > 0 {
			more = fmt.Sprintf("--max-total-cost %.2f", math.Ceil(100*(e.Spent+e.Next))/100)
		}
		return cli.Fail(cli.ExitSpent, fmt.Errorf("%w\n  hint: cookoff resume %s %s goes on with it", c.err, filepath.Base(c.dir), more))
	case c.err != nil:
		return cli.Fail(cli.ExitInfra, c.err)
	case printErr != nil:
		return cli.Fail(cli.ExitInfra, printErr)
	}
	if err := reports.GateFailure(&a.Common, c.report, c.want); err != nil {
		if c.report.Judged() == 0 {
			a.PrintError(errors.New("nothing could be judged: every trial is void"))
		}
		return err
	}
	return nil
}

// progressMode says how a run is shown: live on a terminal, with a line a
// finished trial with --verbose and in CI, else with a line now and then.
func (a *app) progressMode() progress.Mode {
	ci := a.Getenv("CI") != "" && a.Getenv("CI") != "false"
	switch {
	case a.Quiet:
		return progress.Quiet
	case a.Err.Terminal && !ci && a.Verbose:
		return progress.Full
	case a.Err.Terminal && !ci:
		return progress.Live
	case a.Verbose || ci:
		return progress.Plain
	}
	return progress.Brief
}
