package layers

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/users"
)

// TestUnhideWhatIsClosed wants what was hidden to come back also where an agent
// has taken the rights in its directories from itself, and them to stay taken.
func TestUnhideWhatIsClosed(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o711), os.Chmod(filepath.Dir(dir), 0o711)); err != nil {
		t.Fatal(err)
	}
	agent := users.Agent{UID: os.Getuid(), GID: os.Getgid()}
	w := &copied{of: &Files{}, from: filepath.Join(dir, "from"),
		hidden: []string{"top", "a/b/deep", "closed"}}
	if users.IsRoot() { // as the agent, whom modes keep out
		agent = users.Agent{UID: users.First, GID: users.First}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	top := filepath.Join(dir, "to")
	for _, d := range []string{"from/a/b", "from/closed", "to/a/b", "to/closed"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"top", "a/b/deep", "closed/f"} {
		if err := os.WriteFile(filepath.Join(dir, "from", f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	closed := []string{"a/b", "a", "closed", "."}
	for _, d := range closed {
		at := filepath.Join(top, d)
		if err := errors.Join(agent.Own(at), os.Chmod(at, 0o400)); err != nil {
			t.Fatal(err)
		}
	}
	if users.IsRoot() {
		_, _ = unix.SetfsgidRetGid(agent.GID)
		_, _ = unix.SetfsuidRetUid(agent.UID)
	}
	w.of.agent = agent
	err := w.unhide(stratum{work: top})
	if users.IsRoot() {
		_, _ = unix.SetfsuidRetUid(0)
		_, _ = unix.SetfsgidRetGid(0)
	}
	if err != nil {
		t.Error(err)
	}
	for _, d := range []string{".", "a", "a/b", "closed"} {
		st, err := os.Stat(filepath.Join(top, d))
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm() != 0o400 {
			t.Errorf("%s has the mode %v", d, st.Mode())
		}
		if err := os.Chmod(filepath.Join(top, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"top", "a/b/deep", "closed/f"} {
		if _, err := os.Stat(filepath.Join(top, f)); err != nil {
			t.Error(err)
		}
	}
}
