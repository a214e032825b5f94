package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/apply"
	"cookoff/trial/final"
)

// Application is what bringing a model's change into the project would do.
type Application struct {
	*apply.Plan
	Model   string
	Unsaved []string // files that would be overwritten and that git could not bring back
	turn    int
}

// Application finds out what applying a model's change of the last turn would
// do. Nothing is written.
func (s *Session) Application(ctx context.Context, model string) (*Application, error) {
	t, ok := s.Turn()
	switch {
	case !ok:
		return nil, errNoTurn
	case s.Running():
		return nil, errRunning
	case t.Undo != "":
		return nil, errors.New("a change of this task is applied already: /rewind takes it back")
	}
	final, err := s.Final(model)
	if err != nil {
		return nil, err
	}
	p, err := apply.New(s.root(), final)
	if err != nil {
		return nil, fmt.Errorf("reading the project: %w", err)
	}
	a := &Application{Plan: p, Model: model, turn: t.N}
	if len(p.Conflicts) == 0 {
		a.Unsaved, err = apply.Unsaved(ctx, s.root(), p.Overwrites())
	}
	return a, err
}

// root is the directory that trials start with.
func (s *turnLog) root() string {
	return filepath.Join(s.world.Project, filepath.FromSlash(s.board.Look().Run.Project))
}

// Carry applies a plan, all of it or none, and keeps what takes it back.
func (s *Session) Carry(a *Application) error {
	undo := &final.State{Schema: final.Schema}
	for _, act := range a.Actions {
		undo.Changes = append(undo.Changes, final.Change{Path: act.Path, Before: apply.Version(act.Then),
			After: apply.Version(act.Now)})
	}
	name := fmt.Sprintf("undo-%d.tar.gz", a.turn)
	f, err := os.Create(filepath.Join(s.store.dir, name))
	if err != nil {
		return err
	}
	if err := errors.Join(final.Write(f, undo, nil), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := a.Plan.Apply(); err != nil {
		return err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.turns[a.turn-1].Undo = name
	return s.write(Record{Kind: Applied, Turn: a.turn, Winner: a.Model, Undo: name, Files: len(a.Actions)})
}

// Rewind takes back the change that was applied last, and what was said in its
// turn and after. What was changed since is kept, as far as it lies elsewhere;
// else nothing is taken back.
func (s *Session) Rewind() (Turn, error) {
	if s.Running() {
		return Turn{}, errRunning
	}
	turns := s.Turns()
	i := len(turns) - 1
	for i >= 0 && turns[i].Undo == "" {
		i--
	}
	if i < 0 {
		return Turn{}, errors.New("no change is applied that could be taken back")
	}
	if err := takeBack(s.root(), filepath.Join(s.store.dir, turns[i].Undo)); err != nil {
		return Turn{}, err
	}
	if err := s.rewound(i); err != nil {
		return turns[i], err
	}
	before, said := s.recalled()
	s.lock.Lock()
	defer s.lock.Unlock()
	s.before, s.conversations = before, said
	return turns[i], nil
}

// rewound writes down that the turns from the one at i on were taken back.
func (s *Session) rewound(i int) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	for n := i; n < len(s.turns); n++ {
		if err := s.write(Record{Kind: Rewound, Turn: n + 1}); err != nil {
			return err
		}
		s.turns[n].Rewound, s.turns[n].Undo = true, ""
	}
	return nil
}

func takeBack(root, undo string) error {
	f, err := os.Open(undo)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := final.Read(f)
	if err != nil {
		return err
	}
	p, err := apply.New(root, st)
	if err != nil {
		return fmt.Errorf("reading the project: %w", err)
	}
	if len(p.Conflicts) > 0 {
		var names []string
		for _, c := range p.Conflicts {
			names = append(names, c.Path)
		}
		return fmt.Errorf("nothing is taken back: changed since it was applied: %s", strings.Join(names, ", "))
	}
	return p.Apply()
}
