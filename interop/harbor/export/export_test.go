package export

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/recipe"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoHistory: what the agent sees has no repository, in no directory: its commits
// would hold the recipe.
func TestNoHistory(t *testing.T) {
	project, out := t.TempDir(), filepath.Join(t.TempDir(), "task")
	write(t, project, map[string]string{"kept": "x", ".git/HEAD": "ref: x", ".git/objects/12/34": "solution",
		"sub/.git": "gitdir: ../.git/modules/sub", "sub/.gitignore": "y", "deep/er/.git/config": "z"})
	if err := os.Chmod(filepath.Join(project, ".git/objects/12/34"), 0o444); err != nil {
		t.Fatal(err)
	}
	err := Task(out, Given{Recipe: &recipe.Recipe{}, Project: project, Image: "x", Name: "a/b"}, recipe.Task{Prompt: "p"})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	err = filepath.WalkDir(filepath.Join(out, "environment"), func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(out, path); err == nil && !d.IsDir() {
			all = append(all, rel)
		}
		return err
	})
	const want = "environment/Dockerfile environment/project/kept environment/project/sub/.gitignore"
	if got := strings.Join(all, " "); err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}
