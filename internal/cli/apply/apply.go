// Package apply is the command that takes what a trial changed over into the user's project.
package apply

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/apply"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/reports"
	"cookoff/internal/kept"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/runner/project"
	"cookoff/shell"
	"cookoff/trial/final"
)

// applyFlags are the flags of "apply".
type applyFlags struct {
	dryRun  bool
	yes     bool
	without []string // paths of the project that stay as they are
}

// Command is the command "apply".
func Command(d *door.Door) *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply RUN TRIAL",
		Short: "Take what a trial changed over into your project",
		Long: `Applies what the model of a trial changed to the project that the run started
from: each file three ways, as the trial found it, as it left it, and as it is
now. What you have changed since is kept; where both changed the same lines, or
a file is not what the trial found, that is a conflict: every one is named, and
nothing is written. --without leaves a file, or all below a directory, as it is.

Where it is killed on the way, the next apply, run or clean takes back what it had
changed.

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
		ValidArgsFunction: completeKept(d.Common),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.apply(cmd.Context(), d.Common, args[0], args[1])
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.dryRun, "dry-run", false, "print the changes as a unified diff, write nothing")
	fl.BoolVar(&f.yes, "yes", false, "overwrite what is not committed without asking")
	fl.StringSliceVar(&f.without, "without", nil, "leave `PATH` and all below it as the project has it; repeatable")
	return cmd
}

// completeKept offers runs, then the trials of the run whose states are kept.
func completeKept(c *cli.Common) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, to string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return reports.CompleteRuns(c)(cmd, args, to)
		}
		k, err := kept.Find(c.Dir, args[0])
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
}

func (f applyFlags) apply(ctx context.Context, c *cli.Common, run, id string) error {
	k, err := kept.Find(c.Dir, run)
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
	c.Say("trial %s: %s, %s: %s", t.ID, text.Line(t.Model), text.Line(t.Task),
		strings.TrimSpace(string(o.Status)+" "+string(o.Cause)))
	if k.Run.Project == "" {
		if f.dryRun {
			printChanges(c, st)
		}
		return cli.Usage("the task brings its own world: nothing in it is of your project")
	}
	dir := filepath.Join(c.Dir, filepath.FromSlash(k.Run.Project))
	if !filepath.IsLocal(filepath.FromSlash(k.Run.Project)) {
		return cli.Usage("the run says that its project is %q, which is not below this directory", k.Run.Project)
	}
	if f.dryRun && apply.CutOff(dir) {
		c.Say("warning: an apply was cut off half-way, or goes on: the next apply, run or clean takes back what it changed")
	} else if err := door.TakeBack(c, dir); err != nil {
		return err
	}
	if st.Changes, err = f.wanted(st.Changes); err != nil {
		return err
	}
	p, err := apply.New(dir, st)
	if err != nil {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("reading the project: %w", err))
	}
	sayLeft(c, p)
	if f.dryRun {
		fmt.Fprint(c.Out, paintDiff(c, p.Diff()))
	}
	if len(p.Conflicts) > 0 {
		return f.conflicts(c, k, dir, p)
	}
	if f.dryRun || len(p.Actions) == 0 {
		c.Say("%s to apply, %d there already; nothing was written", text.Count(len(p.Actions), "change"), p.Same)
		return nil
	}
	return f.carryOut(ctx, c, dir, p)
}

// carryOutPlan writes, once nothing that can't be had back is lost unasked.
func (f applyFlags) carryOut(ctx context.Context, c *cli.Common, dir string, p *apply.Plan) error {
	lost, err := apply.Unsaved(ctx, dir, p.Overwrites())
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	if len(lost) > 0 && !f.yes {
		for _, name := range lost {
			fmt.Fprintf(c.Err, "not committed: %s\n", text.Line(name))
		}
		if !c.Asks() {
			return cli.Usage("%s would be overwritten that git could not bring back; nothing was written\n"+
				"  hint: commit first, or use --yes; --dry-run shows the changes", text.Count(len(lost), "file"))
		}
		ok, err := c.Confirm(ctx, "Overwrite?")
		if err != nil {
			return err
		}
		if !ok {
			return cli.Usage("nothing was written")
		}
	}
	if err := p.Apply(); err != nil {
		return notApplied(err)
	}
	merged := 0
	for _, act := range p.Actions {
		if act.Merged {
			merged++
		}
	}
	c.Say("%s applied, %d merged with changes of yours, %d there already", text.Count(len(p.Actions), "change"), merged,
		p.Same)
	return nil
}

// notApplied says what the project is like after something went wrong.
func notApplied(err error) error {
	hint := "what was written before was taken back"
	if _, partly := errors.AsType[*apply.UndoError](err); partly {
		hint = "the project is changed in part: once that is mended, cookoff clean takes back the rest"
	}
	switch {
	case errors.Is(err, apply.ErrBusy):
		hint = "nothing was written: try again when it has ended"
	case cli.DiskFull(err):
		hint = "the disk of the project is full, or takes no more files (df and df -i say which): make room; " + hint
	}
	return cli.Fail(cli.ExitInfra, fmt.Errorf("%w\n  hint: %s", err, hint))
}

// wanted gives the changes but for those that --without names.
func (f applyFlags) wanted(changes []final.Change) (out []final.Change, err error) {
	met := map[string]bool{}
	for _, c := range changes {
		wanted := true
		for _, w := range f.without {
			path := filepath.ToSlash(filepath.Clean(w))
			if c.Path == path || strings.HasPrefix(c.Path, path+"/") {
				wanted, met[w] = false, true
			}
		}
		if wanted {
			out = append(out, c)
		}
	}
	for _, w := range f.without {
		if !met[w] {
			return nil, cli.Usage("--without %s: the trial changed nothing of that name\n"+
				"  hint: paths are those of the project: --dry-run shows them", w)
		}
	}
	return out, nil
}

// conflicts names every one, and what can be done; with --dry-run what the trial changed there.
func (f applyFlags) conflicts(c *cli.Common, k *kept.Run, dir string, p *apply.Plan) error {
	lines := make([]string, 0, len(p.Conflicts))
	var without, hints []string
	setup := 0
	for _, x := range p.Conflicts {
		why := x.Why
		if x.Other && unchanged(k.Run.ProjectFiles, dir, x.Path) {
			setup++
			why = "the task's setup had changed it before the trial began, and the trial changed what the setup made"
		}
		lines = append(lines, fmt.Sprintf("%s: %s", text.Line(x.Path), text.Line(why)))
		if word, err := shell.Quote([]string{x.Path}); err == nil {
			without = append(without, "--without "+text.Line(word))
		}
		if f.dryRun {
			fmt.Fprint(c.Out, paintDiff(c, "# conflict, as the trial changed it\n"+x.Diff()))
		}
	}
	if setup > 0 {
		hints = append(hints, "what mends a fault that a setup made is seldom for the project, which does not have it")
	}
	if !f.dryRun {
		hints = append(hints, "--dry-run shows what the trial changed in them, to take over by hand")
	}
	if n := len(p.Actions); n > 0 && len(without) == len(lines) {
		hints = append(hints, fmt.Sprintf("%s applies %s without them", strings.Join(without, " "),
			text.Count(n, "other change")))
	}
	said := fmt.Sprintf("%s; nothing was written:\n  %s", text.Count(len(lines), "conflict"), strings.Join(lines, "\n  "))
	for _, h := range hints {
		said += "\n  hint: " + h
	}
	return cli.Fail(cli.ExitGate, errors.New(said))
}

// unchanged reports whether a file of the project is as it was when the run began: what a trial
// found otherwise its task's setup had changed. false where nobody knows.
func unchanged(begun map[string]string, dir, name string) bool {
	if begun == nil {
		return false
	}
	sum, err := project.SumOf(dir, name)
	return err == nil && sum == begun[name]
}

// sayLeft says what is never applied.
func sayLeft(c *cli.Common, p *apply.Plan) {
	const most = 10
	for i, l := range p.Left {
		if i == most && !c.Verbose {
			c.Say("left out: %d more", len(p.Left)-most)
			break
		}
		c.Say("left out: %s %s", text.Line(l.Path), l.Why)
	}
}

// printChanges prints what a trial changed, whatever the project has.
func printChanges(c *cli.Common, st *final.State) {
	for _, change := range st.Changes {
		fmt.Fprint(c.Out, paintDiff(c, apply.Diff(change)))
	}
}

// paintDiff makes a diff fit for a terminal: what it quotes is a model's. What
// goes into a file or pipe stays as it is, for git to read.
func paintDiff(c *cli.Common, words string) string {
	if !c.Out.Terminal {
		return words
	}
	var b strings.Builder
	for line := range strings.Lines(words) {
		clean := text.Line(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			clean = c.Out.Paint(screen.Bold, clean)
		case strings.HasPrefix(line, "+"):
			clean = c.Out.Paint(screen.Green, clean)
		case strings.HasPrefix(line, "-"):
			clean = c.Out.Paint(screen.Red, clean)
		case strings.HasPrefix(line, "@"), strings.HasPrefix(line, "#"):
			clean = c.Out.Paint(screen.Dim, clean)
		}
		b.WriteString(clean + "\n")
	}
	return b.String()
}
