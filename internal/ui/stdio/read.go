package stdio

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// errReaderGone is why a context ended whose output nobody reads any more.
var errReaderGone = errors.New("nobody reads the output any more")

// lookMS is how often it is looked whether the work has ended, in milliseconds.
const lookMS = 1000

// WhileRead gives a context that ends when whoever reads f, a pipe or a socket, is gone:
// an ssh client that was killed tells a command on the other machine in no other way.
func WhileRead(ctx context.Context, f *os.File) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	fd := int(f.Fd())
	var st unix.Stat_t
	kind := uint32(0)
	if unix.Fstat(fd, &st) == nil {
		kind = uint32(st.Mode) & unix.S_IFMT
	}
	if kind == unix.S_IFIFO || kind == unix.S_IFSOCK {
		go func() {
			for ctx.Err() == nil {
				look := []unix.PollFd{{Fd: int32(fd)}}
				n, err := unix.Poll(look, lookMS)
				if n > 0 && look[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
					end(errReaderGone)
				}
				if err != nil && !errors.Is(err, unix.EINTR) || n > 0 {
					return
				}
			}
		}()
	}
	return ctx, func() { end(nil) }
}
