package guest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// feedTime is how long a program may leave its input unread.
const feedTime = 10 * time.Second

// stderrKept is how much of a program's standard error is kept, in bytes.
const stderrKept = 32 << 10

// programs are the programs that run on beside the calls.
type programs struct {
	mu      sync.Mutex
	running map[uint64]*program
}

// program is one of them.
type program struct {
	pid     int
	tty     bool // in and out are one terminal
	in, out *os.File
	err     *stream
	reading sync.Mutex
	late    int // bytes that were read after its end
	feeding sync.Mutex

	ended  chan struct{} // closed when its first process is gone
	result sandbox.Result
}

func (ps *programs) get(id uint64) (*program, error) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p := ps.running[id]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no program %d", id)
}

// add registers a program, unless there are too many.
func (ps *programs) add(id uint64, p *program) error {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(ps.running) >= sandbox.MaxPrograms {
		return &sandbox.FileError{Op: "start", Path: "one more program", Reason: fmt.Sprintf("%d are running already", len(ps.running))}
	}
	if ps.running == nil {
		ps.running = map[uint64]*program{}
	}
	ps.running[id] = p
	return nil
}

func (ps *programs) remove(id uint64) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	delete(ps.running, id)
}

// prepare finds the program of a command that is to run beside the calls. What
// keeps it from being started is a *sandbox.FileError.
func (s *server) prepare(c sandbox.Cmd) (meant, error) {
	m, err := s.meaning(c)
	if err != nil {
		return m, err
	}
	if exit, what, why := m.refused(); exit != 0 {
		return m, &sandbox.FileError{Op: "start", Path: what, Reason: why}
	}
	return m, nil
}

// startProgram starts a program and gives the number that it is known by.
func (s *server) startProgram(id uint64, c sandbox.Cmd) (_ any, err error) {
	m, err := s.prepare(c)
	if err != nil {
		return nil, err
	}
	p := &program{ended: make(chan struct{})}
	if err := s.programs.add(id, p); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.programs.remove(id)
		}
	}()
	if c.Terminal != nil {
		return id, s.launchOnTerminal(p, m, *c.Terminal)
	}
	return id, s.launch(p, m)
}

// launch starts the process, its streams connected to p.
func (s *server) launch(p *program, m meant) error {
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	var ours [3]*os.File
	var streams []uintptr
	for i := range ours {
		mine, other, err := pipe(i == 0)
		if err != nil {
			for _, f := range ours[:i] {
				f.Close()
			}
			return fmt.Errorf("preparing a program's streams: %w", err)
		}
		ours[i], theirs = mine, append(theirs, other)
		streams = append(streams, other.Fd())
	}
	pid, ended, err := s.reap.begin(m, syscall.SysProcAttr{}, streams...)
	if err != nil {
		for _, f := range ours {
			f.Close()
		}
		return &sandbox.FileError{Op: "start", Path: m.Program, Reason: err.Error()}
	}
	p.in, p.out = ours[0], ours[1]
	p.err = &stream{r: ours[2], keep: output{max: stderrKept}, done: make(chan struct{})}
	p.err.tap = tap{r: p.err.r, to: &p.err.keep}
	_, _ = p.err.keep.Write([]byte(m.moved()))
	go p.err.drain()
	s.watchProgram(p, pid, ended)
	return nil
}

// watchProgram waits for the end of a program that has started.
func (s *server) watchProgram(p *program, pid int, ended <-chan syscall.WaitStatus) {
	p.pid = pid
	s.limit(pid)
	go func() {
		p.result = status(<-ended, "")
		// What it left behind may hold its output open; it is heard a little longer.
		_ = p.out.SetReadDeadline(time.Now().Add(wire.Grace))
		close(p.ended)
	}()
}

// feed hands input to a program.
func (s *server) feed(_ uint64, a wire.FeedArgs) (any, error) {
	p, err := s.programs.get(a.Program)
	if err != nil { // it has ended, and its output was read to the end
		return nil, &sandbox.FileError{Op: "feed", Path: "standard input", Reason: "the program has ended"}
	}
	p.feeding.Lock()
	defer p.feeding.Unlock()
	_ = p.in.SetWriteDeadline(time.Now().Add(feedTime))
	if len(a.Data) > 0 {
		_, err := p.in.Write(a.Data)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, &sandbox.FileError{Op: "feed", Path: "standard input", Reason: fmt.Sprintf("the program has not read its input for %v", feedTime)}
		case err != nil:
			return nil, &sandbox.FileError{Op: "feed", Path: "standard input", Reason: "the program reads no more input"}
		}
	}
	switch {
	case a.Close && p.tty:
		_, _ = p.in.Write([]byte{4}) // the end of input, on a terminal
	case a.Close:
		p.in.Close()
	}
	return nil, nil
}

// drain waits for output of a program, or its end.
func (s *server) drain(_ uint64, id uint64) (any, error) {
	p, err := s.programs.get(id)
	if err != nil {
		return nil, err
	}
	p.reading.Lock()
	defer p.reading.Unlock()
	b := make([]byte, wire.DrainSize)
	n, err := p.out.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		n, err = p.rest(b)
	}
	if err == nil {
		return wire.Drained{Bytes: wire.Bytes{Data: b[:n]}}, nil
	}
	// It closed its output, or it is gone: with no output it is of no use.
	if err := s.killSession(p.pid); err != nil {
		return nil, err
	}
	<-p.ended
	s.programs.remove(id)
	p.in.Close()
	p.out.Close()
	p.err.tap.now()
	select {
	case <-p.err.done:
	case <-time.After(wire.Grace):
	}
	p.result.Stderr, p.result.Cut = p.err.keep.finish()
	return wire.Drained{Ended: &p.result}, nil
}

// rest reads what a program that has ended left unread, however late that is
// asked for. It does not wait: what still comes is not the program's.
func (p *program) rest(b []byte) (n int, err error) {
	raw, err := p.out.SyscallConn()
	if err != nil {
		return 0, err
	}
	if cerr := raw.Control(func(fd uintptr) { n, err = unix.Read(int(fd), b[:min(len(b), maxLate-p.late)]) }); cerr != nil {
		return 0, cerr
	}
	if err == nil && n == 0 {
		err = io.EOF
	}
	p.late += max(0, n)
	return n, err
}

// killProgram ends a program; whoever drains it learns how it ended. One that
// is gone already is no error.
func (s *server) killProgram(_ uint64, id uint64) (any, error) {
	p, err := s.programs.get(id)
	if err != nil {
		return nil, nil
	}
	return nil, s.killSession(p.pid)
}

// killSession kills the processes of a session and all that descend from it.
func (s *server) killSession(pid int) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		all, left := s.procs(), false
		for _, p := range all {
			if !p.dead() && inSession(p, pid, all) {
				left = true
				_ = unix.Kill(p.pid, unix.SIGKILL)
			}
		}
		if !left {
			return nil
		}
	}
	return s.killAll()
}

func inSession(p proc, pid int, all map[int]proc) bool {
	for range 1 << 12 {
		if p.session == pid || p.pid == pid {
			return true
		}
		up, ok := all[p.parent]
		if !ok {
			return false
		}
		p = up
	}
	return false
}
