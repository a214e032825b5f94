package ground

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	link(t, rc, filepath.Join(dir, "files", "task.proof.md"))
	items := []sandbox.Item{{Path: "rc", Mode: 0o644, Data: []byte("evil")}}
	if err := g.Lay("task", items); err == nil {
		t.Error("files were put through a link")
	}
	if _, err := g.File("task.proof.md", "evil"); err == nil {
		t.Error("a file was written through a link")
	}
	if g.Sum("task") != "" {
		t.Error("a link was read")
	}
	if text, err := os.ReadFile(rc); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if err := g.Lay("other", items); err != nil {
		t.Fatal(err)
	}
	link(t, rc, filepath.Join(dir, "files", "other", "more"))
	if g.Sum("other") != "" {
		t.Error("a link among files was read")
	}
	if err := g.Lay("other", items); err != nil || g.Sum("other") == "" {
		t.Errorf("in place of what was there: %v", err)
	}
}
