package shootout

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/tty"
	"cookoff/trial"
)

// cracked is a screen that breaks as soon as models work.
type cracked struct{ *App }

func (c cracked) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := c.App.Update(msg)
	return c, cmd
}

func (c cracked) View() tea.View {
	if c.s.Running() {
		panic("the screen is cracked")
	}
	return c.App.View()
}

// TestCrashOfTheScreenEndsNoRun: what was begun goes on to its end, and is
// there when the session is gone on with.
func TestCrashOfTheScreenEndsNoRun(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/wait")
	s := w.begin()
	in, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	app := New(t.Context(), s, w.host(), screen.Stream{})
	now := time.Now()
	app.now = func() time.Time { now = now.Add(2 * pause); return now } // whoever types sees it
	var out bytes.Buffer
	err = tty.Run(t.Context(), cracked{app}, in, screen.Stream{Writer: &out}, func(p *tea.Program) {
		go func() {
			p.Send(tea.KeyPressMsg{Code: 'g', Text: "g"})
			p.Send(named["<enter>"])
		}()
	})
	var crash *tty.CrashError
	if !errors.As(err, &crash) || !s.Running() {
		t.Fatalf("%v, running: %v", err, s.Running())
	}
	if err := s.Stop("lab/wait"); err != nil {
		t.Error(err)
	}
	s.Wait()
	for model, want := range map[string]trial.Stop{"lab/a": trial.StopDone, "lab/wait": trial.StopCancelled} {
		if l, _, _, err := s.Lane(model); err != nil || l.Outcome == nil || l.Outcome.Stop != want {
			t.Errorf("%s: %+v, %v", model, l, err)
		}
	}
	if err := keys.Close(); err != nil {
		t.Error(err)
	}
}
