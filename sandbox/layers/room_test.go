package layers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// TestCrowded: a world that has written little lost nothing by its own doing where a disk is
// full; one that has written much, or started with a state that holds much, may have filled it.
func TestCrowded(t *testing.T) {
	write := func(bytes, files int) string {
		dir := t.TempDir()
		for i := range files {
			path := filepath.Join(dir, plan.TopDir, plan.TopWork, fmt.Sprint(i))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
				os.WriteFile(path, make([]byte, bytes), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	full := fmt.Errorf("copying: %w", syscall.ENOSPC)
	check := func(name string, f *Files, err error, others bool) {
		t.Helper()
		f.most = sandbox.Limits{Disk: 4 << 20, Files: 40}
		got := f.Crowded(err)
		if errors.Is(got, sandbox.ErrShort) != others || !errors.Is(got, err) {
			t.Errorf("%s: %v", name, got)
		}
	}
	check("nothing is there", &Files{}, full, true)
	check("little", &Files{dir: write(1000, 1)}, full, true)
	check("a large file", &Files{dir: write(2<<20, 1)}, full, false)
	check("many files", &Files{dir: write(1, 11)}, full, false)
	check("on a large state", &Files{dir: write(1, 1), from: &State{dir: write(2<<20, 1)}}, full, false)
	check("another error", &Files{}, syscall.EPERM, false)
}
