// Package watching shows a run that another process makes, or made: its journal
// is all that is read.
package watching

import (
	"context"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/tail"
	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/live/panes"
	"cookoff/internal/ui/live/plain"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/tty"
	"cookoff/trial"
)

// interval is how often the journal is looked at, and silence how long nothing
// is new before it is asked whether anybody still writes it.
const (
	interval = 100 * time.Millisecond
	silence  = 2 * time.Second
)

// follower reads a journal, and knows when it was left.
type follower struct {
	*tail.Tail
	journal   string
	now       func() time.Time
	changedAt time.Time // when there was something new
}

func follow(journal string, sink tail.Sink, now func() time.Time) *follower {
	return &follower{Tail: tail.New(journal, sink), journal: journal, now: now, changedAt: now()}
}

// look takes in what is new. left is true for a journal that nobody writes any
// more: where it says nothing of the run's end, the run was killed.
func (f *follower) look() (news, left bool, err error) {
	news, err = f.Read()
	if err == nil && f.Cut() {
		err = fmt.Errorf("watching %s: %w", f.journal, trial.ErrGone)
	}
	if err != nil || news {
		f.changedAt = f.now()
		return news, false, err
	}
	left = f.now().Sub(f.changedAt) >= silence && !trial.Written(f.journal)
	if left && f.Empty() {
		err = fmt.Errorf("watching %s: no run was recorded there", f.journal)
	}
	return false, left, err
}

// Plain writes the events of the journal as lines, those to come too until the
// run ends, is killed, or ctx ends.
func Plain(ctx context.Context, journal string, w io.Writer) error {
	t := &teller{Teller: plain.New(w, nil)}
	return t.follow(ctx, follow(journal, t, time.Now), w)
}

func (t *teller) follow(ctx context.Context, f *follower, w io.Writer) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		switch _, left, err := f.look(); {
		case err != nil:
			return err
		case t.ended:
			return nil
		case left:
			_, err := fmt.Fprintln(w, "The run was killed before its end: nothing more will happen.")
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// teller knows when the run has ended.
type teller struct {
	*plain.Teller
	ended bool
}

func (t *teller) Emit(e trial.Event) error {
	t.ended = e.Kind == trial.RunFinished
	return t.Teller.Emit(e)
}

// Run shows the journal on a terminal until the user leaves or ctx ends. The
// error says that the journal can't be read.
func Run(ctx context.Context, journal string, in io.Reader, out screen.Stream) error {
	b := board.New()
	m := &model{journal: follow(journal, b, time.Now), board: b, panes: panes.New(out.Color), now: time.Now}
	m.panes.State.Keys = keys()
	if _, _, err := m.journal.look(); err != nil {
		return err
	}
	m.panes.Look(b.Look())
	if err := tty.Run(ctx, m, in, out); err != nil {
		return err
	}
	return m.err
}

func keys() []draw.Key {
	return []draw.Key{{Key: "q", Does: "quit"}, {Key: "tab", Does: "next"}, {Key: "enter", Does: "full screen"},
		{Key: "↑↓", Does: "scroll"}, {Key: "f", Does: "follow"},
		{Key: "m", Does: "matrix"}, {Key: "[ ]", Does: "other task"}, {Key: "?", Does: "keys"},
		{Key: "o", Does: "unfold"},
		{Key: "n p", Does: "page"}, {Key: "g G", Does: "first, last line"}, {Key: "1-9", Does: "to that model"}}
}

// model is the screen of a watched run.
type model struct {
	journal *follower
	board   *board.Board
	panes   *panes.Panes
	now     func() time.Time
	left    bool // nobody writes the journal
	err     error
}

// looked is what a look at the journal gave.
type looked struct {
	news, left bool
	err        error
}

func (m *model) look() tea.Msg {
	news, left, err := m.journal.look()
	return looked{news, left, err}
}

// Init begins to look.
func (m *model) Init() tea.Cmd { return m.look }

// Update takes a key, a size or news in.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.panes.State.Width, m.panes.State.Height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch key := msg.String(); key {
		case "q", "ctrl+c":
			return m, tea.Quit
		case "ctrl+z":
			return m, tea.Suspend
		default:
			m.panes.Key(key)
		}
	case looked:
		if msg.err != nil {
			m.err = msg.err
			return m, tea.Quit
		}
		if msg.left && !m.left {
			m.board.End()
		}
		if msg.news || msg.left != m.left {
			m.left = msg.left
			m.panes.Look(m.board.Look())
		}
		return m, tea.Tick(interval, func(time.Time) tea.Msg { return m.look() })
	}
	return m, nil
}

// View draws the screen.
func (m *model) View() tea.View { return tty.Screen(m.panes.Frame(m.now())) }
