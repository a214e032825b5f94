package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/cmd/cookoff/internal/screen"
	"cookoff/model/replay"
	"cookoff/report"
	"cookoff/runner"
	"cookoff/trial"
)

func (a *app) resumeCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Go on with a run that was interrupted, killed or out of money",
		Long: `Goes on with a run where it ended: by Ctrl-C, with the machine, out of money, or
with trials that are void for a cause that may pass (a provider that was down, a
lost sandbox). Trials that ended are kept as they are; every other begins anew, as
a further attempt, from where the task starts. With task_mode: sequential a model's
tasks begin anew together, unless all of them have ended.

RUN is an id of "cookoff runs", or "latest"; without it the latest run is taken. It
goes on only as the comparison that it was: with the same recipe, project, models,
tools and cookoff. What was changed since is said, and nothing is run.

--max-total-cost counts what the run is known to have spent before.`,
		Example: `  cookoff resume
  cookoff resume 20261121-08 --parallel 2
  cookoff resume latest --max-total-cost 5 --format json`,
		Args:              positional(0, 1, ""),
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.resume(cmd.Context(), strings.Join(args, ""), f)
		},
	}
	cmd.Flags().SortFlags = false
	f.carryingOut(cmd, a)
	return cmd
}

// begun is a run that goes on. Nobody else goes on with it while the journal is
// open.
type begun struct {
	*runner.Past
	journal *trial.Journal
	report  *report.Builder
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
	if err := f.begun.read(); err != nil {
		return err
	}
	if err := knownModels(want, f.begun.Run.Models); err != nil {
		return err
	}
	dir := filepath.Dir(f.begun.journal.Path())
	if f.begun.Finished() {
		a.say("the run %s has ended: nothing is left to do", f.begun.Run.ID)
		return a.conclude(conclusion{f.begun.report.Report(), want, f.output, nil, false, dir})
	}
	if _, err := os.Stat(filepath.Join(dir, replay.File)); err == nil {
		f.record = true
	}
	p, err := a.prepare(ctx, "", f)
	if err != nil {
		return err
	}
	return a.start(ctx, p, f, want)
}

// takeUp opens the journal of the run that name means, before it is read: what
// it says is then still so when the run goes on.
func (a *app) takeUp(name string) (*begun, error) {
	path, err := trial.FindRun(a.dir, name)
	if err != nil {
		return nil, &failure{exitUsage, err}
	}
	if filepath.Base(path) != trial.JournalFile {
		return nil, usage("%s is no run of this machine, and does not go on\n  hint: cookoff runs lists those that do", screen.Clean(name))
	}
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	journal, err := trial.ContinueJournal(path, cfg.Secrets())
	if errors.Is(err, trial.ErrWritten) {
		return nil, usage("the run %s goes on: %v\n  hint: cookoff watch %[1]s shows it", filepath.Base(filepath.Dir(path)), trial.ErrWritten)
	}
	if err != nil {
		return nil, &failure{exitInfra, err}
	}
	return &begun{runner.NewPast(), journal, report.New()}, nil
}

// read takes in what the journal says.
func (b *begun) read() error {
	_, err := trial.OutlineFile(b.journal.Path(), trial.Tee(b.Past, b.report).Emit)
	switch {
	case err != nil:
		return unreadable(err)
	case b.Run.ID == "":
		return usage("the run %s was ended before its first trial: there is nothing to go on with\n  hint: cookoff run begins another", filepath.Base(filepath.Dir(b.journal.Path())))
	}
	return nil
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
