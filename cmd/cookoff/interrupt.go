package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// errSIGTERM is why a run ends that was told to; any other end of its context
// is an interrupt.
var errSIGTERM = errors.New("terminated")

// interruptible gives a context that the first SIGINT, SIGHUP or SIGTERM ends.
// By then signals have their usual effect again: a second one ends the process
// at once.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	term, stopTerm := signal.NotifyContext(ctx, syscall.SIGTERM)
	intr, stopIntr := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGHUP)
	var once sync.Once // each stop ends the other's context too
	end := func(why error) func() {
		return func() {
			once.Do(func() {
				stopTerm()
				stopIntr()
				cancel(why)
			})
		}
	}
	context.AfterFunc(term, end(errSIGTERM))
	context.AfterFunc(intr, end(context.Canceled))
	return ctx, func() { cancel(context.Canceled) }
}

// interruptCode is the exit code of a run that ctx ended: 128 and the signal's
// number, as shells have it.
func interruptCode(ctx context.Context) int {
	if errors.Is(context.Cause(ctx), errSIGTERM) {
		return exitTerminated
	}
	return exitInterrupted
}
