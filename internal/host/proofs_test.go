package host

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A proof holds for what a program is, wherever it lies and whenever it was built.
func TestContentOfAProgram(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	program := func(name, text string, at time.Time) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	first := content(program("a", "one", day))
	if again := content(program("a", "one", day.Add(time.Hour))); again != first {
		t.Error("built again, the same program is another")
	}
	if copied := content(program("b", "one", day.Add(2*time.Hour))); copied != first {
		t.Error("a copy is another program")
	}
	if other := content(program("a", "two", day.Add(3*time.Hour))); other == first {
		t.Error("another program of the same size at the same path is the same")
	}
	kept, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "cookoff", "digests", "*"))
	if err != nil || len(kept) != 4 {
		t.Errorf("%d digests are kept (%v), want one for each file", len(kept), err)
	}
	if known := content(filepath.Join(dir, "b")); known != first {
		t.Error("what is kept says something else")
	}
	missing := filepath.Join(dir, "none")
	if once, again := content(missing), content(missing); once == again {
		t.Error("what can't be read is remembered")
	}
}

// The digest of the program that runs is that of its file, by whatever path it is opened.
func TestProvingKnowsItself(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if content(ownProgram()) != content(exe) {
		t.Error("the running program is another than its file")
	}
	if once, again := Proving("x"), Proving("x"); once != again || once == Proving("y") {
		t.Error("the same program and tools are another, or other tools the same")
	}
}
