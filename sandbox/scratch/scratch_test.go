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

// TestClose wants the directory of a process to go when no world is in it any more,
// whatever all worlds share, and to be made again when it is asked for.
func TestClose(t *testing.T) {
	base := t.TempDir()
	s := &Space{Base: base}
	own, err := s.Dir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(own, SharedBegin+"0"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.NoteScope("/groups"); err != nil {
		t.Fatal(err)
	}
	world, err := s.New()
	if err != nil {
		t.Fatal(err)
	}
	close := func(want bool) {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(own); os.IsNotExist(err) == want {
			t.Errorf("the directory is there: %v, want %v", !want, want)
		}
	}
	close(true)
	if left := Leftovers(base); len(left) > 0 {
		t.Errorf("%q is taken for left over", left)
	}
	if err := os.Remove(world); err != nil {
		t.Fatal(err)
	}
	close(false)
	if again, err := s.Dir(); err != nil || again == own {
		t.Errorf("%q, %v", again, err)
	}
}
