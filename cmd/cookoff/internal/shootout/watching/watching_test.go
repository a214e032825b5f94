package watching

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/cmd/cookoff/internal/shootout/board"
	"cookoff/cmd/cookoff/internal/shootout/panes"
	"cookoff/cmd/cookoff/internal/tail"
)

const journals = "../../../../../testdata/journals/"

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
	m := &model{tail: tail.New(path, b), board: b, panes: panes.New(false), now: func() time.Time { return time.Unix(1, 0) }}
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	see := func(want string) {
		t.Helper()
		m.Update(m.look())
		if frame := m.View().Content; !strings.Contains(frame, want) {
			t.Errorf("want %q in:\n%s", want, frame)
		}
	}
	write(100) // not a whole line
	see("waiting for the run to begin")
	write(len(whole) / 2)
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
		0: "run: 3 models, 7 tasks, 21 trials",
		1: "baseline/noop, wrong version first on PATH: begins",
		2: "baseline/noop, wrong version first on PATH: Done.",
		3: "baseline/noop, wrong version first on PATH: not fixed (gave_up) after 1 step, 0.0 seconds, $0.0000",
		5: "openai/gpt-5-mini, wrong version first on PATH: calls bash git status",
	} {
		if lines[n] != want {
			t.Errorf("line %d: %q, want %q", n, lines[n], want)
		}
	}
	if last := lines[len(lines)-2]; last != "run: finished" {
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
