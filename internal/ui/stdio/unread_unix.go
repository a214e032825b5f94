//go:build unix

package stdio

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// UntilUnread gives a context that ends, as by Ctrl-C, once nobody reads what is written to
// a pipe any more. Such a write fails then; else it would end the program at once, with
// what is under way. The stop function gives that back, unless the reader has gone.
func UntilUnread(parent context.Context, to *os.File) (ctx context.Context, stop context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	go func() {
		for {
			select {
			case <-broken: // of any pipe or connection
				if unread(to) {
					cancel()
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		cancel()
		if !unread(to) {
			signal.Stop(broken)
		}
	}
}

// unread reports whether a file is a pipe that nobody reads.
func unread(f *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	_, err := unix.Poll(fds, 0)
	return err == nil && fds[0].Revents&unix.POLLERR != 0
}
