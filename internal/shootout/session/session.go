package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"cookoff/internal/ui/live/board"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/trial"
	"cookoff/trial/final"
)

// Runner is what a session needs of a runner.Runner.
type Runner interface {
	RunAll(ctx context.Context, id string, sink trial.Sink, admitting func(done, of int)) error
	Plan() []trial.Trial
	Stop(id string) error
	Compact(id string) error
	Remind(id, name string) error
	ManualReminders() []string
}

// World is what a session works with.
type World struct {
	Project string // the working directory
	Secrets map[string]string
	Now     func() time.Time
	// Build checks a recipe and gives its runner, whose final states are stored
	// in states. allow is what a person granted in this session. Its error says
	// all that is wrong.
	Build func(ctx context.Context, r *recipe.Recipe, b Build) (Runner, error)
	// Sink gets every event beside the journal; nil: nobody.
	Sink trial.Sink
}

// Build is how a runner is to be built.
type Build struct {
	Front  *runner.Front
	States *final.Writer
	Allow  []string
	Doing  func(what string) // is told what is being done, in a line
}

// Turn is one task that was typed, and what became of it.
type Turn struct {
	N        int
	Prompt   string
	Models   []string
	Blind    bool
	Runs     []string // the first one, and those that tried again
	Finished bool
	Choice   Choice // "": not judged
	Winner   string
	Note     string
	Undo     string // the file that takes the applied change back; "": nothing is applied
	Rewound  bool
}

// Session is a shoot-out. It is safe for concurrent use; one turn runs at a
// time.
type Session struct {
	setting
	asks
	turnLog

	live   *live
	failed error // of the last turn

	checking bool   // a task is
	doing    string // what is done for it
	closed   bool
}

// turnLog is what a session has recorded: its turns, and what models remember of them.
type turnLog struct {
	ID    string
	world World
	store *store

	lock          sync.Mutex // of the whole session
	turns         []*Turn
	conversations map[string]*runner.Conversation // by model, of the turns that count
	before        map[string]*runner.Conversation // the same, without the last turn
	board         *board.Board
}

// live is a turn under way.
type live struct {
	turn   *Turn
	runner Runner
	prefix string // of its trials' ids on the board
	cancel context.CancelFunc
	done   chan struct{}
}

// Begin starts a session over a recipe.
func Begin(w World, r *recipe.Recipe) (*Session, error) {
	id := newID(w.Now())
	st, err := create(w.Project, id)
	if err != nil {
		return nil, err
	}
	s := newSession(w, id, st)
	s.take(r)
	rec := Record{Kind: Started, Schema: Schema, Source: r.Source(), Markdown: r.MarshalMarkdown(), Models: r.Names()}
	if err := s.write(rec); err != nil {
		return nil, errors.Join(err, st.close())
	}
	return s, nil
}

func newSession(w World, id string, st *store) *Session {
	s := &Session{turnLog: turnLog{ID: id, world: w, store: st,
		conversations: map[string]*runner.Conversation{}, board: board.New()}}
	s.setting.note = s.keep
	return s
}

func (s *turnLog) write(r Record) error {
	r.At = s.world.Now().UTC()
	return s.store.write(r)
}

// keep writes what must not stop the session where it can't be written.
func (s *turnLog) keep(r Record) {
	if err := s.write(r); err != nil {
		s.store.lose(err)
	}
}

// Noticed gives the first record that could not be written; nil: none.
func (s *turnLog) Noticed() error { return s.store.loss() }

// Close ends the turn under way and the session's record. A session in which
// no task was typed leaves nothing: kept is false.
func (s *Session) Close() (kept bool, err error) {
	s.lock.Lock()
	s.closed = true
	s.lock.Unlock()
	s.Cancel()
	s.Wait()
	if _, any := s.Turn(); !any {
		return false, errors.Join(s.store.close(), os.RemoveAll(s.store.dir))
	}
	return true, s.store.close()
}

// Board is what the present turn looks like.
func (s *turnLog) Board() *board.Board { return s.board }

// Turns gives the turns so far, as they are now.
func (s *turnLog) Turns() []Turn {
	s.lock.Lock()
	defer s.lock.Unlock()
	out := make([]Turn, len(s.turns))
	for i, t := range s.turns {
		out[i] = *t
	}
	return out
}

// Turn gives the last turn; ok is false where there is none.
func (s *turnLog) Turn() (t Turn, ok bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.turns) == 0 {
		return Turn{}, false
	}
	return *s.turns[len(s.turns)-1], true
}

// Journal gives the path of a run's journal.
func (s *turnLog) Journal(run string) string {
	return filepath.Join(trial.RunsDir(s.world.Project), run, trial.JournalFile)
}

// Running reports whether a turn is under way.
func (s *Session) Running() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.live != nil
}
