package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/tools"
)

// plainWorld is a directory of the test with the machine's own bash: enough
// for what a tool makes of results. What must hold against attack is tested in
// the real sandbox.
type plainWorld struct {
	dir    string
	result *sandbox.Result // given by Exec instead of running anything
	err    error
	cmds   []sandbox.Cmd
	read   func(path string, off, n int64) (sandbox.Chunk, error)
	find   func(ctx context.Context) ([]string, bool, error)
	grep   []sandbox.GrepLine
}

func newPlain(t *testing.T) *plainWorld {
	return &plainWorld{dir: t.TempDir()}
}

func (w *plainWorld) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	w.cmds = append(w.cmds, c)
	if w.err != nil || w.result != nil {
		if w.result == nil {
			return sandbox.Result{}, w.err
		}
		return *w.result, w.err
	}
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", c.Script)
	cmd.Dir = filepath.Join(w.dir, "work")
	os.MkdirAll(cmd.Dir, 0o755)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + w.dir, "HOME=" + w.dir}
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) {
		return sandbox.Result{}, err
	}
	return sandbox.Result{Exit: cmd.ProcessState.ExitCode(), Stdout: []byte(out.String()),
		Stderr: []byte(errs.String())}, nil
}

func (w *plainWorld) FS() sandbox.FS                              { return plainFS{plainWorld: w} }
func (w *plainWorld) Seal(context.Context) (sandbox.State, error) { return nil, errors.ErrUnsupported }
func (w *plainWorld) Close() error                                { return nil }

// plainFS serves what the tools ask for; anything else is a fault of the test.
type plainFS struct {
	sandbox.FS
	*plainWorld
}

func (f plainFS) Read(_ context.Context, path string, off, n int64) (sandbox.Chunk, error) {
	if f.read != nil {
		return f.read(path, off, n)
	}
	b, err := os.ReadFile(filepath.Join(f.dir, path))
	if err != nil {
		return sandbox.Chunk{}, &sandbox.FileError{Op: "read", Path: path, Reason: "no such file or directory",
			Kind: sandbox.FileMissing}
	}
	end := min(off+n, int64(len(b)))
	return sandbox.Chunk{Data: b[min(off, end):end], Size: int64(len(b)), Mode: 0o644}, nil
}

func (f plainFS) Write(_ context.Context, path string, data []byte) error {
	return os.WriteFile(filepath.Join(f.dir, path), data, 0o644)
}

func (f plainFS) List(_ context.Context, dir string) ([]sandbox.Entry, error) {
	des, err := os.ReadDir(filepath.Join(f.dir, dir))
	var all []sandbox.Entry
	for _, de := range des {
		info, _ := de.Info()
		link, _ := os.Readlink(filepath.Join(f.dir, dir, de.Name()))
		all = append(all, sandbox.Entry{Name: de.Name(), Mode: info.Mode(), Size: info.Size(), Link: link})
	}
	return all, err
}

func (f plainFS) Find(ctx context.Context, _ sandbox.FindQuery) ([]string, bool, error) {
	return f.find(ctx)
}

func (f plainFS) Grep(context.Context, sandbox.GrepQuery) ([]sandbox.GrepLine, bool, error) {
	return f.grep, false, nil
}

func (f plainFS) Manifest(context.Context, []string) (sandbox.Manifest, error) {
	return nil, errors.ErrUnsupported
}

// use calls a built-in tool as a model would.
func use(t *testing.T, sb sandbox.Sandbox, name, args string) (tools.Result, error) {
	t.Helper()
	return call(t, tools.Builtin(tools.Options{}), sb, name, args)
}

func call(t *testing.T, set []tools.Tool, sb sandbox.Sandbox, name, args string) (tools.Result, error) {
	t.Helper()
	for _, tool := range set {
		if tool.Spec().Name == name {
			return tool.Call(t.Context(), sb, json.RawMessage(args))
		}
	}
	t.Fatalf("no tool %q", name)
	return tools.Result{}, nil
}

// text is a call that must work.
func text(t *testing.T, sb sandbox.Sandbox, name, args string) string {
	t.Helper()
	r, err := use(t, sb, name, args)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	return r.Text
}

// refused is a call that must come back to the model; it gives the reason.
func refused(t *testing.T, err error, kind tools.ErrorKind) string {
	t.Helper()
	var ce *tools.CallError
	if !errors.As(err, &ce) {
		t.Fatalf("expected a *CallError, got %v", err)
	}
	if ce.Kind != kind {
		t.Errorf("kind %q, want %q (%s)", ce.Kind, kind, ce.Reason)
	}
	return ce.Reason
}
