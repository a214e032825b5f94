// Package runnertest has the bench of tests of runs: recipes, scripted models, a clock that
// nobody waits for, and worlds that hold only names of files.
package runnertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner"
	"cookoff/runner/resumed"
	"cookoff/runner/worlds"
	"cookoff/sandbox/native"
	"cookoff/tools/repair"
	"cookoff/trial"
	"cookoff/trial/trialtest"
)

// Journal folds what a bench has logged.
func (b *Bench) Journal() *resumed.Journal {
	p := resumed.New()
	for _, e := range b.Log.Events {
		_ = p.Emit(e) // never fails
	}
	again := p.Recall(p.Run.Trials)
	for _, e := range b.Log.Events {
		_ = again.Emit(e) // never fails
	}
	return p
}

// StopAt runs until an event of this kind of a trial, and ends the run there.
func (b *Bench) StopAt(text string, kind trial.Kind, id string) {
	b.T.Helper()
	ctx, cancel := context.WithCancel(b.T.Context())
	sink := trial.SinkFunc(func(e trial.Event) error {
		if e.Kind == kind && e.Trial == id {
			cancel()
		}
		return b.Log.Emit(e)
	})
	if err := b.Runner(text).RunAll(ctx, "r", sink, nil); !errors.Is(err, context.Canceled) {
		b.T.Fatalf("the run ended with %v", err)
	}
}

// Clock advances one second a look, and never waits.
type Clock struct {
	mu    sync.Mutex
	now   time.Time
	Slept []time.Duration
}

// Now gives a time one second after the last one.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	return c.now
}

// Sleep notes how long it was to wait, and returns at once.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Slept = append(c.Slept, d)
	return ctx.Err()
}

// Bench is a recipe on the real sandbox with scripted models.
type Bench struct {
	T     *testing.T
	Env   runner.Env
	Clock *Clock
	Log   *trialtest.Log
}

// library is read once: nothing changes it.
var library = sync.OnceValues(repair.Default)

// New gives a bench whose models, by their names, answer with chats.
func New(t *testing.T, chats map[string]model.Chat) *Bench {
	t.Helper()
	clock := &Clock{now: time.Unix(1_000_000_000, 0)}
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	return &Bench{T: t, Clock: clock, Log: &trialtest.Log{}, Env: runner.Env{
		Machine: worlds.Machine{Backend: native.New(native.Options{})},
		Meters:  runner.Meters{Clock: clock},
		Project: worlds.Project{Dir: t.TempDir()},
		Limits:  runner.Limits{Parallel: 2},
		Repairs: lib,
		Providers: runner.Providers{Chat: func(id string) (model.Chat, error) {
			if c, ok := chats[id]; ok {
				return c, nil
			}
			return nil, fmt.Errorf("no model %q", id)
		}},
	}}
}

// Runner gives the runner of a recipe.
func (b *Bench) Runner(text string) *runner.Runner {
	b.T.Helper()
	rec, err := recipe.ParseContent([]byte(text))
	if err != nil {
		b.T.Fatal(err)
	}
	rr, err := rec.BuildRunner()
	if err != nil {
		b.T.Fatal(err)
	}
	r, err := runner.New(rr, b.Env)
	if err != nil {
		b.T.Fatal(err)
	}
	return r
}

// One runs the first trial of a recipe.
func (b *Bench) One(text string) trial.Outcome {
	b.T.Helper()
	r := b.Runner(text)
	out, err := r.Run(b.T.Context(), r.Plan()[0], b.Log)
	if err != nil {
		b.T.Fatal(err)
	}
	return out
}

// Statuses gives how the trials ended, in the order in which they did.
func (b *Bench) Statuses() string {
	var out []string
	for _, e := range b.Log.Events {
		if e.Kind == trial.TrialFinished {
			s := fmt.Sprintf("%s/%d %s", e.Trial, e.Attempt, e.Outcome.Status)
			if e.Outcome.Cause != "" {
				s += " " + string(e.Outcome.Cause)
			}
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

// Quick is a bench on the stub backend, with one scripted model.
func Quick(t *testing.T, steps ...any) (*Bench, *Chat) {
	t.Helper()
	c := &Chat{Steps: steps}
	b := New(t, map[string]model.Chat{"test/model": c})
	b.Env.Backend = Backend{}
	return b, c
}

// Notes gives the texts of the journal's notes of a kind.
func (b *Bench) Notes(kind string) []string {
	var out []string
	for _, e := range b.Log.Events {
		if e.Kind == trial.Note && e.Note.Kind == kind {
			out = append(out, e.Note.Text)
		}
	}
	return out
}
