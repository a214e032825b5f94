package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/recipe"
)

// TestWarmTest: what warms the cache is a test that passes, and vet looks through each
// package that is warmed for it. The machine's own cache keeps it short.
func TestWarmTest(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module warm\n\ngo 1.21\n", "warm_test.go": warmTest()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-test", "-deps", ".")
	list.Dir = dir
	list.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range append([]string{"testing", "testing/internal/testdeps"}, warmed...) {
		if !strings.Contains("\n"+string(out), "\n"+name+"\n") {
			t.Errorf("%s is not warmed:\n%s", name, out)
		}
	}
}

// TestTheBenchHasGoWork: the tasks of the bench compile, and the first ones do not.
func TestTheBenchHasGoWork(t *testing.T) {
	for name, want := range map[string]bool{"builtin:bench": true, "builtin:default": false} {
		r, err := recipe.Discover(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&Host{Dir: t.TempDir()}).hasGoWork(r); got != want {
			t.Errorf("%s has work for Go: %t, want %t", name, got, want)
		}
	}
}
