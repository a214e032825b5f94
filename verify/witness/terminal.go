package witness

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"cookoff/sandbox"
)

const (
	// typing is how long a script at a terminal may take; one that waits longer waits for somebody.
	typing = 20 * time.Second
	// typed is all that is typed there: the end of the input, as often as somebody may ask for it.
	typed = "\x04"
	// mostTyped bounds that, and mostShown the bytes that are kept of what a script prints there.
	mostTyped = 64
	mostShown = 64 << 10
)

// atTerminal runs a script as somebody would who sits at a terminal and types nothing. Not ok: the
// world has no terminal, or the script went on waiting. Errors are the sandbox's.
func atTerminal(ctx context.Context, sb sandbox.Sandbox, c sandbox.Cmd) (res sandbox.Result, ok bool, err error) {
	s, can := sb.(sandbox.Starter)
	if !can {
		return res, false, nil
	}
	c.Terminal = &sandbox.Window{Rows: 40, Columns: 120}
	began := time.Now()
	prog, err := s.Start(ctx, c)
	if err != nil {
		return res, false, unlessFile(err)
	}
	defer func() { err = errors.Join(err, prog.Close()) }()
	var late atomic.Bool
	stop := time.AfterFunc(typing, func() {
		late.Store(true)
		_ = prog.Kill(ctx) // one that can't be ended ends with its world
	})
	defer stop.Stop()
	if _, err := io.WriteString(prog, strings.Repeat(typed, mostTyped)); unlessFile(err) != nil {
		return res, false, err
	}
	shown, b := []byte(nil), make([]byte, 4<<10)
	for err == nil {
		n := 0
		if n, err = prog.Read(b); len(shown) < mostShown {
			shown = append(shown, b[:n]...)
		}
	}
	if !errors.Is(err, io.EOF) {
		return res, false, unlessFile(err)
	}
	res, ok = prog.Result()
	res.Stdout, res.Duration = shown, time.Since(began)
	return res, ok && !late.Load(), nil
}

// unlessFile leaves out what is the program's own affair: an error of a file, or of input that
// it does not read.
func unlessFile(err error) error {
	if f := (*sandbox.FileError)(nil); errors.As(err, &f) {
		return nil
	}
	return err
}
