// Package tty runs the screens of a shoot-out on a real terminal.
package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"cookoff/cmd/cookoff/internal/screen"
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
type CrashError struct{ err error }

func (e *CrashError) Error() string { return fmt.Sprintf("the screen broke: %v", e.err) }
func (e *CrashError) Unwrap() error { return e.err }

// Run shows m until it quits or ctx ends. Signals are ctx's; in a terminal
// that is read raw, ctrl+c is a key. The error is a *CrashError.
func Run(ctx context.Context, m tea.Model, in io.Reader, out screen.Stream, opts ...func(*tea.Program)) error {
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out.Writer), tea.WithoutSignalHandler(), tea.WithFPS(frames)}
	if !out.Color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	p := tea.NewProgram(m, options...)
	for _, o := range opts {
		o(p)
	}
	_, err := p.Run()
	if err == nil || ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		return nil
	}
	return &CrashError{err}
}
