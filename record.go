package cookoff

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"cookoff/internal/faults"
	"cookoff/model/replay"
	"cookoff/trial"
)

// record is what is kept of a run: its journal and, where models are recorded, what
// they were asked and answered.
type record struct {
	journal *trial.Journal
	writer  *replay.Writer // nil: nobody writes
}

// recordable refuses a project where no run could be kept, before anything is prepared,
// waited or paid for.
func (o *Options) recordable() error {
	if o.Resume != nil {
		return nil
	}
	return faults.Of(trial.CanRecord(o.Dir))
}

// openRecord opens the journal of a run that begins, or of the one that goes on, and
// beside it the recording.
func openRecord(o *Options, m *means, id string) (*record, error) {
	if o.Resume == nil {
		journal, err := trial.CreateJournal(o.Dir, id, m.secrets)
		if err == nil && m.writer != nil {
			err = m.writer.Create(recording(journal.Path()))
		}
		return &record{journal, m.writer}, err
	}
	journal := o.Resume.journal
	if m.writer == nil {
		return &record{journal, nil}, nil
	}
	f, err := os.OpenFile(recording(journal.Path()), os.O_RDWR|os.O_APPEND, 0)
	if err == nil {
		err = trial.DropTorn(f)
	}
	if err == nil {
		err = m.writer.Continue(f)
	}
	return &record{journal, m.writer}, err
}

// close closes the journal and the recording; err is what ended the run.
func (r *record) close(err error) error {
	rescued := ""
	if errors.Is(err, trial.ErrGone) {
		rescued, _ = r.journal.Rescue() // then the table is all there is
	}
	if e := r.journal.Close(); e != nil && err == nil {
		err = e
	}
	if r.writer != nil {
		if e := r.writer.Close(); e != nil && err == nil {
			err = fmt.Errorf("the recording is not whole: %w", e)
		}
	}
	switch path := r.journal.Path(); {
	case !errors.Is(err, trial.ErrGone):
	case rescued == "":
		err = fmt.Errorf("%w\n  hint: nothing is left of it; the table has all that is known", err)
	default:
		err = fmt.Errorf("%w\n  hint: what is left of it is in %s: put that at %s, and cookoff resume goes on from it", err,
			rescued, path)
	}
	return err
}

// removeIfEmpty removes the directory of a run that never began.
func removeIfEmpty(path string) bool {
	if st, err := os.Stat(path); err != nil || st.Size() > 0 {
		return false
	}
	return os.RemoveAll(filepath.Dir(path)) == nil
}

// recording is where what models are asked is kept beside a journal.
func recording(journal string) string { return filepath.Join(filepath.Dir(journal), replay.File) }
