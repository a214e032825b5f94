// Package tty runs the screens of a shoot-out on a real terminal.
package tty

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"cookoff/internal/ui/screen"
)

// frames is how many frames a second are drawn at most.
const frames = 30

// Usable says why a screen can't be shown on these streams; "": it can.
func Usable(in io.Reader, out screen.Stream, getenv func(string) string) string {
	f, ok := in.(*os.File)
	switch {
	case getenv("TERM") == "dumb":
		return "TERM=dumb: this terminal can't redraw its screen"
	case !out.Terminal:
		return "standard output is no terminal"
	case !ok || !term.IsTerminal(int(f.Fd())):
		return "standard input is no terminal"
	}
	return ""
}

// Screen is a frame that takes the whole terminal.
func Screen(frame string) tea.View {
	v := tea.NewView(frame)
	v.AltScreen = true
	return v
}

// A CrashError says that the screen broke; the terminal is as it was before.
type CrashError struct {
	err   error
	stack []byte // where it broke; nil: the terminal failed
}

func (e *CrashError) Error() string {
	return strings.TrimRight(fmt.Sprintf("the screen broke: %v\n%s", e.err, e.stack), "\n")
}
func (e *CrashError) Unwrap() error { return e.err }

// Run shows m until it quits or ctx ends. Signals are ctx's; in a terminal
// that is read raw, ctrl+c is a key. The error is a *CrashError.
func Run(ctx context.Context, m tea.Model, in io.Reader, out screen.Stream, opts ...func(*tea.Program)) error {
	to := out.Writer
	if f, ok := out.File(); ok { // of which it asks how large the terminal is
		to = f
	}
	options := []tea.ProgramOption{tea.WithInput(in), tea.WithOutput(to), tea.WithoutSignalHandler(),
		tea.WithFPS(frames)}
	if !out.Color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	g := &guard{}
	p := tea.NewProgram(guarded{m, g}, options...)
	g.quit = p.Quit
	for _, o := range opts {
		o(p)
	}
	// Leaving, never killing: only then is the input let go of before it is closed.
	defer context.AfterFunc(ctx, p.Quit)()
	_, err := p.Run()
	if crash := g.crash.Load(); crash != nil {
		return crash
	}
	if err != nil {
		return &CrashError{err: err}
	}
	return nil
}

// A guard remembers the first panic of a screen and leaves it in good order:
// the library's own rescue closes the input while it is being read.
type guard struct {
	crash atomic.Pointer[CrashError]
	quit  func()
}

func (g *guard) rescue() {
	if p := recover(); p != nil {
		if g.crash.CompareAndSwap(nil, &CrashError{fmt.Errorf("%v", p), debug.Stack()}) {
			go g.quit() // the loop that would hear of it is the one that broke
		}
	}
}

// guarded is a screen that never panics; once broken it stays as it is.
type guarded struct {
	tea.Model
	g *guard
}

func (m guarded) Init() (cmd tea.Cmd) {
	defer m.g.rescue()
	return m.Model.Init()
}

func (m guarded) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = m
	if m.g.crash.Load() != nil {
		return m, nil
	}
	defer m.g.rescue()
	inner, cmd := m.Model.Update(msg)
	return guarded{inner, m.g}, cmd
}

func (m guarded) View() (v tea.View) {
	if m.g.crash.Load() != nil {
		return v
	}
	defer m.g.rescue()
	return m.Model.View()
}
