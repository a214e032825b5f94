package mine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/internal/history"
	"cookoff/internal/mine/refusal"
	"cookoff/recipe"
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
	if _, err := openGround(filepath.Join(dir, "linked")); err == nil || !strings.Contains(err.Error(), "no directory") {
		t.Errorf("a link: %v", err)
	}
	g, err := openGround(filepath.Join(dir, "files"))
	if err != nil {
		t.Fatal(err)
	}
	link(t, out, filepath.Join(dir, "files", "task"))
	link(t, rc, filepath.Join(dir, "files", "task.proof.md"))
	items := []sandbox.Item{{Path: "rc", Mode: 0o644, Data: []byte("evil")}}
	if err := g.lay("task", items); err == nil {
		t.Error("files were put through a link")
	}
	if _, err := g.file("task.proof.md", "evil"); err == nil {
		t.Error("a file was written through a link")
	}
	if g.sum("task") != "" {
		t.Error("a link was read")
	}
	if text, err := os.ReadFile(rc); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if err := g.lay("other", items); err != nil {
		t.Fatal(err)
	}
	link(t, rc, filepath.Join(dir, "files", "other", "more"))
	if g.sum("other") != "" {
		t.Error("a link among files was read")
	}
	if err := g.lay("other", items); err != nil || g.sum("other") == "" {
		t.Errorf("in place of what was there: %v", err)
	}
}

// TestRecord: what was found before holds while the files that judge are those that
// were proven; a record in the project is not looked at.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	m := &miner{finder: &finder{repo: &history.Repo{}},
		Options: Options{Dir: dir, Test: "x", Files: filepath.Join(dir, "mined.files"),
			Record: filepath.Join(t.TempDir(), "cache", "found.jsonl")}}
	var err error
	if m.ground, err = openGround(m.Files); err != nil {
		t.Fatal(err)
	}
	task := &Task{Recipe: recipe.Task{Prompt: "p"}, Files: "0123"}
	if err := m.ground.lay(task.Files, []sandbox.Item{{Path: "a/t_test.go", Mode: 0o644, Data: []byte("test")}}); err != nil {
		t.Fatal(err)
	}
	task.Sum = m.ground.sum(task.Files)
	again := func() map[string]*Found {
		r, err := m.recorded()
		if err != nil {
			t.Fatal(err)
		}
		return r.known
	}
	forged := &record{key: m.settings(), file: filepath.Join(m.Files, "found.jsonl")}
	if err := forged.add(&Found{Commit: "forged", Task: task}); err != nil {
		t.Fatal(err)
	}
	if known := again(); len(known) > 0 {
		t.Errorf("the project's own record is believed: %v", known)
	}
	r, _ := m.recorded()
	for _, f := range []*Found{{Commit: "task", Task: task}, {Commit: "no", Reason: refusal.NotBoth}} {
		if err := r.add(f); err != nil {
			t.Fatal(err)
		}
	}
	if known := again(); known["task"] == nil || known["no"] == nil {
		t.Errorf("got %v", known)
	}
	if err := os.WriteFile(filepath.Join(m.Files, task.Files, "a", "t_test.go"), []byte("tset"), 0o644); err != nil {
		t.Fatal(err)
	}
	if known := again(); known["task"] != nil || known["no"] == nil {
		t.Errorf("files that are others judge: %v", known)
	}
}
