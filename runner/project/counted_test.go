package project

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A project's large files are never held whole.
func TestCountHoldsNoFileWhole(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "data.bin")
	if err := os.WriteFile(file, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 64<<20); err != nil { // a hole: it takes no disk
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	first, err := Count(dir)
	runtime.ReadMemStats(&after)
	if err != nil || len(first) != 1 {
		t.Fatal(first, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("%d bytes were taken for a file of 64 MiB", n)
	}
	if err := os.Truncate(file, 64<<20-1); err != nil {
		t.Fatal(err)
	}
	second, err := Count(dir)
	if what, told := second.Changes(first); err != nil || !told || len(what) != 1 || what[0] != "data.bin" {
		t.Error(what, told, err)
	}
}
