package watching

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/live/panes"
	"cookoff/internal/ui/live/plain"
	"cookoff/trial"
)

const journals = "../../testdata/journals/"

// TestWatchingFollowsAJournal gives the screen more of a journal bit by bit.
func TestWatchingFollowsAJournal(t *testing.T) {
	whole, err := os.ReadFile(journals + "mixed.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	write := func(n int) {
		t.Helper()
		if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := board.New()
	clock := time.Unix(1, 0)
	now := func() time.Time { return clock }
	m := &model{journal: follow(path, b, now), board: b, panes: panes.New(false), now: now}
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	see := func(want string) { t.Helper(); sees(t, m, want) }
	write(100) // not a whole line
	see("waiting for the run to begin")
	write(len(whole) / 2)
	see("running")
	clock = clock.Add(silence)
	see("trials · interrupted") // nobody writes it
	write(len(whole) / 3 * 2)
	see("running")
	write(len(whole))
	see("21/21 trials · finished")
	m.Update(tea.KeyPressMsg{Code: tea.KeyTab})
	see("┏━ openai/gpt-5-mini")
	if _, cmd := m.Update(tea.KeyPressMsg{Code: 'q', Text: "q"}); cmd == nil {
		t.Error("q does not quit")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if m.Update(m.look()); m.err == nil {
		t.Error("a journal that is gone is no error")
	}
}

func TestPlainLines(t *testing.T) {
	var out bytes.Buffer
	if err := Plain(t.Context(), journals+"mixed.jsonl", &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for n, want := range map[int]string{
		0: "The run has 3 models, 7 tasks and 21 trials.",
		1: `baseline/noop begins "wrong version first on PATH".`,
		2: `baseline/noop on "wrong version first on PATH" says: Done.`,
		3: `baseline/noop did not fix "wrong version first on PATH" (gave_up), after 1 step and 0.0 seconds, for $0.0000.`,
		5: `openai/gpt-5-mini on "wrong version first on PATH" calls bash: git status`,
	} {
		if lines[n] != want {
			t.Errorf("line %d: %q, want %q", n, lines[n], want)
		}
	}
	if last := lines[len(lines)-2]; last != "The run has finished." {
		t.Errorf("the last line is %q", last)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("an escape sequence gets through")
	}
}

// TestPlainEndsWithItsContext: a run that never ends keeps nobody.
func TestPlainEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Plain(ctx, path, &bytes.Buffer{}); err != nil {
		t.Error(err)
	}
}

// TestAKilledRunEndsWhatIsWatched, one that only says nothing does not.
func TestAKilledRunEndsWhatIsWatched(t *testing.T) {
	dir := t.TempDir()
	j, err := trial.CreateJournal(dir, "r1", nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := trial.Run{ID: "r1", Models: []string{"lab/x"}, Tasks: []string{"one"},
		Trials: []trial.Trial{{ID: "t001", Model: "lab/x", Task: "one", N: 1}}}
	for _, e := range []trial.Event{{Kind: trial.RunStarted, Run: &plan},
		{Kind: trial.TrialStarted, Trial: "t001", Attempt: 1, Start: &plan.Trials[0]}} {
		if err := j.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	clock := time.Unix(1, 0)
	b := board.New()
	m := &model{journal: follow(j.Path(), b, func() time.Time { return clock }), board: b, panes: panes.New(false),
		now: func() time.Time { return clock }}
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	see := func(want string) { t.Helper(); sees(t, m, want) }
	see("0/1 trials · 1 running")
	clock = clock.Add(time.Hour)
	see("0/1 trials · 1 running")
	if err := j.Close(); err != nil { // as the kernel does when a process is killed
		t.Fatal(err)
	}
	see("0/1 trials · interrupted")

	var out bytes.Buffer
	told := &teller{Teller: plain.New(&out, nil)}
	hours := func() time.Time { clock = clock.Add(time.Hour); return clock }
	if err := told.follow(t.Context(), follow(j.Path(), told, hours), &out); err != nil {
		t.Fatal(err)
	}
	if want := "The run has 1 model, 1 task and 1 trial.\nlab/x begins.\n" +
		"The run was killed before its end: nothing more will happen.\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestCutJournals: a journal of which something is gone, and one that holds nothing, are
// told from that of a run that was killed.
func TestCutJournals(t *testing.T) {
	dir := t.TempDir()
	j, err := trial.CreateJournal(dir, "20261128-010101-abcdef", nil)
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Unix(1, 0)
	hours := func() time.Time { clock = clock.Add(time.Hour); return clock }
	watch := func() *follower { return follow(j.Path(), &teller{Teller: plain.New(io.Discard, nil)}, hours) }
	plan := trial.Run{Schema: trial.Schema, ID: "20261128-010101-abcdef"}
	if err := errors.Join(j.Emit(trial.Event{Kind: trial.RunStarted, Run: &plan}), j.Close()); err != nil {
		t.Fatal(err)
	}
	f := watch()
	if news, left, err := f.look(); !news || left || err != nil {
		t.Errorf("%v, %v: %v", news, left, err)
	}
	if err := os.Truncate(j.Path(), 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.look(); !errors.Is(err, trial.ErrGone) {
		t.Errorf("a journal that was cut: %v", err)
	}
	f = watch()
	for range 2 {
		_, _, err = f.look()
	}
	if err == nil || !strings.Contains(err.Error(), "no run was recorded there") {
		t.Errorf("an empty journal: %v", err)
	}
}

// sees looks once more, and wants some text on the screen.
func sees(t *testing.T, m *model, want string) {
	t.Helper()
	m.Update(m.look())
	if frame := m.View().Content; !strings.Contains(frame, want) {
		t.Errorf("want %q in:\n%s", want, frame)
	}
}
