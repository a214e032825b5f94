package scratch

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDeadSpace wants the files of a killed process to be removed by the next,
// and those of a living one to stay.
func TestDeadSpace(t *testing.T) {
	base := t.TempDir()
	alive := &Space{Base: base}
	kept, err := alive.Dir()
	if err != nil {
		t.Fatal(err)
	}
	dead := &Space{Base: base}
	left, err := dead.Dir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(left, "trial/wu/closed"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(left, "trial/wu/closed"), 0); err != nil {
		t.Fatal(err)
	}
	dead.lock.Close()
	if _, err := (&Space{Base: base}).Dir(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what a dead process left is still there: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the directory of a living process is gone: %v", err)
	}
}
