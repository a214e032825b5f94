package panes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cookoff/internal/ui/live/board"
	"cookoff/model"
	"cookoff/trial"
)

// five is a run of five models, the first of which said forty lines.
func five(t *testing.T) (*board.Board, *Panes) {
	t.Helper()
	b := board.New()
	run := &trial.Run{ID: "r", Tasks: []string{"one", "two"}}
	for i := range 5 {
		for j, task := range run.Tasks {
			run.Trials = append(run.Trials, trial.Trial{ID: fmt.Sprintf("t%d%d", i, j),
				Model: fmt.Sprintf("lab/m%d", i+1), Task: task, N: 1})
		}
		run.Models = append(run.Models, fmt.Sprintf("lab/m%d", i+1))
	}
	b.Emit(trial.Event{Kind: trial.RunStarted, Run: run})
	at := time.Unix(100, 0)
	for i := range run.Trials {
		b.Emit(trial.Event{Kind: trial.TrialStarted, At: at.Add(time.Duration(i%2) * time.Second),
			Trial: run.Trials[i].ID, Start: &run.Trials[i]})
	}
	for n := range 40 {
		says(b, fmt.Sprintf("line %d", n))
	}
	p := New(false)
	p.Look(b.Look())
	return b, p
}

func says(b *board.Board, text string) {
	b.Emit(trial.Event{Kind: trial.ModelReplied, Trial: "t01",
		Replied: &trial.Replied{Reply: model.Reply{Message: model.Message{Content: text,
			Calls: []model.Call{{Name: "x"}}}}}})
}

func press(p *Panes, keys ...string) {
	for _, k := range keys {
		p.Key(k)
	}
}

func TestFocusAndPages(t *testing.T) {
	check := func(want int, keys ...string) {
		t.Helper()
		_, p := five(t)
		press(p, keys...)
		if p.State.Focus != want {
			t.Errorf("%q: focus on %d, want %d", keys, p.State.Focus, want)
		}
	}
	check(1, "tab")
	check(4, "shift+tab")
	check(0, "tab", "tab", "tab", "tab", "tab")
	check(2, "n")
	check(4, "n", "n", "n")
	check(0, "n", "p", "p")
	check(3, "4")
	check(4, "9")
}

// TestScrolledTextStays: what comes in below does not move what is read.
func TestScrolledTextStays(t *testing.T) {
	b, p := five(t)
	press(p, "pgup", "up")
	before := strings.Split(p.Frame(time.Unix(101, 0)), "\n")
	says(b, "something new")
	p.Look(b.Look())
	after := strings.Split(p.Frame(time.Unix(101, 0)), "\n")
	for n := range before[:len(before)-2] {
		if before[n] != after[n] {
			t.Errorf("line %d moved: %q -> %q", n, before[n], after[n])
		}
	}
	if frame := strings.Join(after, "\n"); !strings.Contains(frame, "more lines") || strings.Contains(frame,
		"something new") {
		t.Errorf("not scrolled:\n%s", frame)
	}
	press(p, "f")
	if frame := p.Frame(time.Unix(101, 0)); !strings.Contains(frame, "something new") {
		t.Errorf("does not follow:\n%s", frame)
	}
	press(p, "g")
	if frame := p.Frame(time.Unix(101, 0)); !strings.Contains(frame, "line 0 ") {
		t.Errorf("not at the first line:\n%s", frame)
	}
	press(p, "f", "f", "down")
	if p.State.Panes[0].Held != 0 {
		t.Error("scrolling past the end does not follow again")
	}
}

func TestWhatIsShown(t *testing.T) {
	check := func(want, not string, keys ...string) {
		t.Helper()
		_, p := five(t)
		press(p, keys...)
		frame := p.Frame(time.Unix(101, 0))
		if !strings.Contains(frame, want) || not != "" && strings.Contains(frame, not) {
			t.Errorf("%q: want %q, not %q:\n%s", keys, want, not, frame)
		}
	}
	check("line 39", "line 3 ", "G")
	check("lab/m2", "", "G")
	check("line 39", "lab/m2", "enter")
	check("lab/m2", "", "enter", "esc")
	check("interval", "line 39", "m")
	check("│ one ", "", "]")
	check("line 39", "", "]", "[")
	check("line 39", "", "[")
	check("Keys", "line 39", "?")
	check("line 39", "", "?", "x")
}
