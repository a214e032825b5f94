package cli

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

// Interruptible gives a context that the first SIGINT, SIGHUP or SIGTERM ends.
// A SIGINT after it, which a person sends, ends the process at once. Other
// signals change nothing any more: timeout(1) sends SIGTERM to its command and
// again to the group that it is in, and a terminal that is closed hangs up twice.
func Interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	intr, stopIntr := signal.NotifyContext(ctx, os.Interrupt)
	term, stopTerm := signal.NotifyContext(ctx, syscall.SIGTERM)
	hup, stopHup := signal.NotifyContext(ctx, syscall.SIGHUP)
	var once sync.Once // the end of one is the end of all
	end := func(why error) func() {
		return func() {
			once.Do(func() {
				stopIntr()
				cancel(why)
			})
		}
	}
	context.AfterFunc(term, end(errSIGTERM))
	context.AfterFunc(intr, end(context.Canceled))
	context.AfterFunc(hup, end(context.Canceled))
	return ctx, func() {
		cancel(context.Canceled)
		stopTerm()
		stopHup()
	}
}

// InterruptCode is the exit code of a run that ctx ended: 128 and the signal's
// number, as shells have it.
func InterruptCode(ctx context.Context) int {
	if errors.Is(context.Cause(ctx), errSIGTERM) {
		return exitTerminated
	}
	return ExitInterrupted
}
