package project

import (
	"os"
	"path/filepath"
	"testing"

	"cookoff/recipe"
)

// What a task hides is read within the project: a link of the project that leads out
// of it, as to /proc/self, leads nowhere.
func TestHiddenFilesStayInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(outside, "key"): "secret",
		filepath.Join(dir, "tests", "a"): "test"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out": outside, "self": "/proc/self", "in": "tests"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, glob := range []string{"out/key", "out/**", "self/environ", "*/key"} {
		items, err := HiddenFiles(dir, &recipe.Recipe{}, recipe.Task{Title: "t", Hidden: []string{glob}})
		for _, it := range items {
			if it.Mode.IsRegular() {
				t.Errorf("%s: %s is read", glob, it.Path)
			}
		}
		if err == nil && len(items) == 0 {
			t.Errorf("%s: nothing, and nothing is said", glob)
		}
	}
	items, err := HiddenFiles(dir, &recipe.Recipe{}, recipe.Task{Title: "t", Hidden: []string{"tests/**"}})
	if err != nil || len(items) == 0 {
		t.Errorf("%v, %v", items, err)
	}
}
