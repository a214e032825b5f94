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
	"cookoff/sandbox/guest/stream"
	"cookoff/sandbox/wire"
)

// feedTime is how long a program may leave its input unread.
const feedTime = 10 * time.Second

// stderrKept is how much of a program's standard error is kept, in bytes.
const stderrKept = 32 << 10

// programs are the programs that run on beside the calls.
type programs struct {
	procs *processes
	shell *shell

	mu      sync.Mutex
	running map[uint64]*program
}

// program is one of them.
type program struct {
	pid     int
	tty     bool // in and out are one terminal
	in, out *os.File
	err     *stream.Stream
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

// any reports whether one runs, or was not heard to its end.
func (ps *programs) any() bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return len(ps.running) > 0
}

// add registers a program, unless there are too many.
func (ps *programs) add(id uint64, p *program) error {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(ps.running) >= sandbox.MaxPrograms {
		return &sandbox.FileError{Op: "start", Path: "one more program",
			Reason: fmt.Sprintf("%d are running already", len(ps.running))}
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

// start starts a program and gives the number that it is known by.
func (ps *programs) start(id uint64, c sandbox.Cmd) (_ any, err error) {
	m, err := ps.shell.prepare(c)
	if err != nil {
		return nil, err
	}
	p := &program{ended: make(chan struct{})}
	if err := ps.add(id, p); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			ps.remove(id)
		}
	}()
	if c.Terminal != nil {
		return id, ps.launchOnTerminal(p, m, *c.Terminal)
	}
	return id, ps.launch(p, m)
}

// launch starts the process, its streams connected to p.
func (ps *programs) launch(p *program, m meant) error {
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	var ours [3]*os.File
	var streams []uintptr
	for i := range ours {
		mine, other, err := stream.Pipe(i == 0)
		if err != nil {
			for _, f := range ours[:i] {
				f.Close()
			}
			return fmt.Errorf("preparing a program's streams: %w", err)
		}
		ours[i], theirs = mine, append(theirs, other)
		streams = append(streams, other.Fd())
	}
	pid, ended, err := ps.procs.reap.begin(m, syscall.SysProcAttr{}, streams...)
	if err != nil {
		for _, f := range ours {
			f.Close()
		}
		return &sandbox.FileError{Op: "start", Path: m.Program, Reason: err.Error()}
	}
	p.in, p.out = ours[0], ours[1]
	p.err = stream.NewStream(ours[2], stderrKept)
	p.err.Say(m.moved())
	go p.err.Drain()
	ps.watch(p, pid, ended)
	return nil
}

// watch waits for the end of a program that has started.
func (ps *programs) watch(p *program, pid int, ended <-chan syscall.WaitStatus) {
	p.pid = pid
	ps.procs.limit(pid)
	go func() {
		p.result = status(<-ended, "")
		// What it left behind may hold its output open; it is heard a little longer.
		_ = p.out.SetReadDeadline(time.Now().Add(wire.Grace))
		close(p.ended)
	}()
}

// feed hands input to a program.
func (ps *programs) feed(_ uint64, a wire.FeedArgs) (any, error) {
	p, err := ps.get(a.Program)
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
			return nil, &sandbox.FileError{Op: "feed", Path: "standard input",
				Reason: fmt.Sprintf("the program has not read its input for %v", feedTime)}
		case err != nil:
			return nil, &sandbox.FileError{Op: "feed", Path: "standard input",
				Reason: "the program reads no more input"}
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
func (ps *programs) drain(_ uint64, id uint64) (any, error) {
	p, err := ps.get(id)
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
	if err := ps.procs.killSession(p.pid); err != nil {
		return nil, err
	}
	<-p.ended
	ps.remove(id)
	p.in.Close()
	p.out.Close()
	p.result.Stderr, p.result.Cut = p.err.Rest()
	return wire.Drained{Ended: &p.result}, nil
}

// rest reads what a program that has ended left unread, however late that is
// asked for. It does not wait: what still comes is not the program's.
func (p *program) rest(b []byte) (n int, err error) {
	raw, err := p.out.SyscallConn()
	if err != nil {
		return 0, err
	}
	if cerr := raw.Control(func(fd uintptr) {
		n,
			err = unix.Read(int(fd), b[:min(len(b), stream.MaxLate-p.late)])
	}); cerr != nil {
		return 0, cerr
	}
	if err == nil && n == 0 {
		err = io.EOF
	}
	p.late += max(0, n)
	return n, err
}

// kill ends a program; whoever drains it learns how it ended. One that
// is gone already is no error.
func (ps *programs) kill(_ uint64, id uint64) (any, error) {
	p, err := ps.get(id)
	if err != nil {
		return nil, nil
	}
	return nil, ps.procs.killSession(p.pid)
}
