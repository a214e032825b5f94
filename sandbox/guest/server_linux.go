package guest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// atOnce is how many requests are worked on at a time; more of them wait.
const atOnce = 32

// server serves one host.
type server struct {
	conn  io.Writer
	outMu sync.Mutex
	cfg   wire.Config
	reap  *reaper
	calls calls
	used  usage
	began time.Time    // when the world stood, before anything ran in it
	asked atomic.Int64 // how many requests have come
	scope *scope       // of the world; nil: none

	heeded    int64     // how often the world was full when that was acted on last; the watch's
	kept      kept      // what was there at the last look; the watch's
	keptUntil time.Time // when the next look is due

	programs programs
	jobs     jobs
	conns    conns

	helper    *helper // serves files; nil: this process does
	onlyFiles bool    // this process is the helper
}

// Serve speaks with the host over conn until the host is gone. It must run as
// PID 1, already restricted: it makes itself unreadable to everything it
// starts before it answers anything.
func Serve(conn io.ReadWriter) error {
	if err := shield(); err != nil {
		return err
	}
	s := &server{conn: conn, reap: newReaper()}
	s.calls.asked, s.calls.running = map[uint64]*call{}, map[uint64]*call{}
	go s.reap.run()
	return s.serve(conn)
}

// serve takes requests.
func (s *server) serve(conn io.Reader) error {
	in := bufio.NewReaderSize(conn, 64<<10)
	slots := make(chan struct{}, atOnce)
	for {
		var q wire.Request
		if err := wire.ReadFrame(in, &q); err != nil {
			return err
		}
		s.asked.Add(1)
		if q.Op == wire.OpExec && !s.onlyFiles {
			s.calls.expect(q.ID)
		}
		switch q.Op {
		case wire.OpConfig:
			if err := s.configure(q); err != nil {
				return err
			}
		case wire.OpCancel:
			s.cancel(q)
		case wire.OpAccept, wire.OpReceive, wire.OpSend: // they may wait for long, and are bounded by themselves
			go s.answer(q)
		default:
			go func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				s.answer(q)
			}()
		}
	}
}

// clockTick is how far the kernel's times of files may lag behind the clock.
const clockTick = 20 * time.Millisecond

// shield keeps the guest's memory, descriptors and life out of reach of the
// processes it starts.
func shield() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming non-dumpable: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("tying to the host's life: %w", err)
	}
	for fd := wire.FirstUpper; fd < wire.EndFD; fd++ {
		unix.CloseOnExec(fd)
	}
	if err := deaf(); err != nil {
		return err
	}
	syscall.Umask(0o022)
	return nil
}

func (s *server) configure(q wire.Request) error {
	if err := wire.Decode(q.Args, &s.cfg); err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	if s.onlyFiles {
		s.began = s.cfg.Began
		return nil
	}
	s.reap.processes = s.cfg.Limits.Processes
	if err := s.part(); err != nil {
		return err
	}
	s.used.baseFree = freeBytes()
	if s.cfg.TestOnlyCrowd {
		s.reap.processes = 1 << 20
	}
	if s.cfg.Scope {
		s.scope = newScope()
	}
	if s.cfg.Copied || s.cfg.Elsewhere {
		base, err := s.look()
		if err != nil {
			return err
		}
		s.used.baseDisk, s.used.baseFiles, s.used.baseFree = base.Disk, base.Files, base.Free
	}
	if s.cfg.Copied {
		time.Sleep(2 * clockTick) // what was copied must be older than what is touched
	}
	now := time.Now()
	if s.cfg.Clock {
		now = homeTime(now)
	}
	s.began = now.Add(-clockTick)
	if s.helper != nil {
		if err := s.helper.configure(wire.Config{Began: s.began}); err != nil {
			return err
		}
	}
	if s.cfg.TestOnlyDumpable {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
	}
	if s.cfg.Proxy {
		if err := s.conns.listen(); err != nil {
			return err
		}
	}
	go s.watch()
	return s.send(wire.Reply{ID: q.ID})
}

func (s *server) send(r wire.Reply) error {
	s.outMu.Lock()
	defer s.outMu.Unlock()
	return wire.WriteFrame(s.conn, r)
}

// answer does what q asks for and replies.
func (s *server) answer(q wire.Request) {
	body, err := s.do(q)
	r := wire.Reply{ID: q.ID}
	switch {
	case errors.As(err, &r.File):
	case err != nil:
		r.Err, r.Short = err.Error(), errors.Is(err, sandbox.ErrShort)
	default:
		if r.Body, err = wire.Encode(body); err != nil {
			r.Err = err.Error()
		}
		r.Data = wire.Carried(body)
	}
	if err := s.send(r); errors.Is(err, wire.ErrFrame) { // as of a directory with very many entries
		_ = s.send(wire.Reply{ID: q.ID, File: &sandbox.FileError{Op: string(q.Op), Reason: "the answer would be too large"}})
	}
}

func (s *server) do(q wire.Request) (any, error) {
	switch q.Op {
	case wire.OpRead, wire.OpList, wire.OpFind, wire.OpGrep, wire.OpManifest, wire.OpPack, wire.OpUnpack, wire.OpResolve, wire.OpUsage:
		return s.files(q)
	case wire.OpWrite:
		if !s.onlyFiles {
			if _, err := with(q, s.allowed); err != nil {
				return nil, err
			}
		}
		return s.files(q)
	}
	if s.onlyFiles {
		return nil, fmt.Errorf("no operation on files: %q", q.Op)
	}
	switch q.Op {
	case wire.OpExec:
		return with(q, s.exec)
	case wire.OpStart:
		return with(q, s.startProgram)
	case wire.OpFeed:
		return with(q, s.feed)
	case wire.OpDrain:
		return with(q, s.drain)
	case wire.OpKill:
		return with(q, s.killProgram)
	case wire.OpResize:
		return with(q, s.resize)
	case wire.OpLaunch:
		return with(q, s.launchJob)
	case wire.OpJob:
		return with(q, s.news)
	case wire.OpStopJob:
		return with(q, s.stopJob)
	case wire.OpAccept:
		return s.conns.accept()
	case wire.OpDial:
		return with(q, s.conns.dial)
	case wire.OpReceive:
		return with(q, s.conns.receive)
	case wire.OpSend:
		return with(q, s.conns.send)
	case wire.OpHangUp:
		return with(q, s.conns.hangUp)
	}
	return nil, fmt.Errorf("unknown operation %q", q.Op)
}

// files does what is asked of files, or has the helper do it.
func (s *server) files(q wire.Request) (any, error) {
	if s.helper != nil {
		return s.helper.ask(q, func(r wire.Reply) error { return s.send(wire.Reply{ID: q.ID, More: true, Body: r.Body}) })
	}
	switch q.Op {
	case wire.OpRead:
		return with(q, func(_ uint64, a wire.ReadArgs) (any, error) { return readFile(a) })
	case wire.OpWrite:
		return with(q, func(_ uint64, a wire.WriteArgs) (any, error) { return nil, writeFile(a) })
	case wire.OpList:
		return with(q, func(_ uint64, a string) (any, error) { return listDir(a) })
	case wire.OpFind:
		return with(q, func(_ uint64, a sandbox.FindQuery) (any, error) { return find(a) })
	case wire.OpGrep:
		return with(q, func(_ uint64, a sandbox.GrepQuery) (any, error) { return grep(a) })
	case wire.OpManifest:
		return with(q, s.manifest)
	case wire.OpPack:
		return with(q, func(_ uint64, a []string) (any, error) { return pack(a) })
	case wire.OpUnpack:
		return with(q, func(_ uint64, a []sandbox.Item) (any, error) { return nil, unpack(a) })
	case wire.OpResolve:
		return with(q, func(_ uint64, a resolveArgs) (any, error) { return resolve(a), nil })
	}
	return s.ownLook(), nil
}

// with decodes the arguments of q for do.
func with[A any](q wire.Request, do func(uint64, A) (any, error)) (any, error) {
	var a A
	if err := wire.Decode(q.Args, &a); err != nil {
		return nil, fmt.Errorf("reading the arguments of %s: %w", q.Op, err)
	}
	wire.Carry(&a, q.Data)
	return do(q.ID, a)
}

// reaper waits for every process of the sandbox: those the guest started and
// those that lost their parents.
type reaper struct {
	mu        sync.Mutex
	waiting   map[int]chan syscall.WaitStatus
	signals   chan os.Signal
	processes int // that commands may have at once
	agent     *agentThread
	score     score
}

func newReaper() *reaper {
	r := &reaper{waiting: map[int]chan syscall.WaitStatus{}, signals: make(chan os.Signal, 1), score: newScore()}
	signal.Notify(r.signals, unix.SIGCHLD)
	return r
}

// start runs a program. Its wait status comes on the channel.
func (r *reaper) start(path string, argv []string, attr *syscall.ProcAttr) (int, <-chan syscall.WaitStatus, error) {
	r.mu.Lock() // the end of a process must not be seen before its start
	defer r.mu.Unlock()
	pid, err := r.fork(path, argv, attr)
	if err != nil {
		return 0, nil, err
	}
	c := make(chan syscall.WaitStatus, 1)
	r.waiting[pid] = c
	return pid, c, nil
}

// fork starts a program that is born with few processes: one that multiplies
// at once must not get what the guest needs for itself before its limit is
// set. The guest wears the smaller limit for that moment. When the world is
// full, a call is still let in, so that something can be done about it.
func (r *reaper) fork(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &own); err != nil {
		return 0, err
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_NPROC, &own) }()
	defer r.score.wear()()
	for _, spare := range []int{8, 64} {
		born := unix.Rlimit{Cur: min(uint64(r.processes+spare), own.Max), Max: own.Max}
		if err := unix.Setrlimit(unix.RLIMIT_NPROC, &born); err != nil {
			return 0, err
		}
		if pid, err = r.agent.forkExec(path, argv, attr); !errors.Is(err, unix.EAGAIN) {
			break
		}
	}
	return pid, err
}

func (r *reaper) run() {
	for range r.signals {
		for r.one() {
		}
	}
}

func (r *reaper) one() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ws syscall.WaitStatus
	pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
	if err == syscall.EINTR {
		return true
	}
	if err != nil || pid <= 0 {
		return false
	}
	if c, ok := r.waiting[pid]; ok {
		c <- ws
		delete(r.waiting, pid)
	}
	return true
}
