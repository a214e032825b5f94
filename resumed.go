package cookoff

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cookoff/internal/config"
	"cookoff/internal/faults"
	"cookoff/internal/runs"
	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/decide"
	"cookoff/runner"
	"cookoff/runner/resumed"
	"cookoff/trial"
)

// ResumedRun is a recorded run that goes on. Nobody else goes on with it until it is
// closed.
type ResumedRun struct {
	Corrupt        bool // lines of the journal that can't be read are left out
	OnDivergence   runner.OnDivergence
	DespiteChanges bool // of recipe, project, tools or cookoff
	Damage         trial.Damage

	earlier *resumed.Journal
	journal *trial.Journal
	report  *report.Builder
}

// OpenRun opens the journal of the run that name means ("" or "latest": the latest)
// so that nobody else goes on with it. Read reads it.
func OpenRun(name string, o Options) (*ResumedRun, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	path, err := trial.FindRun(o.Dir, name)
	if err != nil {
		return nil, err
	}
	if filepath.Base(path) != trial.JournalFile {
		return nil, fmt.Errorf("%s is no run of this machine, and does not go on\n"+
			"  hint: cookoff runs lists those that do",
			text.Line(name))
	}
	var cfg *config.Config
	if cfg, err = o.config(); err != nil {
		return nil, err
	}
	journal, err := trial.ContinueJournal(path, cfg.Secrets())
	if errors.Is(err, trial.ErrWritten) {
		who := ""
		if pid := trial.Writer(path); pid > 0 {
			who = fmt.Sprintf(" (process %d)", pid)
		}
		return nil, fmt.Errorf("the run %s goes on: %v%s\n  hint: cookoff watch %[1]s shows it",
			filepath.Base(filepath.Dir(path)), trial.ErrWritten, who)
	}
	if err != nil {
		return nil, faults.Of(err)
	}
	return &ResumedRun{earlier: resumed.New(), journal: journal, report: report.New()}, nil
}

// Read takes in what the journal says.
func (b *ResumedRun) Read() (err error) {
	if to := trial.Tee(b.earlier, b.report); b.Corrupt {
		b.Damage, err = b.events(to)
	} else {
		_, err = trial.OutlineFile(b.journal.Path(), to.Emit)
	}
	switch {
	case err != nil:
		return runs.Unreadable(err)
	case b.earlier.Run.ID == "":
		return fmt.Errorf("the run %s was ended before its first trial: there is nothing to go on with\n"+
			"  hint: cookoff run begins another", filepath.Base(b.Dir()))
	}
	return nil
}

// Run is what is recorded of the run itself.
func (b *ResumedRun) Run() trial.Run { return b.earlier.Run }

// Dir is where the run is recorded.
func (b *ResumedRun) Dir() string { return filepath.Dir(b.journal.Path()) }

// Journal is the file that the run is recorded in.
func (b *ResumedRun) Journal() string { return b.journal.Path() }

// Report is what the run has come to.
func (b *ResumedRun) Report() *report.Report { return b.report.Report() }

// Finished reports whether nothing is left to be done: every trial has ended, or the
// question of the run is answered.
func (b *ResumedRun) Finished() bool { return b.earlier.Finished() || b.Answered() }

// Answered reports whether the run ended with an answer to its question, which what is
// left can't change.
func (b *ResumedRun) Answered() bool {
	d := b.Report().Decision
	return d != nil && (d.State == decide.Decided.String() || d.State == decide.Equivalent.String())
}

// Reused says how many trials go on from where they were, and how many recorded
// replies are not asked for again.
func (b *ResumedRun) Reused() (trials, replies int) { return b.earlier.Reused() }

// Unsettled are the requests that were under way when the run was cut off.
func (b *ResumedRun) Unsettled() trial.Bound { return b.earlier.Unsettled() }

// Recorded reports whether what models are asked is kept beside the journal.
func (b *ResumedRun) Recorded() bool {
	_, err := os.Stat(recording(b.journal.Path()))
	return err == nil
}

// End records that a run is over which was cut off when its last trial had ended.
func (b *ResumedRun) End() error {
	if b.Report().State == report.Finished {
		return nil
	}
	end := trial.Event{Kind: trial.RunFinished, At: time.Now().UTC(), End: &trial.End{}}
	return faults.Of(trial.Tee(b.journal, b.report).Emit(end))
}

// Close lets others go on with the run.
func (b *ResumedRun) Close() error { return b.journal.Close() }

// events reads the journal.
func (b *ResumedRun) events(to trial.Sink) (d trial.Damage, err error) {
	if b.Corrupt {
		return trial.ReadDamaged(b.journal.Path(), to.Emit)
	}
	_, err = trial.ReadFile(b.journal.Path(), to.Emit)
	return d, err
}

// recall takes in what was said and done in the trials that are left.
func (b *ResumedRun) recall(left []trial.Trial) error {
	if _, err := b.events(b.earlier.Recall(left)); err != nil {
		return runs.Unreadable(err)
	}
	return nil
}
