package machines_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/runner/runnertest"
	"cookoff/sandbox"
	"cookoff/trial"
)

// pickyBackend opens no world of some images.
type pickyBackend struct {
	runnertest.Backend
	refused map[string]error
	broken  *bool // from the first refusal on, it opens none
}

func (b pickyBackend) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	err := b.refused[spec.Image]
	if b.broken != nil && *b.broken {
		err = sandbox.Unavailable("opening", errors.New("the machine is broken"))
	}
	if err != nil {
		if b.broken != nil {
			*b.broken = true
		}
		return nil, err
	}
	return b.Backend.Open(ctx, spec)
}

// Two tasks, the second in an image of its own.
func imagesRecipe(sections string) string {
	first := runnertest.Recipe(sections)
	_, task, _ := strings.Cut(first, "### Write the file\n")
	return first + "\n### In an image\n" + task + "\nimage: missing\n"
}

// TestTaskWithoutSandbox: a task that has no sandbox here is left out by name, and the
// others are run; where none has one, or the machine is at fault, the run ends.
func TestTaskWithoutSandbox(t *testing.T) {
	gone := sandbox.Unavailable("opening", errors.New("no such image\nhint: pull it"))
	lost := sandbox.Unavailable("opening", &sandbox.HostError{Host: "a", Err: errors.New("gone")})
	short := fmt.Errorf("%w: %w", gone, sandbox.ErrShort)
	const sequential = "## Context\ntask_mode: sequential\n"
	for name, c := range map[string]struct {
		refused  map[string]error
		broken   bool
		sections string
		known    bool
		want     string // of the tasks left out
		wantErr  string
	}{
		"one task":       {refused: map[string]error{"missing": gone}, want: "In an image"},
		"in their order": {refused: map[string]error{"missing": gone}, sections: sequential, want: "In an image"},
		"proven before":  {refused: map[string]error{"missing": gone}, known: true, want: "In an image"},
		"every task": {refused: map[string]error{"missing": gone, "": gone},
			wantErr: `admitting task "Write the file"`},
		"the machine":       {refused: map[string]error{"missing": gone}, broken: true, wantErr: "no such image"},
		"short of memory":   {refused: map[string]error{"missing": short}, wantErr: "memory"},
		"a lost host":       {refused: map[string]error{"missing": lost}, wantErr: "gone"},
		"something else":    {refused: map[string]error{"missing": errors.New("a bug")}, wantErr: "a bug"},
		"all have theirs":   {},
		"all were proven":   {known: true},
		"broken, and known": {refused: map[string]error{"missing": lost}, known: true, wantErr: "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			b := runnertest.New(t, map[string]model.Chat{"test/model": commander("touch done")})
			backend := pickyBackend{refused: c.refused}
			if c.broken {
				backend.broken = new(bool)
			}
			b.Env.Backend, b.Env.Parallel = backend, 1
			if c.known {
				b.Env.Proofs = allKnown{}
			}
			err := b.Runner(imagesRecipe(c.sections)).RunAll(t.Context(), "run", b.Log, nil)
			if (err != nil) != (c.wantErr != "") || err != nil && !strings.Contains(err.Error(), c.wantErr) {
				t.Fatalf("the run ended with %v, want %q", err, c.wantErr)
			}
			if err != nil {
				return
			}
			out, passed := "", 0
			for _, e := range b.Log.Events {
				if e.Kind == trial.RunStarted {
					for _, x := range e.Run.Excluded {
						if out += x.Task; x.Phase != "sandbox" ||
							!strings.HasSuffix(x.Why, "here: opening: no such image; pull it") {
							t.Errorf("left out at %s: %s", x.Phase, x.Why)
						}
					}
				}
				if e.Kind == trial.TrialFinished && e.Outcome.Status == trial.Pass {
					passed++
				}
			}
			if want := 2 - min(1, len(c.want)); out != c.want || passed != want {
				t.Errorf("%q is left out, want %q; %d trials passed, want %d", out, c.want, passed, want)
			}
		})
	}
}

// allKnown remembers a proof of every task.
type allKnown struct{}

func (allKnown) Known(string) ([]byte, bool) { return nil, true }

func (allKnown) Add(string, []byte) {}

// TestLintWithoutSandbox: lint says of which task no sandbox can be had, and tries the
// others.
func TestLintWithoutSandbox(t *testing.T) {
	b, _ := runnertest.Quick(t)
	gone := sandbox.Unavailable("opening", errors.New("no such image"))
	b.Env.Backend = pickyBackend{refused: map[string]error{"missing": gone}}
	r := b.Runner(imagesRecipe(""))
	const want = `task "In an image": sandbox: no sandbox could be had for it here: opening: no such image`
	found, err := r.Lint().Prove(t.Context())
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Msg, want) || found[0].Warning {
		t.Errorf("proving: %v, %v", found, err)
	}
	found, err = r.Lint().Lacking(t.Context())
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Msg, want) || !found[0].Warning {
		t.Errorf("looking: %v, %v", found, err)
	}
	b.Env.Backend = pickyBackend{refused: map[string]error{"missing": gone, "": gone}}
	if _, err := b.Runner(imagesRecipe("")).Lint().Prove(t.Context()); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("without any sandbox: %v", err)
	}
}
