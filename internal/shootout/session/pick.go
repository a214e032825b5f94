package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/shootout/prefs"
	"cookoff/internal/ui/live/board"
	"cookoff/trial/final"
)

// Lane gives the trial of a model in the last turn, and where its journal and
// its id there are.
func (s *Session) Lane(model string) (l *board.Lane, journal, id string, err error) {
	view := s.board.Look()
	for _, m := range view.Models {
		for i := range m.Lanes {
			if l := &m.Lanes[i]; l.Model == model {
				run, id := s.where(l.ID)
				return l, s.Journal(run), id, nil
			}
		}
	}
	return nil, "", "", fmt.Errorf("%s took no part in the last task", model)
}

// where finds a trial of the board in the runs of the last turn.
func (s *turnLog) where(id string) (run, trial string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.turns) == 0 {
		return "", id
	}
	runs := s.turns[len(s.turns)-1].Runs
	for i := range runs {
		if own, ok := strings.CutPrefix(id, fmt.Sprintf("again%d/", i)); ok && i > 0 {
			return runs[i], own
		}
	}
	return runs[0], id
}

// Final gives what a model's trial left. The error wraps final.ErrNotKept where
// nothing was stored.
func (s *Session) Final(model string) (*final.State, error) {
	l, journal, _, err := s.Lane(model)
	if err != nil {
		return nil, err
	}
	if l.Outcome == nil {
		return nil, fmt.Errorf("%s is not done: %w", model, final.ErrNotKept)
	}
	return final.Open(journal, l.Outcome.State)
}

// Judgement is how a person judged a turn.
type Judgement struct {
	Choice Choice
	Winner string // with Choice Winner
	Note   string
}

// Pick writes down how the last turn was judged, in the session and among the
// preferences at path.
func (s *Session) Pick(j Judgement, path string) error {
	t, ok := s.Turn()
	switch {
	case !ok:
		return errNoTurn
	case s.Running():
		return errRunning
	case t.Choice != "":
		return fmt.Errorf("the task was judged already: %s", strings.TrimSpace(string(t.Choice)+" "+t.Winner))
	case j.Choice == Winner && !slices.Contains(t.Models, j.Winner):
		return fmt.Errorf("%q took no part: %s", j.Winner, strings.Join(t.Models, ", "))
	}
	fair, void := s.counting(t)
	if j.Choice == Winner && !slices.Contains(fair, j.Winner) {
		fair = append(fair, j.Winner) // stopped, and yet the best
		void = slices.DeleteFunc(void, func(m string) bool { return m == j.Winner })
	}
	r := s.Recipe()
	p := prefs.Preference{Schema: prefs.Schema, At: s.world.Now().UTC(), Session: s.ID, Run: t.Runs[len(t.Runs)-1],
		Project: filepath.Base(s.world.Project),
		Recipe:  r.Name, Source: r.Source(), Tags: r.Metadata.Tags, Task: short(t.Prompt), Models: fair, LeftOut: void,
		Blind: t.Blind, Choice: string(j.Choice), Winner: j.Winner, Note: j.Note}
	if err := prefs.Append(path, p); err != nil {
		return err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	last := s.turns[len(s.turns)-1]
	last.Choice, last.Winner, last.Note = j.Choice, j.Winner, j.Note
	return s.write(Record{Kind: Picked, Turn: t.N, Choice: j.Choice, Winner: j.Winner, Note: j.Note})
}

// short is the first line of a task, for lists.
func short(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	if r := []rune(line); len(r) > 120 {
		return string(r[:119]) + "…"
	}
	return line
}

// counting tells the models whose trials count from those that were stopped or
// void: to lose for a fault of the provider is no loss.
func (s *Session) counting(t Turn) (fair, void []string) {
	for _, m := range t.Models {
		if l, _, _, err := s.Lane(m); err == nil && Counts(l.Outcome) {
			fair = append(fair, m)
		} else {
			void = append(void, m)
		}
	}
	return fair, void
}
