package stdio

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Await waits until there is something to read from f, or its end, or ctx has
// ended, which is the only error. A read itself would go on waiting.
func Await(ctx context.Context, f *os.File) error {
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
