package html

import (
	"errors"
	"strings"

	"cookoff/trial"
	"cookoff/trial/final"
)

// beside is what lies beside the journal whose events are folded.
type beside struct {
	states *final.Reader // nil: they can't be read
	losses trial.Losses  // how trials lost, where somebody has looked
	room   room
}

// room is how much is taken of a final state: files of an attempt, bytes of all
// their diffs, lines of one, bytes of a line.
type room struct{ files, diffs, lines, line int }

// keptRoom is what a page takes.
func keptRoom() room { return room{files: 1000, diffs: 1 << 20, lines: 4000, line: 4000} }

// of opens what lies beside a journal; done closes it.
func (b *beside) of(journal string) (done func()) {
	r := final.NewReader(journal)
	b.states = r
	b.losses, _ = trial.ReadLosses(journal) // cookoff why says what is wrong with it
	return func() { r.Close() }
}

// left reads what an attempt left, where it was kept.
func (b *beside) left(ref *trial.StateRef) *changes {
	if ref == nil {
		return nil
	}
	c := &changes{count: ref.Changes}
	if ref.Changes == 0 {
		return c
	}
	err := final.ErrNotKept
	var s *final.State
	if b.states != nil {
		s, err = b.states.Open(ref)
	}
	switch {
	case errors.Is(err, final.ErrNotKept):
		c.note = "What these files hold does not lie beside the journal."
	case err != nil:
		c.note = visibleLine("The files can't be shown: " + err.Error())
	default:
		c.show(s.Changes, b.room)
	}
	return c
}

// show takes the changes as far as there is room.
func (c *changes) show(all []final.Change, r room) {
	c.count = len(all)
	free := r.diffs
	for _, x := range all[:min(len(all), r.files)] {
		f := newFileChange(x, r)
		if len(f.Diff) > free {
			f.Left += 1 + strings.Count(f.Diff, "\n")
			f.Diff = ""
		}
		free -= len(f.Diff)
		c.files = append(c.files, f)
	}
}
