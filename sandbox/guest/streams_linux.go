package guest

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// pipes are the standard streams of a command.
type pipes struct {
	in       *os.File
	out, err *stream
	toClose  []*os.File // the child's ends
}

type stream struct {
	r, w *os.File
	keep output
	tap  tap
	done chan struct{}
}

// drain takes what is written until nobody can write any more.
func (s *stream) drain() {
	s.tap.run()
	close(s.done)
}

func newPipes(stdin []byte, max int) (*pipes, error) {
	p := &pipes{}
	var err error
	if p.in, err = unnamedFile("stdin", stdin); err != nil {
		return nil, fmt.Errorf("preparing stdin: %w", err)
	}
	p.toClose = append(p.toClose, p.in)
	for _, s := range []**stream{&p.out, &p.err} {
		var fds [2]int // the child's end must block, so this is not os.Pipe
		if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
			p.close()
			return nil, fmt.Errorf("preparing output: %w", err)
		}
		w := os.NewFile(uintptr(fds[1]), "output")
		_ = unix.SetNonblock(fds[0], true)
		r := os.NewFile(uintptr(fds[0]), "output")
		*s = &stream{r: r, w: w, keep: output{max: max}, done: make(chan struct{})}
		(*s).tap = tap{r: r, to: &(*s).keep}
		p.toClose = append(p.toClose, w)
	}
	return p, nil
}

// unnamedFile is a file with the content: unlike a pipe it needs nobody to feed it, and unlike a file in /tmp it has room where an agent has filled
// that. It can't be changed any more.
func unnamedFile(name string, b []byte) (*os.File, error) {
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
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (p *pipes) child() []uintptr {
	return []uintptr{p.in.Fd(), p.out.w.Fd(), p.err.w.Fd()}
}

// started hands the child's ends over and begins to read.
func (p *pipes) started() {
	p.close()
	for _, s := range []*stream{p.out, p.err} {
		go s.drain()
	}
}

func (p *pipes) close() {
	for _, f := range p.toClose {
		f.Close()
	}
	p.toClose = nil
}

// collect puts the output into r. What the command left running may go on
// writing; that is read and dropped.
func (p *pipes) collect(r *sandbox.Result) {
	p.out.tap.now()
	p.err.tap.now()
	late := time.NewTimer(wire.Grace)
	defer late.Stop()
	for _, s := range []*stream{p.out, p.err} {
		select {
		case <-s.done:
		case <-late.C:
			late.Reset(0)
		}
	}
	var a, b int64
	r.Stdout, a = p.out.keep.finish()
	r.Stderr, b = p.err.keep.finish()
	r.Cut = a + b
}

// pipe gives our end, which the runtime can wait for, and the child's, which
// must block.
func pipe(toChild bool) (ours, theirs *os.File, err error) {
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
