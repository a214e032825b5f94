package guest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest/files"
	"cookoff/sandbox/wire"
)

// ServeFiles is the helper: it serves files to the guest, with the rights of
// the agent, until the guest is gone. It must be started as root.
func ServeFiles(agent int) error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming non-dumpable: %w", err)
	}
	syscall.Umask(0o022)
	// Of every thread, and with them every capability.
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(helperUID, agent, helperUID),
		syscall.Setresuid(helperUID, agent, helperUID)); err != nil {
		return fmt.Errorf("becoming the agent's user: %w", err)
	}
	runtime.GOMAXPROCS(1) // most of its time is calls of the kernel, which a second thread makes slower there
	if err := wire.OpenUppers(); err != nil {
		return err
	}
	for i := range wire.Uppers {
		unix.CloseOnExec(wire.FirstUpper + i)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil { // a change of user may have changed it
		return fmt.Errorf("becoming non-dumpable: %w", err)
	}
	conn, err := wire.Connection(helperFD)
	if err != nil {
		return err
	}
	return (&fileServer{replies: replies{conn: conn}}).serve(conn)
}

// fileServer serves files to the guest.
type fileServer struct {
	replies
	files files.Server
}

func (s *fileServer) serve(conn io.Reader) error {
	in := bufio.NewReaderSize(conn, 64<<10)
	slots := make(chan struct{}, atOnce)
	for {
		var q wire.Request
		if err := wire.ReadFrame(in, &q); err != nil {
			return err
		}
		if q.Op == wire.OpConfig {
			var cfg wire.Config
			if err := wire.Decode(q.Args, &cfg); err != nil {
				return fmt.Errorf("reading the configuration: %w", err)
			}
			s.files.Began = cfg.Began
			continue
		}
		files := s.files
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			s.answer(q, func(q wire.Request) (any, error) {
				return files.Do(q, func(p wire.Part) error { return s.more(q, p) })
			})
		}()
	}
}
