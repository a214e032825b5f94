package runs

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"cookoff/trial"
)

// TestRunsAreSummedUpOnce: what was stored is told as long as the journal is the
// same, and not a moment longer.
func TestRunsAreSummedUpOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(trial.RunsDir(dir), "r1", trial.JournalFile)
	text, err := os.ReadFile("../../testdata/journals/mixed.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	write := func(text []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	first := Find(dir, "r1")
	if stored, ok := readSummary(path); !ok || stored.Finished != 21 || first.Finished != 21 || len(stored.Models) != 3 {
		t.Fatalf("stored %+v %v, first %+v", stored, ok, first)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func() error{
		"another time":  func() error { return os.Chtimes(path, time.Time{}, st.ModTime().Add(time.Second)) },
		"one more line": func() error { write(append(text, '\n')); return os.Chtimes(path, time.Time{}, st.ModTime()) },
		"other bytes": func() error {
			b := append([]byte{}, text...)
			b[len(b)-2] = ' '
			write(b)
			return os.Chtimes(path, time.Time{}, st.ModTime())
		},
		"no such journal": func() error { return os.Remove(path) },
	} {
		write(text)
		if err := os.Chtimes(path, time.Time{}, st.ModTime()); err != nil {
			t.Fatal(err)
		}
		if _, ok := readSummary(path); !ok {
			t.Fatalf("before %s: the same journal is not known again", what)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if _, ok := readSummary(path); ok {
			t.Errorf("%s: what was stored is still told", what)
		}
	}
}

// TestAnUnendedRunIsNotStored: it may go on.
func TestAnUnendedRunIsNotStored(t *testing.T) {
	dir := t.TempDir()
	j, err := trial.CreateJournal(dir, "r1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Emit(trial.Event{Kind: trial.RunStarted, Run: &trial.Run{ID: "r1", Models: []string{"a/b"}}}); err != nil {
		t.Fatal(err)
	}
	if info := Find(dir, "r1"); info.State != "unended" {
		t.Errorf("%+v", info)
	}
	if _, ok := readSummary(j.Path()); ok {
		t.Error("a run that goes on is stored")
	}
}
