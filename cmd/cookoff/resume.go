package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/ui/text"
	"cookoff/model/replay"
	"cookoff/report"
	"cookoff/runner"
	"cookoff/trial"
)

func (a *app) resumeCommand() *cobra.Command {
	var f runFlags
	f.divergence = string(runner.Restart)
	cmd := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Go on with a run that was interrupted, killed or out of money",
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
goes on only as the comparison that it was: with the same recipe, project, models,
tools and cookoff. What was changed since is said, and nothing is run.

--max-total-cost counts what the run is known to have spent before.`,
		Example: `  cookoff resume
  cookoff resume 20261121-08 --parallel 2
  cookoff resume latest --max-total-cost 5 --format json
  cookoff resume --on-divergence recorded`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: reports.CompleteRuns(&a.Common),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.resume(cmd.Context(), strings.Join(args, ""), f)
		},
	}
	cmd.Flags().SortFlags = false
	f.carryingOut(cmd, a)
	cmd.Flags().StringVar(&f.divergence, "on-divergence", f.divergence, "where a call that is made again gives something else than it did: `HOW` is restart (the trial begins anew) or recorded (it goes on with what was recorded)")
	_ = cmd.RegisterFlagCompletionFunc("on-divergence", cobra.FixedCompletions(divergences(), cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&f.despite, "despite-changes", false, "go on though the recipe, the project, tools or cookoff were changed since; the report says what was")
	cmd.Flags().BoolVar(&f.corrupt, "ignore-corrupt", false, "go on with a journal that has lines which can't be read; the trials they belong to begin anew")
	return cmd
}

// outputs are the files that a run writes for its user.
func (f *runFlags) outputs() []string {
	var out []string
	for _, name := range append([]string{f.Output.File, f.events}, f.Output.Also...) {
		if name != "" && name != "-" {
			out = append(out, name)
		}
	}
	return out
}

// begun is a run that goes on. Nobody else goes on with it while the journal is
// open.
type begun struct {
	*runner.Past
	journal *trial.Journal
	report  *report.Builder
	corrupt bool // lines that can't be read are left out
}

// events reads the journal.
func (b *begun) events(to trial.Sink) (d trial.Damage, err error) {
	if b.corrupt {
		return trial.ReadDamaged(b.journal.Path(), to.Emit)
	}
	_, err = trial.ReadFile(b.journal.Path(), to.Emit)
	return d, err
}

func (a *app) resume(ctx context.Context, name string, f runFlags) error {
	want, err := f.check(a)
	if err != nil {
		return err
	}
	if f.begun, err = a.takeUp(name); err != nil {
		return err
	}
	defer f.begun.journal.Close() // done already where the run went on
	f.begun.corrupt = f.corrupt
	damage, err := f.begun.read()
	if err != nil {
		return err
	}
	reports.SayDamage(&a.Common, damage)
	if err := knownModels(want, f.begun.Run.Models); err != nil {
		return err
	}
	dir := filepath.Dir(f.begun.journal.Path())
	if f.begun.Finished() {
		if err := f.begun.end(); err != nil {
			return cli.Fail(cli.ExitInfra, err)
		}
		sweep(&a.Common, f.begun)
		a.Say("the run %s has ended: nothing is left to do", f.begun.Run.ID)
		return a.conclude(conclusion{f.begun.report.Report(), want, f.Output, nil, false, dir})
	}
	if _, err := os.Stat(filepath.Join(dir, replay.File)); err == nil {
		f.record = true
	}
	p, err := a.prepare(ctx, "", f)
	if err != nil {
		return err
	}
	if err := p.begun.recall(p.runner.Left()); err != nil {
		return err
	}
	return a.start(ctx, p, f, want)
}

// end records that a run is over which was cut off when its last trial had ended.
func (b *begun) end() error {
	if b.report.Report().State == report.Finished {
		return nil
	}
	return trial.Tee(b.journal, b.report).Emit(trial.Event{Kind: trial.RunFinished, At: time.Now().UTC(), End: &trial.End{}})
}

// divergences are the values of --on-divergence.
func divergences() []string { return []string{string(runner.Restart), string(runner.UseRecorded)} }

// recall takes in what was said and done in the trials that are left.
func (b *begun) recall(left []trial.Trial) error {
	if _, err := b.events(b.Past.Recall(left)); err != nil {
		return reports.Unreadable(err)
	}
	return nil
}

// sayBehind says what a run that goes on has behind it.
func (a *app) sayBehind(p *prepared) {
	a.Say("%d of %s are left", len(p.runner.Left()), text.Count(len(p.begun.Run.Trials), "trial"))
	if trials, replies := p.begun.Behind(); trials > 0 {
		a.Say("trials that go on from where they were: %d; recorded replies that are not asked for again: %d", trials, replies)
	}
	lost := p.begun.Unsettled()
	if lost.Requests == 0 {
		return
	}
	cost := fmt.Sprintf("at most $%.4f", lost.USD)
	if lost.Unknown > 0 {
		cost = "at a cost that nobody knows"
	}
	a.Say("requests under way when the run was cut off: %d, %s; each is asked again once", lost.Requests, cost)
}

// takeUp opens the journal of the run that name means, before it is read: what
// it says is then still so when the run goes on.
func (a *app) takeUp(name string) (*begun, error) {
	path, err := trial.FindRun(a.Dir, name)
	if err != nil {
		return nil, cli.Fail(cli.ExitUsage, err)
	}
	if filepath.Base(path) != trial.JournalFile {
		return nil, cli.Usage("%s is no run of this machine, and does not go on\n  hint: cookoff runs lists those that do", text.Line(name))
	}
	cfg, err := a.LoadConfig()
	if err != nil {
		return nil, err
	}
	journal, err := trial.ContinueJournal(path, cfg.Secrets())
	if errors.Is(err, trial.ErrWritten) {
		who := ""
		if pid := trial.Writer(path); pid > 0 {
			who = fmt.Sprintf(" (process %d)", pid)
		}
		return nil, cli.Usage("the run %s goes on: %v%s\n  hint: cookoff watch %[1]s shows it", filepath.Base(filepath.Dir(path)), trial.ErrWritten, who)
	}
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	return &begun{Past: runner.NewPast(), journal: journal, report: report.New()}, nil
}

// read takes in what the journal says.
func (b *begun) read() (d trial.Damage, err error) {
	if to := trial.Tee(b.Past, b.report); b.corrupt {
		d, err = b.events(to)
	} else {
		_, err = trial.OutlineFile(b.journal.Path(), to.Emit)
	}
	switch {
	case err != nil:
		return d, reports.Unreadable(err)
	case b.Run.ID == "":
		return d, cli.Usage("the run %s was ended before its first trial: there is nothing to go on with\n  hint: cookoff run begins another", filepath.Base(filepath.Dir(b.journal.Path())))
	}
	return d, nil
}

// record opens the journal of a run that begins, or of the one that goes on, and
// beside it the recording.
func (p *prepared) record(dir, id string) (*trial.Journal, error) {
	if p.begun == nil {
		journal, err := trial.CreateJournal(dir, id, p.secrets)
		if err == nil && p.writer != nil {
			err = p.writer.Create(filepath.Join(filepath.Dir(journal.Path()), replay.File))
		}
		return journal, err
	}
	journal := p.begun.journal
	if p.writer == nil {
		return journal, nil
	}
	f, err := os.OpenFile(filepath.Join(filepath.Dir(journal.Path()), replay.File), os.O_RDWR|os.O_APPEND, 0)
	if err == nil {
		err = trial.DropTorn(f)
	}
	if err == nil {
		err = p.writer.Continue(f)
	}
	return journal, err
}

// whatIsLeft tells next of those trials only that are left: the others it has not
// seen.
type whatIsLeft struct {
	runner *runner.Runner
	next   trial.Sink
}

func (w whatIsLeft) Emit(e trial.Event) error {
	if e.Kind == trial.RunStarted && e.Run != nil {
		run := *e.Run
		run.Trials = w.runner.Left()
		e.Run = &run
	}
	return w.next.Emit(e)
}
