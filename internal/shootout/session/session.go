package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cookoff/internal/ui/live/board"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/trial"
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
	States *trial.States
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
	ID    string
	world World
	store *store

	mu      sync.Mutex
	recipe  *recipe.Recipe
	on      map[string]bool // models that take part
	blind   bool
	allow   []string
	once    []string // for the next task
	turns   []*Turn
	said    map[string]*runner.Said // by model, of the turns that count
	before  map[string]*runner.Said // the same, without the last turn
	live    *live
	board   *board.Board
	asks    []*Ask
	failed  error // of the last turn
	noticed error // what could not be written down

	checking bool   // a task is
	doing    string // what is done for it
	closed   bool
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
	return &Session{ID: id, world: w, store: st, said: map[string]*runner.Said{}, on: map[string]bool{},
		board: board.New()}
}

// take makes r the recipe of the session; all its models take part.
func (s *Session) take(r *recipe.Recipe) {
	s.recipe = r
	s.on = map[string]bool{}
	for _, m := range r.Names() {
		s.on[m] = true
	}
}

func (s *Session) write(r Record) error {
	r.At = s.world.Now().UTC()
	return s.store.write(r)
}

// note writes what must not stop the session where it can't be written.
func (s *Session) note(r Record) {
	if err := s.write(r); err != nil && s.noticed == nil {
		s.noticed = err
	}
}

// Noticed gives the first record that could not be written; nil: none.
func (s *Session) Noticed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.noticed
}

// Close ends the turn under way and the session's record. A session in which
// no task was typed leaves nothing: kept is false.
func (s *Session) Close() (kept bool, err error) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.Cancel()
	s.Wait()
	if _, any := s.Turn(); !any {
		return false, errors.Join(s.store.close(), os.RemoveAll(s.store.dir))
	}
	return true, s.store.close()
}

// Board is what the present turn looks like.
func (s *Session) Board() *board.Board { return s.board }

// Recipe is the recipe of the session.
func (s *Session) Recipe() *recipe.Recipe {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recipe
}

// SetRecipe makes another recipe the session's, from now on.
func (s *Session) SetRecipe(r *recipe.Recipe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.take(r)
	s.note(Record{Kind: Recipe, Source: r.Source(), Markdown: r.MarshalMarkdown(), Models: s.modelsOn()})
}

// Models gives the recipe's models and whether each takes part.
func (s *Session) Models() (names []string, on []bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.recipe.Names() {
		names, on = append(names, m), append(on, s.on[m])
	}
	return names, on
}

func (s *Session) modelsOn() []string {
	return slices.DeleteFunc(s.recipe.Names(), func(m string) bool { return !s.on[m] })
}

// Switch lets a model take part, or not.
func (s *Session) Switch(model string, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.recipe.Names(), model) {
		return fmt.Errorf("%q is no model of this recipe: %s", model, strings.Join(s.recipe.Names(), ", "))
	}
	s.on[model] = on
	if len(s.modelsOn()) == 0 {
		s.on[model] = true
		return fmt.Errorf("%s is the last model: one must take part", model)
	}
	s.note(Record{Kind: Contests, Models: s.modelsOn()})
	return nil
}

// Blind reports whether names are hidden until the pick.
func (s *Session) Blind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blind
}

// SetBlind hides names in the turns to come, or shows them.
func (s *Session) SetBlind(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blind = on
}

// Allow grants the recipe a permission: for the next task, or for the rest of
// the session.
func (s *Session) Allow(once bool, permissions ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if once {
		s.once = append(s.once, permissions...)
	} else {
		s.allow = append(s.allow, permissions...)
	}
	s.note(Record{Kind: Allowed, Allow: permissions, Once: once})
}

// Missing gives those of the permissions that were not granted yet.
func (s *Session) Missing(permissions []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(permissions),
		func(p string) bool { return slices.Contains(s.allow, p) || slices.Contains(s.once, p) })
}

// Turns gives the turns so far, as they are now.
func (s *Session) Turns() []Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Turn, len(s.turns))
	for i, t := range s.turns {
		out[i] = *t
	}
	return out
}

// Turn gives the last turn; ok is false where there is none.
func (s *Session) Turn() (t Turn, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.turns) == 0 {
		return Turn{}, false
	}
	return *s.turns[len(s.turns)-1], true
}

// Journal gives the path of a run's journal.
func (s *Session) Journal(run string) string {
	return filepath.Join(trial.RunsDir(s.world.Project), run, trial.JournalFile)
}

// Running reports whether a turn is under way.
func (s *Session) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live != nil
}
