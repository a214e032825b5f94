package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// asks tells whether there is somebody to ask: a terminal on both sides, no
// --no-input, and no CI.
func (a *app) asks() bool {
	in, ok := a.stdin.(*os.File)
	ci := a.getenv("CI") != "" && a.getenv("CI") != "false"
	return ok && term.IsTerminal(int(in.Fd())) && a.err.Terminal && !a.noInput && !ci
}

// ask asks one question on the terminal; an empty answer is the one offered.
// Ctrl-C ends the wait for an answer, as does the end of input.
func (a *app) ask(question, offered string) (string, error) {
	if offered != "" {
		question += " [" + offered + "]"
	}
	fmt.Fprintf(a.err, "%s ", question)
	if a.answers == nil {
		a.answers = bufio.NewReader(a.stdin)
	}
	if in, ok := a.stdin.(*os.File); ok && a.answers.Buffered() == 0 {
		if err := await(a.ctx, in); err != nil {
			fmt.Fprintln(a.err)
			return "", &failure{exitInterrupted, nil}
		}
	}
	line, err := a.answers.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", &failure{exitInterrupted, errors.New("no answer")}
	}
	if line = strings.TrimSpace(line); line == "" {
		return offered, nil
	}
	return line, nil
}

// confirm asks a question that is answered yes or no; no is the default.
func (a *app) confirm(question string) (bool, error) {
	answer, err := a.ask(question, "y/N")
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"), err
}

// await waits until there is something to read from f, or its end, or ctx has
// ended, which is the only error. A read itself would go on waiting.
func await(ctx context.Context, f *os.File) error {
	r, w, err := os.Pipe()
	if err != nil {
		return nil // then Ctrl-C needs a second one
	}
	defer r.Close()
	stop := context.AfterFunc(ctx, func() { w.Close() })
	defer func() {
		if stop() {
			w.Close()
		}
	}()
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}, {Fd: int32(r.Fd()), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); !errors.Is(err, unix.EINTR) {
			return ctx.Err()
		}
	}
}
