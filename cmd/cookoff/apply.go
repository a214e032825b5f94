package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/apply"
	"cookoff/internal/cli"
	"cookoff/internal/cli/kept"
	"cookoff/internal/cli/reports"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// applyFlags are the flags of "apply".
type applyFlags struct {
	dryRun bool
	yes    bool
}

func (a *app) applyCommand() *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply RUN TRIAL",
		Short: "Take what a trial changed over into your project",
		Long: `Applies what the model of a trial changed to the project that the run started
from: each file three ways, as the trial found it, as it left it, and as it is
now. What you have changed since is kept; where both changed the same lines, or
a file is not what the trial found, that is a conflict: every one is named, and
nothing is written.

Before files are overwritten that git has not committed you are asked, or
--yes says so. What a trial left in HOME, in a .git directory or as a link out
of the project is never applied. RUN may be "latest"; TRIAL is an id such as
t002, as "cookoff view" and "cookoff run -v" show it.

The exit code is 1 when there are conflicts.`,
		Example: `  cookoff apply latest t002 --dry-run
  cookoff apply latest t002
  cookoff apply 20261121-08 t007 --yes
  cookoff apply latest t002 --dry-run | git apply --check`,
		Args:              cli.Positional(2, 2, "a run and a trial"),
		ValidArgsFunction: a.completeKept,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.apply(cmd.Context(), args[0], args[1], f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.dryRun, "dry-run", false, "print the changes as a unified diff, write nothing")
	fl.BoolVar(&f.yes, "yes", false, "overwrite what is not committed without asking")
	return cmd
}

// completeKept offers runs, then the trials of the run whose states are kept.
func (a *app) completeKept(cmd *cobra.Command, args []string, to string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return reports.CompleteRuns(&a.Common)(cmd, args, to)
	}
	k, err := kept.Find(&a.Common, args[0])
	if err != nil || len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, t := range k.Run.Trials {
		if o := k.Outcomes[t.ID]; o.State != nil {
			out = append(out, fmt.Sprintf("%s\t%s, %s: %s", t.ID, t.Model, t.Task, o.Status))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) apply(ctx context.Context, run, id string, f applyFlags) error {
	k, err := kept.Find(&a.Common, run)
	if err != nil {
		return err
	}
	t, err := k.Trial(id)
	if err != nil {
		return err
	}
	st, err := k.State(t)
	if err != nil {
		return err
	}
	o := k.Outcomes[t.ID]
	a.Say("trial %s: %s, %s: %s", t.ID, text.Line(t.Model), text.Line(t.Task), strings.TrimSpace(string(o.Status)+" "+string(o.Cause)))
	if k.Run.Project == "" {
		if f.dryRun {
			a.printChanges(st)
		}
		return cli.Usage("the task brings its own world: nothing in it is of your project")
	}
	dir := filepath.Join(a.Dir, filepath.FromSlash(k.Run.Project))
	if !filepath.IsLocal(filepath.FromSlash(k.Run.Project)) {
		return cli.Usage("the run says that its project is %q, which is not below this directory", k.Run.Project)
	}
	p, err := apply.New(dir, st)
	if err != nil {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("reading the project: %w", err))
	}
	a.sayLeft(p)
	if f.dryRun {
		fmt.Fprint(a.Out, a.paintDiff(p.Diff()))
	}
	if len(p.Conflicts) > 0 {
		return a.conflicts(p, f)
	}
	if f.dryRun || len(p.Actions) == 0 {
		a.Say("%s to apply, %d there already; nothing was written", text.Count(len(p.Actions), "change"), p.Same)
		return nil
	}
	return a.carryOutPlan(ctx, dir, p, f)
}

// carryOutPlan writes, once nothing that can't be had back is lost unasked.
func (a *app) carryOutPlan(ctx context.Context, dir string, p *apply.Plan, f applyFlags) error {
	lost, err := apply.Unsaved(ctx, dir, p.Overwrites())
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	if len(lost) > 0 && !f.yes {
		for _, name := range lost {
			fmt.Fprintf(a.Err, "not committed: %s\n", text.Line(name))
		}
		if !a.Asks() {
			return cli.Usage("%s would be overwritten that git could not bring back; nothing was written\n  hint: commit first, or use --yes; --dry-run shows the changes", text.Count(len(lost), "file"))
		}
		ok, err := a.Confirm(ctx, "Overwrite?")
		if err != nil {
			return err
		}
		if !ok {
			return cli.Usage("nothing was written")
		}
	}
	if err := p.Apply(); err != nil {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("%w\n  hint: what was written before was taken back", err))
	}
	merged := 0
	for _, act := range p.Actions {
		if act.Merged {
			merged++
		}
	}
	a.Say("%s applied, %d merged with changes of yours, %d there already", text.Count(len(p.Actions), "change"), merged, p.Same)
	return nil
}

// conflicts names every one; with --dry-run what the trial changed there.
func (a *app) conflicts(p *apply.Plan, f applyFlags) error {
	lines := make([]string, 0, len(p.Conflicts))
	for _, c := range p.Conflicts {
		lines = append(lines, fmt.Sprintf("%s: %s", text.Line(c.Path), text.Line(c.Why)))
		if f.dryRun {
			fmt.Fprint(a.Out, a.paintDiff("# conflict, as the trial changed it\n"+c.Diff()))
		}
	}
	return cli.Fail(cli.ExitGate, fmt.Errorf("%s; nothing was written:\n  %s", text.Count(len(lines), "conflict"), strings.Join(lines, "\n  ")))
}

// sayLeft says what is never applied.
func (a *app) sayLeft(p *apply.Plan) {
	const most = 10
	for i, l := range p.Left {
		if i == most && !a.Verbose {
			a.Say("left out: %d more", len(p.Left)-most)
			break
		}
		a.Say("left out: %s %s", text.Line(l.Path), l.Why)
	}
}

// printChanges prints what a trial changed, whatever the project has.
func (a *app) printChanges(st *trial.FinalState) {
	for _, c := range st.Changes {
		fmt.Fprint(a.Out, a.paintDiff(apply.Diff(c)))
	}
}

// paintDiff makes a diff fit for a terminal: what it quotes is a model's. What
// goes into a file or pipe stays as it is, for git to read.
func (a *app) paintDiff(words string) string {
	if !a.Out.Terminal {
		return words
	}
	var b strings.Builder
	for line := range strings.Lines(words) {
		clean := text.Line(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			clean = a.Out.Paint(screen.Bold, clean)
		case strings.HasPrefix(line, "+"):
			clean = a.Out.Paint(screen.Green, clean)
		case strings.HasPrefix(line, "-"):
			clean = a.Out.Paint(screen.Red, clean)
		case strings.HasPrefix(line, "@"), strings.HasPrefix(line, "#"):
			clean = a.Out.Paint(screen.Dim, clean)
		}
		b.WriteString(clean + "\n")
	}
	return b.String()
}
