package trial

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cookoff/model"

	"github.com/google/go-cmp/cmp"
)

func TestJournalKeepsWhatWasEmitted(t *testing.T) {
	dir := t.TempDir()
	j, err := CreateJournal(dir, "r1", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Event{
		{Seq: 1, Kind: RunStarted, At: time.Unix(1, 0).UTC(),
			Run: &Run{Schema: Schema, ID: "r1", Models: []string{"a/b"}}},
		{Seq: 1, Kind: ModelReplied, At: time.Unix(2, 0).UTC(), Trial: "t001", Attempt: 1, Step: 1,
			Replied: &Replied{Reply: model.Reply{Message: model.Message{Role: model.Assistant,
				Content: "<a> & \x1b"}}}},
	}
	for _, e := range want {
		if err := j.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	var got []Event
	torn, err := ReadFile(j.Path(), func(e Event) error { got = append(got, e); return nil })
	if torn || err != nil {
		t.Fatalf("torn %v, %v", torn, err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAJournalGoesOn(t *testing.T) {
	j, err := CreateJournal(t.TempDir(), "r1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ContinueJournal(j.Path(), nil); !errors.Is(err, ErrWritten) {
		t.Errorf("while it is written: %v", err)
	}
	if pid := Writer(j.Path()); pid != os.Getpid() && pid != 0 { // 0: a file system whose devices have two numbers
		t.Errorf("process %d writes it, want %d", pid, os.Getpid())
	}
	line := func(j *Journal, text string) {
		t.Helper()
		if err := j.Emit(Event{Kind: Note, Note: &NoteText{Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	line(j, "first")
	whole, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, torn := range []string{"", "{", `{"kind":"note","note":{"text":"` + strings.Repeat("x", 200<<10)} {
		if _, err := j.f.WriteString(torn); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if j, err = ContinueJournal(j.Path(), map[string]string{"KEY": "sk-very-secret"}); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(j.Path()); err != nil || string(b) != string(whole) {
			t.Errorf("behind a line cut off after %d bytes: %d bytes, want %d (%v)", len(torn), len(b), len(whole), err)
		}
	}
	line(j, "then sk-very-secret")
	var said []string
	torn, err := ReadFile(j.Path(), func(e Event) error { said = append(said, e.Note.Text); return nil })
	if torn || err != nil || strings.Join(said, ", ") != "first, then [redacted:KEY]" {
		t.Errorf("%q, torn %v, %v", said, torn, err)
	}
	if _, err := ContinueJournal(filepath.Join(t.TempDir(), JournalFile), nil); err == nil {
		t.Error("a journal that is not there goes on")
	}
}

// Whoever looks whether a journal is written keeps nobody from going on with it.
func TestALookKeepsNobodyOut(t *testing.T) {
	j, err := CreateJournal(t.TempDir(), "r1", nil)
	if err != nil {
		t.Fatal(err)
	}
	path, done, looked := j.Path(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for {
			select {
			case <-done:
				return
			default:
				Written(path)
			}
		}
	}()
	for range 100 {
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if j, err = ContinueJournal(path, nil); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	<-looked
}

func TestJournalRedactsSecretsInEveryForm(t *testing.T) {
	j, err := CreateJournal(t.TempDir(), "r1", map[string]string{"K1": "sk-very-secret", "K2": `quo"ted\key`,
		"K3": `ends<in-a-quote"`, "SHORT": "abc"})
	if err != nil {
		t.Fatal(err)
	}
	j.Emit(Event{Kind: Note, Note: &NoteText{Text: `a sk-very-secret b quo"ted\key c abc ends<in-a-quote"`}})
	b, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), `"a [redacted:K1] b [redacted:K2] c abc [redacted:K3]"`) {
		t.Errorf("journal line: %s", b)
	}
}

func TestJournalOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	j := &Journal{path: "/dev/full", f: full}
	err = j.Emit(Event{Kind: Note})
	var je *JournalError
	if !errors.As(err, &je) || !strings.Contains(err.Error(), "/dev/full") || !strings.Contains(err.Error(),
		"no space left") {
		t.Errorf("error: %v", err)
	}
}

// TestJournalThatOthersWriteTo: text behind the last line, and a file made longer, are noticed at
// the next event, and what is kept elsewhere is without them.
func TestJournalThatOthersWriteTo(t *testing.T) {
	for name, meddle := range map[string]func(path string, size int64) error{
		"longer":  func(path string, size int64) error { return os.Truncate(path, size+300) },
		"shorter": func(path string, size int64) error { return os.Truncate(path, size-1) },
		"text": func(path string, _ int64) error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err == nil {
				_, err = f.WriteString("xx\n")
			}
			return errors.Join(err, f.Close())
		},
	} {
		j, err := CreateJournal(t.TempDir(), "20260101-000000-aa", nil)
		if err == nil {
			err = j.Emit(Event{Kind: Note})
		}
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(j.Path())
		if err == nil {
			err = meddle(j.Path(), int64(len(kept)))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Emit(Event{Kind: Note}); !errors.Is(err, ErrGone) {
			t.Errorf("%s: %v", name, err)
		}
		rescued, err := j.Rescue()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(rescued)
		if want := string(kept); err != nil || name != "shorter" && string(got) != want {
			t.Errorf("%s: rescued %q, %v, want %q", name, got, err, want)
		}
		os.Remove(rescued)
		j.Close()
	}
}

func TestFindRun(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"20260101-000000-aa", "20260102-000000-bb"} {
		j, err := CreateJournal(dir, id, nil)
		if err != nil {
			t.Fatal(err)
		}
		j.Close()
	}
	check := func(name, want, wantErr string) {
		t.Helper()
		got, err := FindRun(dir, name)
		if wantErr != "" {
			if err == nil || !strings.Contains(err.Error(), wantErr) {
				t.Errorf("FindRun(%q): %v, want error %q", name, err, wantErr)
			}
			return
		}
		if err != nil || filepath.Base(filepath.Dir(got)) != want {
			t.Errorf("FindRun(%q) = %s, %v; want %s", name, got, err, want)
		}
	}
	check("", "20260102-000000-bb", "")
	check("20260101", "20260101-000000-aa", "")
	check("2026", "", "ambiguous")
	check("nope", "", "cookoff runs lists them")
	check(filepath.Join(RunsDir(dir), "20260101-000000-aa"), "20260101-000000-aa", "")
	if _, err := FindRun(t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "cookoff run makes one") {
		t.Errorf("no runs: %v", err)
	}
}

// Two runs of one second have names in the order in which they began: the
// latest is the last one.
func TestRunIDsSortByTime(t *testing.T) {
	second := time.Date(2026, 11, 21, 12, 20, 30, 0, time.UTC)
	last := ""
	for _, after := range []time.Duration{0, time.Millisecond, 500 * time.Millisecond, time.Second - 1, time.Second} {
		id := NewRunID(second.Add(after))
		if id <= last || len(id) != len("20261121-122030-abcdef") {
			t.Errorf("after %v a run is called %q, the one before %q", after, id, last)
		}
		last = id
	}
}
