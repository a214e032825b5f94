package mine

import (
	"os"
	"path/filepath"
	"testing"

	"cookoff/internal/history"
	"cookoff/internal/mine/ground"
	"cookoff/internal/mine/refusal"
	"cookoff/recipe"
	"cookoff/sandbox"
)

// TestRecord: what was found before holds while the files that judge are those that
// were proven; a record in the project is not looked at.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	m := &miner{repo: &history.Repo{},
		Options: Options{Dir: dir, Test: "x", Files: filepath.Join(dir, "mined.files"),
			Record: filepath.Join(t.TempDir(), "cache", "found.jsonl")}}
	var err error
	if m.ground, err = ground.Open(m.Files); err != nil {
		t.Fatal(err)
	}
	task := &Task{Recipe: recipe.Task{Prompt: "p"}, Files: "0123"}
	judge := []sandbox.Item{{Path: "a/t_test.go", Mode: 0o644, Data: []byte("test")}}
	laid(t, m, task.Files, judge)
	task.Sum = m.ground.Sum(task.Files)
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

// laid puts the files of a judge where they belong.
func laid(t *testing.T, m *miner, name string, judge []sandbox.Item) {
	t.Helper()
	own, err := m.ground.Lay(name, judge)
	if err == nil {
		err = m.ground.Settle(own, name)
	}
	if err != nil {
		t.Fatal(err)
	}
}
