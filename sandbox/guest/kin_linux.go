package guest

import (
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest/proc"
)

// kin sorts the processes of the table.
type kin int

// A process is a call's, somebody else's, or can't be placed since the table
// changed while it was read.
const (
	mine kin = iota
	foreign
	unplaced
)

// place says whether c started p, also when p left its session or lost its
// parents: all that came after c is c's, unless it descends from something
// that was there before, or from another call.
func (c *call) place(p proc.Process, all map[int]proc.Process, others map[int]bool) kin {
	for hops := 0; hops < 1<<12; hops++ {
		if c.before[p.Key] || others[p.PID] || others[p.Session] {
			return foreign
		}
		if p.PID == c.pid || p.Parent <= 1 {
			return mine
		}
		up, ok := all[p.Parent]
		if !ok {
			return unplaced
		}
		p = up
	}
	return unplaced
}

// started gives the living processes that c started; sure is false when
// another look is needed.
func (cs *calls) started(c *call) (found []proc.Process, sure bool) {
	all := cs.procs.table()
	sessions := cs.jobs.sessions() // after the table: whoever is in it is registered
	cs.mu.Lock()
	defer cs.mu.Unlock()
	others := cs.others(c)
	for _, pid := range sessions { // a job begun during the call is not the call's
		others[pid] = true
	}
	sure = true
	for _, p := range all {
		if p.Dead() {
			continue
		}
		switch c.place(p, all, others) {
		case mine:
			found = append(found, p)
		case unplaced:
			sure = false
		}
	}
	return found, sure
}

// killCall ends everything that c started. They are stopped first, so that a
// process that keeps forking can't outrun the search. When that takes too long,
// what earlier calls left running goes too: a call that multiplies must not
// keep the trial from going on.
func (cs *calls) killCall(c *call) error {
	if cs.cfg.TestOnlySparing {
		return unix.Kill(c.pid, unix.SIGKILL)
	}
	deadline := time.Now().Add(patience)
	stopped := map[proc.Key]bool{}
	for time.Now().Before(deadline) {
		found, sure := cs.started(c)
		for _, p := range found {
			if !stopped[p.Key] {
				stopped[p.Key], sure = true, false
				_ = unix.Kill(p.PID, unix.SIGSTOP)
			}
		}
		if sure {
			break
		}
	}
	for time.Now().Before(deadline) {
		found, sure := cs.started(c)
		if len(found) == 0 && sure {
			return nil
		}
		for _, p := range found {
			_ = unix.Kill(p.PID, unix.SIGKILL)
		}
		time.Sleep(time.Millisecond)
	}
	return cs.procs.killAll()
}

// leave tells the calls that go on which processes c leaves behind. One that
// left its session as well could be anybody's, and stays theirs to end: what
// must not happen is that something of an ended call runs on.
func (cs *calls) leave(c *call) {
	if !cs.remove(c) {
		return
	}
	all := cs.procs.table()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, o := range cs.running {
		for _, p := range all {
			if p.Session == c.pid {
				o.before[p.Key] = true
			}
		}
	}
}
