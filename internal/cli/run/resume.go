package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/reports"
	"cookoff/internal/runs"
	"cookoff/internal/ui/stdio"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/trial"
)

// Resume is the command "resume".
func Resume(d *door.Door) *cobra.Command {
	var f runFlags
	f.divergence = string(runner.Restart)
	cmd := &cobra.Command{
		Use:        "resume [RUN]",
		SuggestFor: []string{"continue", "retry"},
		Short:      "Go on with a run that was interrupted, killed or out of money",
		Long: `Goes on with a run where it ended: by Ctrl-C, with the machine, out of money, or
with trials that are void for a cause that may pass (a provider that was down, a
lost sandbox). Trials that ended are kept as they are. One that was under way goes on
from its last recorded reply: its calls are carried out again in a new sandbox with
the recorded replies, and no model is asked for what it has answered. A trial that
can't be done again, as it reached a network, begins anew, as a further attempt, and
the report says what that cost (docs/durability.md).

Where a tool says something else than it did, times, numbers of processes and
temporary names aside, --on-divergence says what follows: restart begins the trial
anew, recorded goes on with what the tool said before.

RUN is an id of "cookoff runs", or "latest"; without it the latest run is taken. It
goes on only as the comparison that it was: with the same recipe, project,
tools and cookoff. What was changed since is said, and nothing is run. The models are
those that the run was begun with, also where the recipe names others by now, which is
said.

--max-total-cost counts what the run is known to have spent before.`,
		Example: `  cookoff resume
  cookoff resume 20261121-08 --parallel 2
  cookoff resume latest --max-total-cost 5 --format json
  cookoff resume --on-divergence recorded`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: reports.CompleteRuns(d.Common),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.resume(cmd.Context(), d, strings.Join(args, ""))
		},
	}
	cmd.Flags().SortFlags = false
	f.carryingOut(cmd, d)
	cmd.Flags().StringVar(&f.divergence, "on-divergence", f.divergence,
		"where a call that is made again gives something else than it did: "+
			"`HOW` is restart (the trial begins anew) or recorded (it goes on with what was recorded)")
	_ = cmd.RegisterFlagCompletionFunc("on-divergence",
		cobra.FixedCompletions(divergences(), cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&f.despite, "despite-changes", false,
		"go on though the recipe, the project, tools or cookoff were changed since; the report says what was")
	cmd.Flags().BoolVar(&f.corrupt, "ignore-corrupt", false,
		"go on with a journal that has lines which can't be read; the trials they belong to begin anew")
	return cmd
}

// outputs are the files that a run writes for its user, by its flags or since the shell
// has what it prints go there.
func (f *runFlags) outputs() []string {
	var out []string
	for _, name := range append([]string{f.Output.File, f.events}, f.Output.Also...) {
		if name != "" && name != "-" {
			out = append(out, name)
		}
	}
	return append(out, stdio.Redirected()...)
}

// divergences are the values of --on-divergence.
func divergences() []string { return []string{string(runner.Restart), string(runner.UseRecorded)} }

// resume goes on with a run.
func (f runFlags) resume(ctx context.Context, d *door.Door, name string) error {
	want, err := f.check(d)
	if err != nil {
		return err
	}
	past, err := cookoff.OpenRun(name, d.Options(f.locked, f.yes))
	if err != nil {
		return err
	}
	defer past.Close() // done already where the run went on
	past.Corrupt, past.OnDivergence, past.DespiteChanges = f.corrupt, runner.OnDivergence(f.divergence), f.despite
	if err := past.Read(); err != nil {
		return err
	}
	reports.SayDamage(d.Common, past.Damage)
	if err := knownModels(want, past.Run().Models); err != nil {
		return err
	}
	if past.Finished() {
		if err := past.End(); err != nil {
			return err
		}
		door.Sweep(d)
		what := "nothing is left to do"
		if past.Answered() {
			what = "its question is answered, and what is left can't change that"
		}
		d.Say("the run %s has ended: %s", past.Run().ID, what)
		runs.Store(past.Journal(), past.Report())
		return conclusion{past.Report(), want, f.Output, nil, false, past.Dir()}.print(d)
	}
	f.record = past.Recorded()
	c, err := f.open(ctx, d, "", past)
	if err != nil {
		return err
	}
	return f.start(ctx, d, c, want)
}

// sayOthers says that a run goes on with what it was begun with where its recipe names
// other contestants: those were edited since, or --models chose them.
func sayOthers(d *door.Door, r *recipe.Recipe, run trial.Run) {
	named := r.Choose(r.Names()).Names() // as the record writes them
	if slices.Equal(slices.Sorted(slices.Values(named)), slices.Sorted(slices.Values(run.Models))) {
		return
	}
	list := func(names []string) string { return text.Line(strings.Join(names, ", ")) }
	now := "names " + list(named)
	if len(named) == 0 {
		now = "names no contestants"
	}
	d.Say("the recipe %s; the run goes on with those that it was begun with: %s", now, list(run.Models))
}

// sayBehind says what a run that goes on has behind it.
func sayBehind(d *door.Door, c *cookoff.Comparison, past *cookoff.ResumedRun) {
	d.Say("%d of %s are left", len(c.Plan()), text.Count(len(past.Run().Trials), "trial"))
	if trials, replies := past.Reused(); trials > 0 {
		d.Say("trials that go on from where they were: %d; recorded replies that are not asked for again: %d", trials,
			replies)
	}
	lost := past.Unsettled()
	if lost.Requests == 0 {
		return
	}
	cost := fmt.Sprintf("at most $%.4f", lost.USD)
	if lost.Unknown > 0 {
		cost = "at a cost that nobody knows"
	}
	d.Say("requests under way when the run was cut off: %d, %s; each is asked again once", lost.Requests, cost)
}
