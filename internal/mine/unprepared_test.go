package mine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"cookoff/sandbox"
)

// bare is a machine on which nothing can be made ready.
type bare struct{ t *testing.T }

func (b bare) Open(context.Context, sandbox.Spec) (sandbox.Sandbox, error) {
	b.t.Error("a sandbox was opened")
	return nil, errors.New("none here")
}

func (bare) Prepare(context.Context, string, string) (string, error) {
	return "", errors.New("npm ci: no such package")
}

func (b bare) Prove(context.Context, string) (Reason, string, error) {
	b.t.Error("a task was proven")
	return "", "", nil
}

// TestUnprepared: a commit whose world can't be made is refused with the reason, and the
// search goes on.
func TestUnprepared(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	dir := t.TempDir()
	for _, step := range []string{"one", "two", "three"} {
		for _, name := range []string{"a.py", "test_a.py"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(step), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
			{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", step}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %s", args, out)
			}
		}
	}
	res, err := Mine(t.Context(), Options{Dir: dir, Test: "python3 -m unittest", Files: filepath.Join(dir, "m.files")},
		bare{t}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Refused(); got[Unprepared] != 2 || got[NoParent] != 1 {
		t.Errorf("%v", got)
	}
}
