package session

import (
	"fmt"
	"path/filepath"
	"slices"

	"cookoff/recipe"
	"cookoff/trial"
)

// Resume goes on with a session as its record left it. load reads a recipe of
// that text; source says where it came from.
func Resume(w World, id string, load func(markdown, source string) (*recipe.Recipe, error)) (*Session, error) {
	dir := filepath.Join(Dir(w.Project), id)
	recs, err := Read(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the session: %w", err)
	}
	s := newSession(w, id, nil)
	var at Record // of the recipe
	var on []string
	for _, r := range recs {
		if r.Markdown != "" {
			at = r
		}
		if (r.Kind == Started || r.Kind == Recipe || r.Kind == Contests) && r.Models != nil {
			on = r.Models
		}
		s.fold(r)
	}
	if at.Markdown == "" {
		return nil, fmt.Errorf("the session %s has no recipe: it never began", id)
	}
	r, err := load(at.Markdown, at.Source)
	if err != nil {
		return nil, err
	}
	if s.store, err = open(dir); err != nil {
		return nil, err
	}
	s.take(r)
	for m := range s.on {
		s.on[m] = slices.Contains(on, m)
	}
	s.before, s.conversations = s.recalled()
	s.show()
	return s, nil
}

// fold takes a record in.
func (s *Session) fold(r Record) {
	if r.Kind == TurnRuns && r.Turn == len(s.turns)+1 {
		s.turns = append(s.turns, &Turn{N: r.Turn, Prompt: r.Prompt, Models: r.Models, Blind: r.Blind, Finished: true})
	}
	if r.Kind == Allowed && !r.Once {
		s.allow = append(s.allow, r.Allow...)
	}
	if r.Turn < 1 || r.Turn > len(s.turns) {
		return
	}
	t := s.turns[r.Turn-1]
	switch r.Kind {
	case TurnRuns:
		t.Runs = append(t.Runs, r.Run)
		s.blind = r.Blind
	case Picked:
		t.Choice, t.Winner, t.Note = r.Choice, r.Winner, r.Note
	case Applied:
		t.Undo = r.Undo
	case Rewound:
		t.Rewound, t.Undo = true, ""
	}
}

// show puts the last turn on the board.
func (s *turnLog) show() {
	s.board.Reset()
	if len(s.turns) == 0 {
		return
	}
	for i, run := range s.turns[len(s.turns)-1].Runs {
		prefix := ""
		if i > 0 {
			prefix = fmt.Sprintf("again%d/", i)
		}
		// What can't be read is not shown; the record of the session is whole.
		_, _ = trial.ReadFile(s.Journal(run), prefixed(prefix, s.board).Emit)
	}
	s.board.End()
}
