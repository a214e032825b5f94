package ground

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/internal/temporary"
	"cookoff/sandbox"
)

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// TestGround: a project's links lead to nothing that is written.
func TestGround(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	rc := filepath.Join(out, "rc")
	if err := os.WriteFile(rc, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	link(t, out, filepath.Join(dir, "linked"))
	if _, err := Open(filepath.Join(dir, "linked")); err == nil || !strings.Contains(err.Error(), "no directory") {
		t.Errorf("a link: %v", err)
	}
	g, err := Open(filepath.Join(dir, "files"))
	if err != nil {
		t.Fatal(err)
	}
	link(t, out, filepath.Join(dir, "files", "task"))
	items := []sandbox.Item{{Path: "rc", Mode: 0o644, Data: []byte("evil")}}
	if _, err := g.Lay("task", items); err == nil {
		t.Error("files were put through a link")
	}
	if g.Sum("task") != "" {
		t.Error("a link was read")
	}
	if text, err := os.ReadFile(rc); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	own, err := g.Lay("other", items)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Settle(own, "task"); err == nil {
		t.Error("a directory was put in the place of a link")
	}
	if err := g.Settle(own, "other"); err != nil {
		t.Fatal(err)
	}
	link(t, rc, filepath.Join(dir, "files", "other", "more"))
	if g.Sum("other") != "" {
		t.Error("a link among files was read")
	}
	own, err = g.Lay("other", items)
	if err != nil || g.Sum("other") != "" {
		t.Errorf("what was there is gone before its place is taken: %v", err)
	}
	if err := g.Settle(own, "other"); err != nil || g.Sum("other") == "" || g.Sum(own) != "" {
		t.Errorf("in place of what was there: %v", err)
	}
}

// TestTemporary: a recipe that tells the solution is among the names that are removed after a
// kill, and no two have the same.
func TestTemporary(t *testing.T) {
	g, err := Open(filepath.Join(t.TempDir(), "files"))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var made []string
	defer func(was func(string)) { temporary.Made = was }(temporary.Made)
	temporary.Made = func(path string) { made = append(made, path) }
	for range 2 {
		at, err := g.Temporary("task.*.proof.md", "solved")
		if err != nil || !strings.HasSuffix(at, ".proof.md") {
			t.Fatalf("%s, %v", at, err)
		}
		if text, err := os.ReadFile(at); err != nil || string(text) != "solved" {
			t.Errorf("%q, %v", text, err)
		}
		if err := g.Remove(filepath.Base(at)); err != nil {
			t.Error(err)
		}
	}
	if len(made) != 2 || made[0] == made[1] {
		t.Errorf("noted: %q", made)
	}
}
