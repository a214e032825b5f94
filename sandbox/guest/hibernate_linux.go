package guest

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest/proc"
	"cookoff/sandbox/wire"
)

// hibernate says what the world needs its guest for or, where that is nothing, what the next
// one has to know.
func (s *server) hibernate() wire.Hibernation {
	h := wire.Hibernation{Keeps: s.keeps()}
	for range endLooks { // the last of a call may be about to end
		if h.Keeps != somethingLives && h.Keeps != somethingAsked {
			break
		}
		time.Sleep(time.Millisecond)
		h.Keeps = s.keeps()
	}
	if h.Keeps != "" {
		return h
	}
	n, err := lastPID()
	if err != nil {
		h.Keeps = "numbers of processes can't be told here"
		return h
	}
	h.Left = wire.Hibernated{LastPID: n, Began: s.files.Began, BaseDisk: s.used.baseDisk, BaseFiles: s.used.baseFiles,
		BaseFree: s.used.baseFree, Jobs: s.jobs.results()}
	return h
}

const (
	somethingLives = "a process lives"
	somethingAsked = "something else is asked"
	endLooks       = 30
	// maxScratch bounds, in bytes, what lies in memory of a world that has a control
	// group: the next group does not count what was written before it.
	maxScratch = 8 << 20
)

// keeps names something that would be gone with the guest, or "".
func (s *server) keeps() string {
	switch {
	case s.helper != nil:
		return "files are served by another process"
	case !s.asked.alone():
		return somethingAsked
	case len(s.calls.procs.table()) > 0 || anyChild():
		return somethingLives
	case len(s.calls.all()) > 0 || s.programs.any():
		return "a program was not heard to its end"
	case !s.jobs.told():
		return "the output of a command in the background was not asked for"
	case s.conns.Any():
		return "a connection is open"
	case proc.LeftBehind():
		return "shared memory, semaphores or messages are left"
	case queued():
		return "message queues are left, or can't be listed"
	case s.watch.scope != nil && proc.InScratch() > maxScratch:
		return "much lies in memory"
	}
	return ""
}

// anyChild reports whether this process has children: all of a world come from its first one,
// and none is missed that becomes another while a table is read.
func anyChild() bool {
	var err error = unix.EINTR
	for err == unix.EINTR {
		err = unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
	}
	return err != unix.ECHILD
}

// queued reports whether there may be POSIX message queues.
func queued() bool {
	b := make([]byte, 4<<10)
	if _, err := unix.Seek(wire.QueuesFD, 0, 0); err != nil {
		_, err = os.Lstat("/proc/sys/fs/mqueue")
		return err == nil
	}
	n, err := unix.ReadDirent(wire.QueuesFD, b)
	if err != nil {
		return true
	}
	_, _, names := unix.ParseDirent(b[:n], -1, nil)
	return len(names) > 0
}

func lastPID() (int, error) {
	b, err := os.ReadFile("/proc/sys/kernel/ns_last_pid")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(bytes.TrimSpace(b)))
}

// goOn takes over what the guest before has left.
func (s *server) goOn(h wire.Hibernated) {
	s.files.Began = h.Began
	s.used.baseDisk, s.used.baseFiles, s.used.baseFree = h.BaseDisk, h.BaseFiles, h.BaseFree
	s.jobs.ended(h.Jobs)
	s.used.measure()
}
