package guest

import (
	"errors"
	"maps"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest/proc"
)

// processes are those of the world, without the guest itself and its helper.
type processes struct {
	reap   *reaper
	helper *helper // nil: there is none
}

// table reads the process table.
func (ps *processes) table() map[int]proc.Process { return proc.Table(ps.helper.pid()) }

// set is who lives now.
func (ps *processes) set() map[proc.Key]bool {
	set := map[proc.Key]bool{}
	for _, p := range ps.table() {
		set[p.Key] = true
	}
	return set
}

// limit gives a command fewer processes than the guest, so that the guest can
// always start one more. What the command started before that is found and
// limited too, until there is nothing left to find.
func (ps *processes) limit(pid int) {
	ps.limitOne(pid)
	for range limitSweeps {
		if !ps.limitAll() {
			return
		}
	}
}

// limitSweeps bounds how often new processes without their limit are looked
// for; the watch goes on with it.
const limitSweeps = 20

// limitAll limits every process but the guest, and reports whether there was
// one that had no limit.
func (ps *processes) limitAll() bool { return ps.limitEach(ps.table()) }

func (ps *processes) limitEach(all map[int]proc.Process) bool {
	found := false
	for pid := range all {
		if ps.limitOne(pid) {
			found = true
		}
	}
	return found
}

func (ps *processes) limitOne(pid int) bool {
	n := uint64(ps.reap.processes)
	var had unix.Rlimit
	err := unix.Prlimit(pid, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: n, Max: n}, &had)
	return err == nil && had.Max > n
}

// full reports whether there are as many processes and threads as may be. The
// kernel counts the guest's own, too.
func (ps *processes) full(limit int) bool { return ps.fullOf(ps.table(), limit) }

// fullOf is full, of a table that was read.
func (ps *processes) fullOf(all map[int]proc.Process, limit int) bool {
	n := 0
	if ps.helper == nil { // else it is another user's, and counted for itself
		self, _ := proc.Read(1)
		n = self.Threads
	}
	for _, p := range all {
		n += max(1, p.Threads)
	}
	return n >= limit
}

// killSession kills the processes of a session and all that descend from it.
func (ps *processes) killSession(pid int) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		all, left := ps.table(), false
		for _, p := range all {
			if !p.Dead() && inSession(p, pid, all) {
				left = true
				_ = unix.Kill(p.PID, unix.SIGKILL)
			}
		}
		if !left {
			return nil
		}
	}
	return ps.killAll()
}

func inSession(p proc.Process, pid int, all map[int]proc.Process) bool {
	for range 1 << 12 {
		if p.Session == pid || p.PID == pid {
			return true
		}
		up, ok := all[p.Parent]
		if !ok {
			return false
		}
		p = up
	}
	return false
}

// patience is how long processes are looked for one by one.
const patience = 5 * time.Second

// killAll ends every process but the guest, which nothing can outrun: while a
// process has to die it can't start another.
func (ps *processes) killAll() error {
	for end := time.Now().Add(4 * patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err := unix.Kill(-1, unix.SIGKILL); errors.Is(err, unix.ESRCH) {
			return nil
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(ps.table())), proc.Process.Alive) {
			return nil
		}
	}
	return errors.New("killed processes do not end")
}
