package native

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"cookoff/sandbox/sandboxtest"
)

// passable is a directory that other users may pass through, as the system's
// directory for temporary files is.
func passable(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestBwrapPromises accepts nothing that the native backend would not do.
func TestBwrapPromises(t *testing.T) {
	if testing.Short() {
		t.Skip("the same promises as TestPromises, kept another way")
	}
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Skip("bubblewrap is not installed")
	}
	b := byName(Bwrap, Options{Dir: passable(t)})
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	sandboxtest.Run(t, b)
}
