package runnertest

import (
	"context"
	"maps"
	"regexp"
	"slices"

	"cookoff/sandbox"
)

// Backend opens worlds that hold only names of files and know only touch
// and test -e: for tests of the loop, not of the sandbox.
type Backend struct{}

// Check finds nothing wrong.
func (Backend) Check(context.Context) error { return nil }

// Open gives a world with the files of the state that it begins with.
func (Backend) Open(_ context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	w := &World{files: map[string]bool{}}
	if st, ok := spec.State.(state); ok {
		maps.Copy(w.files, st)
	}
	return w, nil
}

// World is a world of Backend.
type World struct{ files map[string]bool }

type state map[string]bool

func (state) Release() error { return nil }

var (
	touches = regexp.MustCompile(`touch (\w+)`)
	tests   = regexp.MustCompile(`(! )?test -e (\w+)`)
)

// Exec does what a script touches and tests.
func (w *World) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
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

// FS gives the names of files.
func (w *World) FS() sandbox.FS { return files{w: w} }

// Seal gives the files as a state.
func (w *World) Seal(context.Context) (sandbox.State, error) { return state(w.files), nil }

// Close does nothing.
func (w *World) Close() error { return nil }

type files struct {
	sandbox.FS
	w *World
}

func (f files) Find(context.Context, sandbox.FindQuery) ([]string, bool, error) {
	return nil, false, nil
}

func (f files) Manifest(context.Context, []string) (sandbox.Manifest, error) {
	var m sandbox.Manifest
	for _, name := range slices.Sorted(maps.Keys(f.w.files)) {
		m = append(m, sandbox.File{Path: name, Sum: name})
	}
	return m, nil
}

// List gives nothing: modes of directories are none of a stub's.
func (f files) List(context.Context, string) ([]sandbox.Entry, error) { return nil, nil }

// Pack gives nothing: files of a stub have no text.
func (files) Pack(context.Context, []string, func(sandbox.Item) error) error { return nil }

// Unpack makes nothing: what tests lay into a world are directories.
func (files) Unpack(context.Context, []sandbox.Item) error { return nil }
