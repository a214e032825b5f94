// Package judge is the commands that look again at the trials of a run: what they left by
// today's checks, and where those that failed were lost.
package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/choice"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/reports"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
)

// judgeFlags are the flags of "judge".
type judgeFlags struct {
	recipe  string
	task    choice.Globs
	repairs string
	format  string
	allow   []string
	locked  bool
}

// asRecorded means the recipe as it was when the run was made.
const asRecorded = "recorded"

// Judge is the command "judge".
func Judge(d *door.Door) *cobra.Command {
	var f judgeFlags
	cmd := &cobra.Command{
		Use:   "judge [RUN]",
		Short: "Judge what trials left again, with today's checks",
		Long: `Judges the stored final states of a run again: each task is staged afresh, what
the trial changed is made in it, and the checks that the recipe has today have
the say. No model is asked, the record of the run stays as it is, and only what
comes out differently is printed (with --verbose all).

A trial can't be judged again, and the reason is said, where its final state was
not kept as a whole, where the task no longer starts with the files that the
trial found, and where a live check has no recorded verdict. Recorded verdicts
of live checks stand: they judged processes, which are gone.

The exit code is 1 when an outcome or its cause came out differently, 3 when no
trial could be judged.`,
		Example: `  cookoff judge
  cookoff judge 20261121-08 --task 'git*'
  cookoff judge latest --recipe recorded
  cookoff judge --recipe my.recipe.md --format json`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: reports.CompleteRuns(d.Common),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.judge(cmd.Context(), d, strings.Join(args, ""))
		},
	}
	cmd.Flags().SortFlags = false
	f.add(cmd, "take the checks of `RECIPE` (default: where the run found its own; recorded: as the run had it)")
	return cmd
}

// add adds the flags to a command; recipe says what --recipe does there.
func (f *judgeFlags) add(cmd *cobra.Command, recipe string) {
	fl := cmd.Flags()
	fl.StringVar(&f.recipe, "recipe", "", recipe)
	choice.Flag(cmd, &f.task, "judge")
	fl.StringVar(&f.repairs, "repairs", "", "add the repairs in `DIR`")
	fl.StringVar(&f.format, "format", "text", "text or json")
	fl.StringArrayVar(&f.allow, "allow", nil, "let the recipe do `THIS`, one of "+strings.Join(door.Permissions(),
		", ")+"; repeatable (cookoff help trust)")
	cli.LockedFlag(cmd, &f.locked)
	_ = cmd.RegisterFlagCompletionFunc("allow",
		cobra.FixedCompletions(door.Permissions(), cobra.ShellCompDirectiveNoFileComp))
}

func (f judgeFlags) check() error {
	if err := cli.OneOf("format", f.format, "text", "json"); err != nil {
		return err
	}
	for _, p := range f.allow {
		if err := cli.OneOf("allow", p, door.Permissions()...); err != nil {
			return err
		}
	}
	return f.task.Check("task")
}

// judge judges the trials of a run again.
func (f judgeFlags) judge(ctx context.Context, d *door.Door, run string) error {
	if err := f.check(); err != nil {
		return err
	}
	k, err := cookoff.FindKept(d.Dir, run)
	if err != nil {
		return err
	}
	if len(k.Outcomes) == 0 {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("no trial of run %s has ended: there is nothing to judge", k.Run.ID))
	}
	c, r, err := f.checked(ctx, d, k)
	if err != nil {
		return err
	}
	tell, done := counting(d, "judged")
	begin := func(trials int) { d.Say("judging %s of run %s again", text.Count(trials, "trial"), k.Run.ID) }
	got, err := c.Rejudge(ctx, k, begin, tell)
	done()
	if errors.Is(err, cookoff.ErrNoTrials) {
		return cli.Usage("no trial of run %s is of a task that the recipe has\n  hint: tasks of the run are %s; "+
			"--recipe recorded judges with its own recipe", k.Run.ID, text.Line(strings.Join(k.Run.Tasks, "; ")))
	}
	if err != nil {
		return door.Failure(ctx, err)
	}
	v := verdictsAgain(k, r, got.Trials)
	v.ProjectChanged = got.OtherProject
	if f.format == "json" {
		err = d.PrintJSON(v)
	} else {
		err = v.print(d)
	}
	if err != nil {
		return cli.Written(err)
	}
	return v.failed()
}

// checked makes ready what the recipe r says of the tasks of a run.
func (f judgeFlags) checked(ctx context.Context, d *door.Door, k *cookoff.Kept) (c *cookoff.Comparison,
	r *recipe.Recipe, err error) {
	if r, err = f.judging(ctx, d, k); err != nil {
		return nil, nil, err
	}
	o := d.Options(f.locked, false).ForJudging()
	o.Seed = k.Run.Seed
	o.Allow = f.allow
	if f.repairs != "" {
		o.Repairs = []string{f.repairs}
	}
	o.Select = func(tasks []string) ([]string, error) { return f.task.Pick(tasks, nil) }
	if c, err = cookoff.Check(ctx, r, nil, o); err != nil {
		return nil, nil, door.Failure(ctx, err)
	}
	return c, r, nil
}

// judging reads the recipe whose checks are applied.
func (f judgeFlags) judging(ctx context.Context, d *door.Door, k *cookoff.Kept) (*recipe.Recipe, error) {
	name := f.recipe
	if k.Run.Markdown == "" && (name == "" || name == asRecorded) {
		return nil, cli.Usage("what was shared of run %s holds neither its recipe nor what its trials left: "+
			"nothing of it can be done again\n  hint: cookoff share --full puts them in", k.Run.ID)
	}
	if name == asRecorded {
		r, err := recipe.ParseContent([]byte(k.Run.Markdown))
		if err != nil {
			return nil, cli.Fail(cli.ExitInfra, fmt.Errorf("the recipe of the run can't be read: %w", err))
		}
		return r, nil
	}
	if name == "" {
		name = k.Run.Source
	}
	if name == "" {
		return nil, cli.Usage("the run does not say where its recipe is\n" +
			"  hint: --recipe names one, --recipe recorded takes that of the run")
	}
	r, ps, err := d.Find(ctx, name, d.Options(f.locked, false))
	if err != nil {
		return nil, err
	}
	if r == nil || len(ps.Errors()) > 0 {
		d.Say("the checks are those of %s; --recipe names another recipe, --recipe recorded takes that of the run",
			text.Line(name))
		return nil, cli.Fail(cli.ExitUsage, ps)
	}
	d.Loaded(r, name)
	return r, nil
}

// counting shows on a terminal how far something is; done takes that away.
func counting(d *door.Door, what string) (tell func(n, of int), done func()) {
	if d.Quiet || !d.Err.Terminal {
		return nil, func() {}
	}
	return func(n, of int) { fmt.Fprintf(d.Err, "\r%s %d of %d\x1b[K", what, n, of) },
		func() { fmt.Fprint(d.Err, "\r\x1b[K") }
}
