package stream

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// Pipes are the standard streams of a command.
type Pipes struct {
	in       *os.File
	out, err *Stream
	toClose  []*os.File // the child's ends
}

// Stream is one of them, kept as it comes.
type Stream struct {
	r, w *os.File
	keep Output
	tap  Tap
	done chan struct{}
}

// NewStream reads what comes out of r, and keeps max bytes of it, once it is
// drained.
func NewStream(r *os.File, max int) *Stream {
	s := &Stream{r: r, keep: Output{max: max}, done: make(chan struct{})}
	s.tap = Tap{r: r, to: &s.keep}
	return s
}

// NoStream is one that nothing comes out of.
func NoStream() *Stream {
	s := &Stream{done: make(chan struct{})}
	close(s.done)
	return s
}

// Say adds a text of the guest's own.
func (s *Stream) Say(text string) { _, _ = s.keep.Write([]byte(text)) }

// Rest gives what was kept, and how much was not, of a stream whose program has
// ended: what the program left behind may have it open for a little longer.
func (s *Stream) Rest() ([]byte, int64) {
	s.tap.Now()
	select {
	case <-s.done:
	case <-time.After(wire.Grace):
	}
	return s.keep.Finish()
}

// Drain takes what is written until nobody can write any more.
func (s *Stream) Drain() {
	s.tap.Run()
	close(s.done)
}

// NewPipes makes them: max bytes are kept of each of the two outputs.
func NewPipes(stdin []byte, max int) (*Pipes, error) {
	p := &Pipes{}
	var err error
	if p.in, err = UnnamedFile("stdin", stdin); err != nil {
		return nil, fmt.Errorf("preparing stdin: %w", err)
	}
	p.toClose = append(p.toClose, p.in)
	for _, s := range []**Stream{&p.out, &p.err} {
		var fds [2]int // the child's end must block, so this is not os.Pipe
		if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
			p.Close()
			return nil, fmt.Errorf("preparing output: %w", err)
		}
		w := os.NewFile(uintptr(fds[1]), "output")
		_ = unix.SetNonblock(fds[0], true)
		r := os.NewFile(uintptr(fds[0]), "output")
		*s = NewStream(r, max)
		(*s).w = w
		p.toClose = append(p.toClose, w)
	}
	return p, nil
}

// UnnamedFile is a file with the content: unlike a pipe it needs nobody to feed it, and
// unlike a file in /tmp it has room where an agent has filled
// that. It can't be changed any more.
func UnnamedFile(name string, b []byte) (*os.File, error) {
	if len(b) == 0 {
		return os.Open("/dev/null")
	}
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = f.Write(b)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS,
			unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (p *Pipes) Child() []uintptr {
	return []uintptr{p.in.Fd(), p.out.w.Fd(), p.err.w.Fd()}
}

// Started hands the child's ends over and begins to read.
func (p *Pipes) Started() {
	p.Close()
	for _, s := range []*Stream{p.out, p.err} {
		go s.Drain()
	}
}

func (p *Pipes) Close() {
	for _, f := range p.toClose {
		f.Close()
	}
	p.toClose = nil
}

// Collect puts the output into r. What the command left running may go on
// writing; that is read and dropped.
func (p *Pipes) Collect(r *sandbox.Result) {
	p.out.tap.Now()
	p.err.tap.Now()
	late := time.NewTimer(wire.Grace)
	defer late.Stop()
	for _, s := range []*Stream{p.out, p.err} {
		select {
		case <-s.done:
		case <-late.C:
			late.Reset(0)
		}
	}
	var a, b int64
	r.Stdout, a = p.out.keep.Finish()
	r.Stderr, b = p.err.keep.Finish()
	r.Cut = a + b
}

// Pipe gives our end, which the runtime can wait for, and the child's, which
// must block.
func Pipe(toChild bool) (ours, theirs *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, err
	}
	mine, other := fds[0], fds[1]
	if toChild {
		mine, other = other, mine
	}
	_ = unix.SetNonblock(mine, true)
	return os.NewFile(uintptr(mine), "ours"), os.NewFile(uintptr(other), "theirs"), nil
}
