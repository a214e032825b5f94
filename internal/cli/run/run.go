package run

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/choice"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/plan"
	"cookoff/internal/cli/reports"
	"cookoff/report/decide"
	"cookoff/report/gates"
	"cookoff/trial"
)

// runFlags are the flags of "run", most of them those of "resume" too.
type runFlags struct {
	models      []string
	contestants []string // of the recipe; nil: all
	task        choice.Globs
	shard       string
	trials      int
	seed        int64
	repairs     string
	allow       []string
	yes         bool

	parallel int
	hosts    hostNames
	copySelf bool // onto the hosts
	retries  int
	dryRun   bool
	maxCost  cli.USD
	given    func(flag string) bool
	wait     time.Duration // for a provider
	onLoss   string
	unasked  bool // --no-preflight
	record   bool
	watch    bool
	replay   string
	keep     string
	events   string

	until cookoff.Until

	divergence string // only of resume
	despite    bool
	corrupt    bool

	locked bool

	tasks  []string     // run these only; nil: any
	part   *trial.Shard // where --shard is given: what it stands for, once tasks are picked
	harbor []string     // directories of tasks for Harbor
	build  bool         // of their images, by an engine

	narrowing
	reports.Output
	reports.Gates
}

// Run is the command "run".
func Run(d *door.Door) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:        "run [RECIPE]",
		SuggestFor: []string{"start", "test", "eval", "bench", "benchmark"},
		Short:      "Let every model try every task, and print who fixed what",
		Long: `Runs a comparison: every model of the recipe tries every task in a sandbox of
its own, and what it leaves is judged. Everything is checked first; nothing is
sent to a model before every name, key, sandbox and task is known to be good.

RECIPE is a path, builtin:NAME, a bare name or git+https://host/repo//file@REV,
which is asked about before its first run; without it the recipe is looked for
("cookoff help finding-recipes"). With --harbor the tasks are Harbor's; those that can't
be tried here are named, and "cookoff lint" says why. The record of the run is kept in .cookoff/runs.`,
		Example: `  cookoff run
  cookoff run my.recipe.md --models openai/gpt-5,baseline/matcher
  cookoff run --task 'git*' --trials 3 --parallel 4
  cookoff run --failed --models openai/gpt-5
  cookoff run --trials 5 --until-decided best --delta 10
  cookoff run --harbor tasks/fix-git tasks/fix-path --models openai/gpt-5
  cookoff run --dry-run
  cookoff run --record
  cookoff run --replay latest
  cookoff run --fail-under 0.8:openai/gpt-5 --format junit -o report.xml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(f.harbor) > 0 {
				return nil
			}
			return cli.Positional(0, 1, "")(cmd, args)
		},
		ValidArgsFunction: d.CompleteRecipes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.harbor) > 0 {
				source, err := d.HarborSource(f.harbor, args)
				if err != nil {
					return err
				}
				return f.run(cmd.Context(), d, source)
			}
			return f.run(cmd.Context(), d, strings.Join(args, ""))
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.models, "models", nil, "compare these models, as `A,B`, instead of the recipe's")
	cli.HarborFlag(cmd, &f.harbor)
	cli.BuildFlag(cmd, &f.build)
	fl.StringSliceVar(&f.contestants, "contestants", nil,
		"compare only these contestants of the recipe, by their names, as `A,B`")
	choice.Flag(cmd, &f.task, "run")
	f.narrowing.flags(cmd, d)
	fl.StringVar(&f.shard, "shard", "",
		"run part `I/N` of the tasks; cookoff report RUN... makes one table of the parts")
	fl.IntVar(&f.trials, "trials", 0, "try each task `N` times with each model (0: as the recipe says)")
	fl.Int64Var(&f.seed, "seed", 0, "draw the tasks that vary from seed `N` (0: as the recipe says, else 1)")
	fl.StringVar(&f.until.Decided, "until-decided", "", "end the run once `QUESTION` is answered: "+decide.Words)
	fl.Float64Var(&f.until.Delta, "delta", 0,
		"with --until-decided: a difference of less than `POINTS` does not matter")
	fl.Float64Var(&f.until.Alpha, "false-alarms", 0,
		"with --until-decided: be wrong in `SHARE` of all runs at most (without the flag: 0.05)")
	fl.BoolVar(&f.dryRun, "dry-run", false,
		"check everything, print the plan and what it will probably cost, run nothing")
	fl.BoolVar(&f.watch, "watch", false,
		"run again each time the recipe or a file of the project is changed, until Ctrl-C")
	fl.BoolVar(&f.record, "record", false,
		"keep what models are asked and answer beside the journal (no keys), to be played again")
	fl.StringVar(&f.replay, "replay", "", "run the trials of the recorded `RUN` (latest: the last that was recorded) "+
		"again, without a network, and compare the outcomes")
	_ = cmd.RegisterFlagCompletionFunc("replay", reports.CompleteRuns(d.Common))
	f.carryingOut(cmd, d)
	_ = cmd.RegisterFlagCompletionFunc("task", d.CompleteTasks)
	_ = cmd.RegisterFlagCompletionFunc("models", d.CompleteModels) // fails only for an unknown flag
	return cmd
}

// run compares models, with --watch again and again.
func (f runFlags) run(ctx context.Context, d *door.Door, name string) error {
	if !f.watch {
		return f.once(ctx, d, name)
	}
	if f.replay != "" || f.dryRun {
		return cli.Usage("--watch runs what has changed: --replay and --dry-run do not go with it")
	}
	if _, err := f.check(d); err != nil {
		return err
	}
	return f.runOnChanges(ctx, d, name)
}

// once compares models.
func (f runFlags) once(ctx context.Context, d *door.Door, name string) error {
	want, err := f.check(d)
	if err != nil {
		return err
	}
	c, err := f.open(ctx, d, name, nil)
	if err != nil {
		return err
	}
	if err := knownModels(want, c.Recipe().Names()); err != nil {
		return err
	}
	if f.dryRun {
		found, _, err := c.Lint(ctx, cookoff.Lacking, nil, nil)
		if err != nil {
			return door.Failure(ctx, err)
		}
		cli.PrintProblems(d.Err, found)
		return plan.Print(d, c, f.Output)
	}
	return f.start(ctx, d, c, want)
}

// knownModels refuses a gate for a model that is not in the comparison.
func knownModels(g gates.Set, models []string) error {
	for flag, rates := range map[string][]gates.MinRate{"fail-under": g.FailUnder, "min-lower-bound": g.MinLower} {
		for _, f := range rates {
			if f.Model != "" && !slices.Contains(models, f.Model) {
				return cli.Usage("--%s names %q, which is not compared: models are %s", flag, f.Model,
					strings.Join(models, ", "))
			}
		}
	}
	return nil
}
