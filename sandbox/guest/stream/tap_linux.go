package stream

import (
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// MaxLate bounds what is read of a program's output after its end, in bytes: as
// much as a pipe may hold.
const MaxLate = 1 << 20

// Tap moves what comes out of a pipe. Who has seen a command end takes what the
// command wrote by now: however busy the machine is, none of it is lost.
type Tap struct {
	r  *os.File // does not block
	to io.Writer
	mu sync.Mutex // held while a piece is on its way
}

// NewTap moves what comes out of r to to, which takes everything.
func NewTap(r *os.File, to io.Writer) *Tap { return &Tap{r: r, to: to} }

// Run moves all that comes, until nobody has the other end open any more.
func (t *Tap) Run() {
	defer t.r.Close()
	raw, err := t.r.SyscallConn()
	if err != nil {
		return
	}
	b := make([]byte, 32<<10)
	for more := true; more; {
		err := raw.Read(func(fd uintptr) bool {
			n, err := t.piece(int(fd), b)
			more = n > 0
			return !errors.Is(err, unix.EAGAIN)
		})
		if err != nil {
			return
		}
	}
}

// Now moves what is in the pipe, and waits for no more of it.
func (t *Tap) Now() {
	raw, err := t.r.SyscallConn()
	if err != nil {
		return // closed: all of it was moved
	}
	_ = raw.Control(func(fd uintptr) {
		b := make([]byte, 4<<10)
		for left := MaxLate; left > 0; { // what was left running may write as fast
			n, err := t.piece(int(fd), b)
			if n <= 0 || err != nil {
				return
			}
			left -= n
		}
	})
}

// piece moves what one read gives.
func (t *Tap) piece(fd int, b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := readNow(fd, b)
	if n > 0 {
		_, _ = t.to.Write(b[:n]) // takes everything
	}
	return n, err
}

// readNow reads what is there; EAGAIN says that nothing is.
func readNow(fd int, b []byte) (int, error) {
	for {
		n, err := unix.Read(fd, b)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
