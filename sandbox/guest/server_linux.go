// Package guest is the small program inside a sandbox: it runs commands and
// serves files to the host over one connection.
package guest

import (
	"bufio"
	"fmt"
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest/conns"
	"cookoff/sandbox/guest/files"
	"cookoff/sandbox/guest/proc"
	"cookoff/sandbox/guest/protect"
	"cookoff/sandbox/wire"
)

// atOnce is how many requests are worked on at a time; more of them wait.
const atOnce = 32

// server serves one host.
type server struct {
	replies
	cfg    wire.Config // the world's
	reap   *reaper
	helper *helper // serves files; nil: this process does
	files  files.Server
	asked  *requests

	used     *usage
	calls    *calls
	programs *programs
	jobs     *jobs
	conns    conns.Set
	watch    *watch
}

// Serve speaks with the host over conn until the host is gone. It must run as
// PID 1, already restricted: it makes itself unreadable to everything it
// starts before it answers anything.
func Serve(conn io.ReadWriter) error {
	if err := protect.Guest(); err != nil {
		return err
	}
	syscall.Umask(0o022)
	s := newServer(conn)
	go s.reap.run()
	return s.serve(conn)
}

// newServer makes a server that is yet to be configured.
func newServer(conn io.Writer) *server {
	s := &server{replies: replies{conn: conn}, reap: newReaper(), asked: newRequests()}
	procs := &processes{reap: s.reap}
	shell := &shell{cfg: &s.cfg}
	s.used = &usage{limits: &s.cfg.Limits, look: s.look, full: files.Full}
	s.jobs = &jobs{procs: procs, shell: shell}
	s.programs = &programs{procs: procs, shell: shell}
	s.calls = &calls{cfg: &s.cfg, procs: procs, shell: shell, used: s.used, jobs: s.jobs, asked: map[uint64]*call{},
		running: map[uint64]*call{}}
	s.watch = &watch{cfg: &s.cfg, procs: procs, calls: s.calls, used: s.used, table: procs.table,
		memory: &proc.Account{}, asked: s.asked}
	return s
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
		if q.Op == wire.OpExec {
			s.calls.expect(q.ID)
		}
		switch q.Op {
		case wire.OpConfig:
			if err := s.configure(q); err != nil {
				return err
			}
		case wire.OpCancel:
			s.calls.cancel(q)
		case wire.OpAccept, wire.OpReceive, wire.OpSend: // they may wait for long, and are bounded by themselves
			go s.answer(q, s.do)
		default:
			end := s.asked.begin()
			go func() {
				defer end()
				slots <- struct{}{}
				defer func() { <-slots }()
				s.answer(q, s.do)
			}()
		}
	}
}

// clockTick is how far the kernel's times of files may lag behind the clock.
const clockTick = 20 * time.Millisecond

func (s *server) configure(q wire.Request) error {
	if err := wire.Decode(q.Args, &s.cfg); err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	s.reap.processes = s.cfg.Limits.Processes
	if err := s.part(); err != nil {
		return err
	}
	s.used.baseFree = files.FreeBytes()
	if s.cfg.TestOnlyCrowd {
		s.reap.processes = 1 << 20
	}
	if s.cfg.Scope {
		s.watch.scope = proc.OpenScope()
		s.calls.scope = s.watch.scope
	}
	s.watch.memory.OwnKernel = s.helper != nil
	s.watch.memory.OwnNetwork, s.watch.memory.SocketBuffer = s.cfg.OwnNetwork, s.cfg.SocketBuffer
	s.files.Elsewhere, s.files.Places, s.files.Apart, s.files.Sealed = s.cfg.Elsewhere, s.cfg.Places, s.cfg.Apart,
		s.cfg.Sealed
	if err := s.begin(); err != nil {
		return err
	}
	if s.cfg.TestOnlyDumpable {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
	}
	if err := s.conns.Listen(s.cfg); err != nil {
		return err
	}
	go s.watch.run()
	return s.send(wire.Reply{ID: q.ID})
}

// begin takes the time: what changes from now on is touched. What is there already is
// not the world's. A world that goes on has begun before.
func (s *server) begin() error {
	if h := s.cfg.Hibernated; h != nil {
		s.goOn(*h)
		return nil
	}
	if s.cfg.Copied || s.cfg.Elsewhere {
		if err := s.used.begin(); err != nil {
			return err
		}
	}
	if s.cfg.Copied {
		time.Sleep(2 * clockTick) // what was copied must be older than what is touched
	}
	now := time.Now()
	if s.cfg.Clock {
		now = files.HomeTime(now)
	}
	s.files.Began = now.Add(-clockTick)
	if s.helper == nil {
		return nil
	}
	return s.helper.configure(wire.Config{Began: s.files.Began})
}

// look measures what is written, with the agent's rights.
func (s *server) look() (files.Usage, error) {
	if s.helper == nil {
		return files.Measure(s.cfg.Elsewhere), nil
	}
	return askFor[files.Usage](s.helper, wire.OpUsage, nil)
}

func (s *server) do(q wire.Request) (any, error) {
	switch q.Op {
	case wire.OpRead, wire.OpList, wire.OpFind, wire.OpGrep, wire.OpManifest, wire.OpPack, wire.OpUnpack:
		return s.onFiles(q)
	case wire.OpWrite:
		if _, err := wire.With(q, s.used.allowed); err != nil {
			return nil, err
		}
		return s.onFiles(q)
	case wire.OpExec:
		return wire.With(q, s.calls.exec)
	case wire.OpStart:
		return wire.With(q, s.programs.start)
	case wire.OpFeed:
		return wire.With(q, s.programs.feed)
	case wire.OpDrain:
		return wire.With(q, s.programs.drain)
	case wire.OpKill:
		return wire.With(q, s.programs.kill)
	case wire.OpResize:
		return wire.With(q, s.programs.resize)
	case wire.OpLaunch:
		return wire.With(q, s.jobs.launch)
	case wire.OpJob:
		return wire.With(q, s.jobs.news)
	case wire.OpStopJob:
		return wire.With(q, s.jobs.stop)
	case wire.OpAccept:
		return wire.With(q, s.conns.Accept)
	case wire.OpDial:
		return wire.With(q, s.conns.Dial)
	case wire.OpReceive:
		return wire.With(q, s.conns.Receive)
	case wire.OpSend:
		return wire.With(q, s.conns.Send)
	case wire.OpHangUp:
		return wire.With(q, s.conns.HangUp)
	case wire.OpHibernate:
		return s.hibernate(), nil
	}
	return nil, fmt.Errorf("unknown operation %q", q.Op)
}

// onFiles does what is asked of files, or has the helper do it.
func (s *server) onFiles(q wire.Request) (any, error) {
	if s.helper != nil {
		return s.helper.ask(q, func(r wire.Reply) error { return s.more(q, wire.Part{Bytes: r.Bytes}) })
	}
	return s.files.Do(q, func(p wire.Part) error { return s.more(q, p) })
}
