package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/kept"
	"cookoff/internal/cli/reports"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/trial"
)

// judgeFlags are the flags of "judge".
type judgeFlags struct {
	recipe  string
	task    string
	repairs string
	format  string
	allow   []string
}

// asRecorded means the recipe as it was when the run was made.
const asRecorded = "recorded"

func (a *app) judgeCommand() *cobra.Command {
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
		ValidArgsFunction: reports.CompleteRuns(&a.Common),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.judge(cmd.Context(), strings.Join(args, ""), f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.recipe, "recipe", "", "take the checks of `RECIPE` (default: where the run found its own; recorded: as the run had it)")
	fl.StringVar(&f.task, "task", "", "judge only the tasks whose name matches `GLOB`, upper and lower case alike")
	fl.StringVar(&f.repairs, "repairs", "", "add the repairs in `DIR`")
	fl.StringVar(&f.format, "format", "text", "text or json")
	fl.StringArrayVar(&f.allow, "allow", nil, "let the recipe do `THIS`, one of "+strings.Join(permissions(), ", ")+"; repeatable (cookoff help trust)")
	cli.LockedFlag(cmd, &a.locked)
	_ = cmd.RegisterFlagCompletionFunc("allow", cobra.FixedCompletions(permissions(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f judgeFlags) check() error {
	if err := cli.OneOf("format", f.format, "text", "json"); err != nil {
		return err
	}
	for _, p := range f.allow {
		if err := cli.OneOf("allow", p, permissions()...); err != nil {
			return err
		}
	}
	return checkTask(f.task)
}

func (a *app) judge(ctx context.Context, run string, f judgeFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	k, err := kept.Find(&a.Common, run)
	if err != nil {
		return err
	}
	if len(k.Outcomes) == 0 {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("no trial of run %s has ended: there is nothing to judge", k.Run.ID))
	}
	r, err := a.judgingRecipe(ctx, k, f.recipe)
	if err != nil {
		return err
	}
	built, asked, err := a.judgingRunner(ctx, r, f)
	if err != nil {
		return err
	}
	states := trial.NewStateReader(k.Journal)
	defer states.Close()
	list := k.Recorded(built.Tasks(), states)
	if len(list) == 0 {
		return cli.Usage("no trial of run %s is of a task that the recipe has\n  hint: tasks of the run are %s; --recipe recorded judges with its own recipe", k.Run.ID, text.Line(strings.Join(k.Run.Tasks, "; ")))
	}
	a.Say("judging %s of run %s again", text.Count(len(list), "trial"), k.Run.ID)
	tell, done := a.counting("judged")
	got, otherProject, err := built.Rejudge(ctx, k.Run, list, tell)
	done()
	switch {
	case ctx.Err() != nil:
		return cli.Fail(cli.ExitInterrupted, nil)
	case err != nil:
		return cli.Fail(cli.ExitInfra, err)
	}
	got = slices.DeleteFunc(got, func(g runner.Rejudged) bool { return !asked.only(g.Trial.Task) })
	v := verdictsAgain(k, r, got)
	v.ProjectChanged = otherProject
	if f.format == "json" {
		err = a.PrintJSON(v)
	} else {
		err = a.printAgain(v)
	}
	if err != nil {
		return cli.Written(err)
	}
	return v.failure()
}

// judgingRecipe reads the recipe whose checks are applied.
func (a *app) judgingRecipe(ctx context.Context, k *kept.Run, name string) (*recipe.Recipe, error) {
	if k.Run.Markdown == "" && (name == "" || name == asRecorded) {
		return nil, cli.Usage("what was shared of run %s holds neither its recipe nor what its trials left: it can't be judged again\n  hint: cookoff share --full puts them in", k.Run.ID)
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
		return nil, cli.Usage("the run does not say where its recipe is\n  hint: --recipe names one, --recipe recorded takes that of the run")
	}
	r, ps, err := a.discover(ctx, name)
	if err != nil {
		return nil, err
	}
	if r == nil || len(ps.Errors()) > 0 {
		a.Say("the checks are those of %s; --recipe names another recipe, --recipe recorded takes that of the run", text.Line(name))
		return nil, cli.Fail(cli.ExitUsage, ps)
	}
	a.loaded(r, name)
	return r, nil
}

// judgingRunner builds a runner that asks no model. Where tasks build on each
// other it knows more of them than were asked for.
func (a *app) judgingRunner(ctx context.Context, r *recipe.Recipe, f judgeFlags) (*runner.Runner, taskFilter, error) {
	over := *r
	over.Models, over.Comparison.Baseline = []string{"baseline/noop"}, ""
	c, err := a.check(&over, nil, checkOptions{offline: true, allow: f.allow, repairs: f.repairs})
	if err != nil {
		return nil, nil, err
	}
	if len(c.problems.Errors()) > 0 {
		return nil, nil, cli.Fail(cli.ExitUsage, c.problems)
	}
	if c.env.Backend, err = a.WarmBackend(ctx, &over); err != nil {
		return nil, nil, err
	}
	c.env.Parallel = cli.Parallel()
	filter, err := c.filter(r, runFlags{task: f.task})
	if err != nil {
		return nil, nil, err
	}
	if over.Context.TaskMode != "sequential" { // there a trial needs those before it
		c.env.Only = filter.only
	}
	bound, err := over.BuildRunner()
	if err != nil {
		return nil, nil, cli.Fail(cli.ExitUsage, err)
	}
	built, err := runner.New(bound, c.env)
	if err != nil {
		return nil, nil, cli.Fail(cli.ExitUsage, err)
	}
	if err := c.env.Backend.Check(ctx); err != nil {
		return nil, nil, cli.Fail(cli.ExitInfra, fmt.Errorf("%w\n  hint: cookoff doctor says what this machine lacks", err))
	}
	return built, filter, nil
}

// counting shows on a terminal how far something is; done takes that away.
func (a *app) counting(what string) (tell func(n, of int), done func()) {
	if a.Quiet || !a.Err.Terminal {
		return nil, func() {}
	}
	return func(n, of int) { fmt.Fprintf(a.Err, "\r%s %d of %d\x1b[K", what, n, of) }, func() { fmt.Fprint(a.Err, "\r\x1b[K") }
}

// judgedAgain is what "judge" prints; keys of its JSON are only added.
type judgedAgain struct {
	Schema string `json:"schema"` // cookoff.judge/1
	Run    string `json:"run"`
	Recipe struct {
		Name   string `json:"name"`
		Digest string `json:"digest"`
		Was    string `json:"was"` // digest of the run's
	} `json:"recipe"`
	ProjectChanged bool         `json:"project_changed"`
	Same           int          `json:"same"`
	Changed        int          `json:"changed"`
	Unjudged       int          `json:"unjudged"`
	Trials         []trialAgain `json:"trials"`
}

type trialAgain struct {
	Trial   string       `json:"trial"`
	Model   string       `json:"model"`
	Task    string       `json:"task"`
	N       int          `json:"n"`
	Was     verdictOf    `json:"was"`
	Is      *verdictOf   `json:"is"` // null: not judged again
	Why     string       `json:"why,omitempty"`
	Changed bool         `json:"changed"`
	Checks  []checkAgain `json:"checks,omitempty"` // those that came out differently
	Carried []string     `json:"carried,omitempty"`
}

type verdictOf struct {
	Status trial.Status `json:"status"`
	Cause  trial.Cause  `json:"cause,omitempty"`
}

func (v verdictOf) String() string {
	return strings.TrimSpace(string(v.Status) + " " + string(v.Cause))
}

// checkAgain is a check whose verdict is another; "" where there was, or is,
// none.
type checkAgain struct {
	Check  string              `json:"check"`
	Was    trial.VerdictStatus `json:"was"`
	Is     trial.VerdictStatus `json:"is"`
	Detail string              `json:"detail,omitempty"`
}

func verdictsAgain(k *kept.Run, r *recipe.Recipe, got []runner.Rejudged) judgedAgain {
	v := judgedAgain{Schema: "cookoff.judge/1", Run: k.Run.ID, Trials: []trialAgain{}}
	v.Recipe.Name, v.Recipe.Digest, v.Recipe.Was = r.Name, r.Digest(), k.Run.Digest
	for _, g := range got {
		t := trialAgain{Trial: g.Trial.ID, Model: g.Trial.Model, Task: g.Trial.Task, N: g.Trial.N,
			Was: verdictOf{g.Was.Status, g.Was.Cause}, Why: g.Why, Carried: g.Carried}
		if g.Why != "" {
			v.Unjudged++
		} else {
			t.Is = &verdictOf{g.Is.Status, g.Is.Cause}
			t.Checks = checksAgain(g.Was.Verdicts, g.Is.Verdicts)
			if t.Changed = *t.Is != t.Was; t.Changed {
				v.Changed++
			} else {
				v.Same++
			}
		}
		v.Trials = append(v.Trials, t)
	}
	return v
}

// checksAgain gives the checks that say something else now, by name.
func checksAgain(was, is []trial.Verdict) []checkAgain {
	find := func(vs []trial.Verdict, name string) trial.Verdict {
		if i := slices.IndexFunc(vs, func(v trial.Verdict) bool { return v.Check == name }); i >= 0 {
			return vs[i]
		}
		return trial.Verdict{}
	}
	var out []checkAgain
	for _, v := range is {
		if old := find(was, v.Check); old.Status != v.Status {
			out = append(out, checkAgain{v.Check, old.Status, v.Status, v.Detail})
		}
	}
	for _, v := range was {
		if find(is, v.Check).Check == "" {
			out = append(out, checkAgain{v.Check, v.Status, "", ""})
		}
	}
	return out
}

func (v judgedAgain) failure() error {
	switch {
	case v.Changed > 0:
		return cli.Fail(cli.ExitGate, nil)
	case v.Same == 0:
		return cli.Fail(cli.ExitInfra, fmt.Errorf("no trial could be judged again"))
	}
	return nil
}

func (a *app) printAgain(v judgedAgain) error {
	w := table.New(a.Out)
	w.Keep, w.Below = 1, true
	rows := 0
	for _, t := range v.Trials {
		if !t.Changed && !a.Verbose {
			continue
		}
		if rows++; rows == 1 {
			w.Row("TRIAL", "MODEL", "TASK", "WAS", "IS", "CHECKS")
		}
		is := "not judged again"
		if t.Is != nil {
			is = t.Is.String()
		}
		var checks []string
		for _, c := range t.Checks {
			checks = append(checks, fmt.Sprintf("%s %s→%s", c.Check, orDash(c.Was), orDash(c.Is)))
		}
		w.Row(t.Trial, text.Line(t.Model), text.Cut(text.Line(t.Task), 40), t.Was.String(), is, text.Line(strings.Join(checks, ", ")))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if v.Recipe.Digest == v.Recipe.Was {
		a.Say("the recipe is the one that the run had")
	}
	if v.ProjectChanged {
		a.Say("%s the project is not what it was when the run was made: what differs may be its doing", a.Err.Paint(screen.Yellow, "warning:"))
	}
	if v.Same+v.Changed > 0 {
		a.Say("asked two witnesses, not three: the worlds of the trials, where the user would ask, are gone")
	}
	a.sayUnjudged(v)
	_, err := fmt.Fprintf(a.Out, "%s came out as before, %d differently, %d could not be judged again\n", text.Count(v.Same, "trial"), v.Changed, v.Unjudged)
	return err
}

func orDash(s trial.VerdictStatus) string {
	if s == "" {
		return "-"
	}
	return string(s)
}

// sayUnjudged says why trials could not be judged, each reason once.
func (a *app) sayUnjudged(v judgedAgain) {
	ids := map[string][]string{}
	var whys []string
	for _, t := range v.Trials {
		if t.Why == "" {
			continue
		}
		if ids[t.Why] == nil {
			whys = append(whys, t.Why)
		}
		ids[t.Why] = append(ids[t.Why], t.Trial)
	}
	for _, why := range whys {
		a.Say("%s: %s", text.Cut(strings.Join(ids[why], ", "), 60), text.Line(why))
	}
	for _, t := range v.Trials {
		if len(t.Carried) > 0 {
			a.Say("%s: as recorded, since it judged processes: %s", t.Trial, text.Line(strings.Join(t.Carried, ", ")))
		}
	}
}
