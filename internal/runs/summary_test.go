package runs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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
	if stored, ok := readSummary(path); !ok || stored.Finished != 21 || first.Finished != 21 ||
		len(stored.Models) != 3 {
		t.Fatalf("stored %+v %v, first %+v", stored, ok, first)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func() error{
		"another time":  func() error { return os.Chtimes(path, time.Time{}, st.ModTime().Add(time.Second)) },
		"one more line": func() error { write(append(text, '\n')); return os.Chtimes(path, time.Time{}, st.ModTime()) },
		"a byte in the middle": func() error {
			b := append([]byte{}, text...)
			b[len(b)/2] ^= 1
			write(b)
			return os.Chtimes(path, time.Time{}, st.ModTime())
		},
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
		Find(dir, "r1")
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

// TestALongUnendedRunIsStored until it goes on: whoever killed a run doesn't read its
// journal with each "runs".
func TestALongUnendedRunIsStored(t *testing.T) {
	dir := t.TempDir()
	j, err := trial.CreateJournal(dir, "r1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	emit := func(e trial.Event) {
		t.Helper()
		if err := j.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	emit(trial.Event{Kind: trial.RunStarted,
		Run: &trial.Run{ID: "r1", Models: []string{"a/b"}, Markdown: strings.Repeat("x", longJournal)}})
	Find(dir, "r1")
	if _, ok := readSummary(j.Path()); !ok {
		t.Error("a long journal is read each time")
	}
	emit(trial.Event{Kind: trial.TrialStarted, Trial: "t1", Attempt: 1,
		Start: &trial.Trial{ID: "t1", Model: "a/b", Task: "one", N: 1}})
	if _, ok := readSummary(j.Path()); ok {
		t.Error("the run went on, and what was stored is still told")
	}
}

// TestAnotherCookoffCountsAnew: what one version stored is not told by the next.
func TestAnotherCookoffCountsAnew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(trial.RunsDir(dir), "r1", trial.JournalFile)
	text, err := os.ReadFile("../../testdata/journals/mixed.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
		t.Fatal(err)
	}
	Find(dir, "r1")
	stored := filepath.Join(filepath.Dir(path), summaryFile)
	text, err = os.ReadFile(stored)
	if err != nil {
		t.Fatal(err)
	}
	older := strings.Replace(string(text), `"by":"cookoff `, `"by":"cookoff 0.0.1 `, 1)
	if older == string(text) {
		t.Fatalf("no version is stored: %s", text)
	}
	if err := os.WriteFile(stored, []byte(older), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, ok := readSummary(path); ok {
		t.Error("what another cookoff stored is told")
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
	if err := j.Emit(trial.Event{Kind: trial.RunStarted,
		Run: &trial.Run{ID: "r1", Models: []string{"a/b"}}}); err != nil {
		t.Fatal(err)
	}
	if info := Find(dir, "r1"); info.State != "unended" {
		t.Errorf("%+v", info)
	}
	if _, ok := readSummary(j.Path()); ok {
		t.Error("a run that goes on is stored")
	}
}
