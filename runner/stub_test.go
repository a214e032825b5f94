package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/sandbox"
	"cookoff/trial"
)

// stubBackend opens worlds that hold only names of files and know only touch
// and test -e: for tests of the loop, not of the sandbox.
type stubBackend struct{}

func (stubBackend) Check(context.Context) error { return nil }

func (stubBackend) Open(_ context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	w := &stubWorld{files: map[string]bool{}}
	if st, ok := spec.State.(stubState); ok {
		maps.Copy(w.files, st)
	}
	return w, nil
}

type stubWorld struct{ files map[string]bool }

type stubState map[string]bool

func (stubState) Release() error { return nil }

var (
	touches = regexp.MustCompile(`touch (\w+)`)
	tests   = regexp.MustCompile(`(! )?test -e (\w+)`)
)

func (w *stubWorld) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	for _, m := range touches.FindAllStringSubmatch(c.Script, -1) {
		w.files[m[1]] = true
	}
	for _, m := range tests.FindAllStringSubmatch(c.Script, -1) {
		if w.files[m[2]] != (m[1] == "") {
			return sandbox.Result{Exit: 1}, ctx.Err()
		}
	}
	return sandbox.Result{Stdout: []byte(echoed(c.Script))}, ctx.Err()
}

var echo = regexp.MustCompile(`eval \$'echo (.*)'`)

func echoed(script string) string {
	if m := echo.FindStringSubmatch(script); m != nil {
		return m[1] + "\n"
	}
	return ""
}

func (w *stubWorld) FS() sandbox.FS                              { return stubFS{w: w} }
func (w *stubWorld) Seal(context.Context) (sandbox.State, error) { return stubState(w.files), nil }
func (w *stubWorld) Close() error                                { return nil }

type stubFS struct {
	sandbox.FS
	w *stubWorld
}

func (f stubFS) Find(context.Context, sandbox.FindQuery) ([]string, bool, error) {
	return nil, false, nil
}

func (f stubFS) Manifest(context.Context, []string) (sandbox.Manifest, error) {
	var m sandbox.Manifest
	for _, name := range slices.Sorted(maps.Keys(f.w.files)) {
		m = append(m, sandbox.File{Path: name, Sum: name})
	}
	return m, nil
}

// List gives nothing: modes of directories are none of a stub's.
func (f stubFS) List(context.Context, string) ([]sandbox.Entry, error) { return nil, nil }

// Pack gives nothing: files of a stub have no text.
func (stubFS) Pack(context.Context, []string, func(sandbox.Item) error) error { return nil }

// Unpack makes nothing: what tests lay into a world are directories.
func (stubFS) Unpack(context.Context, []sandbox.Item) error { return nil }

// quick is a bench on the stub backend, with one scripted model.
func quick(t *testing.T, steps ...any) (*bench, *chat) {
	t.Helper()
	c := &chat{steps: steps}
	b := newBench(t, map[string]model.Chat{"test/model": c})
	b.env.Backend = stubBackend{}
	return b, c
}

// quickRecipe is one task that touch done mends, and sections.
func quickRecipe(sections string) string { return fmt.Sprintf(mendRecipe, sections) }

// told gives what a request says, one line a message.
func told(req model.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		text, _ := json.Marshal(m.Content)
		fmt.Fprintf(&b, "%s %s", m.Role, text)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, " %s%s", c.Name, c.Arguments)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// notes gives the texts of the journal's notes of a kind.
func (b *bench) notes(kind string) []string {
	var out []string
	for _, e := range b.log.events {
		if e.Kind == trial.Note && e.Note.Kind == kind {
			out = append(out, e.Note.Text)
		}
	}
	return out
}

// bash is a call that prints text.
func bash(n int, text string) *model.Reply {
	return call(fmt.Sprint(n), "bash", fmt.Sprintf(`{"command":"echo %s"}`, text))
}
