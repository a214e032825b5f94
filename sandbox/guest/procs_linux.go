package guest

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// procKey names a process for good: a PID may be used again.
type procKey struct {
	pid   int
	start uint64
}

// proc is a line of the process table.
type proc struct {
	procKey
	parent  int
	session int
	state   byte
	threads int
}

// procs reads the process table, without the guest itself and its helper.
func (s *server) procs() map[int]proc { return procs(s.helper.pid()) }

// procs reads the process table, without PID 1 and another process.
func procs(other int) map[int]proc {
	all := map[int]proc{}
	d, err := os.Open("/proc")
	if err != nil {
		return all
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil || pid == 1 || pid == other {
			continue
		}
		if p, ok := readProc(pid); ok {
			all[pid] = p
		}
	}
	return all
}

func readProc(pid int) (proc, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	i := bytes.LastIndexByte(b, ')') // the name before it may hold anything
	if i < 0 {
		return proc{}, false
	}
	f := bytes.Fields(b[i+1:])
	if len(f) < 20 || len(f[0]) != 1 {
		return proc{}, false
	}
	p := proc{procKey: procKey{pid: pid}, state: f[0][0]}
	p.parent, _ = strconv.Atoi(string(f[1]))
	p.session, _ = strconv.Atoi(string(f[3]))
	p.threads, _ = strconv.Atoi(string(f[17]))
	p.start, _ = strconv.ParseUint(string(f[19]), 10, 64)
	return p, true
}

func (p proc) dead() bool  { return p.state == 'Z' || p.state == 'X' }
func (p proc) alive() bool { return !p.dead() }

// procSet is who lives now.
func (s *server) procSet() map[procKey]bool {
	set := map[procKey]bool{}
	for _, p := range s.procs() {
		set[p.procKey] = true
	}
	return set
}

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
func (c *call) place(p proc, all map[int]proc, others map[int]bool) kin {
	for hops := 0; hops < 1<<12; hops++ {
		if c.before[p.procKey] || others[p.pid] || others[p.session] {
			return foreign
		}
		if p.pid == c.pid || p.parent <= 1 {
			return mine
		}
		up, ok := all[p.parent]
		if !ok {
			return unplaced
		}
		p = up
	}
	return unplaced
}

// started gives the living processes that c started; sure is false when
// another look is needed.
func (s *server) started(c *call) (found []proc, sure bool) {
	all := s.procs()
	sessions := s.jobs.sessions() // after the table: whoever is in it is registered
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	others := s.calls.others(c)
	for _, pid := range sessions { // a job begun during the call is not the call's
		others[pid] = true
	}
	sure = true
	for _, p := range all {
		if p.dead() {
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
func (s *server) killCall(c *call) error {
	if s.cfg.TestOnlySparing {
		return unix.Kill(c.pid, unix.SIGKILL)
	}
	deadline := time.Now().Add(patience)
	stopped := map[procKey]bool{}
	for time.Now().Before(deadline) {
		found, sure := s.started(c)
		for _, p := range found {
			if !stopped[p.procKey] {
				stopped[p.procKey], sure = true, false
				_ = unix.Kill(p.pid, unix.SIGSTOP)
			}
		}
		if sure {
			break
		}
	}
	for time.Now().Before(deadline) {
		found, sure := s.started(c)
		if len(found) == 0 && sure {
			return nil
		}
		for _, p := range found {
			_ = unix.Kill(p.pid, unix.SIGKILL)
		}
		time.Sleep(time.Millisecond)
	}
	return s.killAll()
}

// patience is how long processes are looked for one by one.
const patience = 5 * time.Second

// killAll ends every process but the guest, which nothing can outrun: while a
// process has to die it can't start another.
func (s *server) killAll() error {
	for end := time.Now().Add(4 * patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err := unix.Kill(-1, unix.SIGKILL); errors.Is(err, unix.ESRCH) {
			return nil
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(s.procs())), proc.alive) {
			return nil
		}
	}
	return errors.New("killed processes do not end")
}

// leave tells the calls that go on which processes c leaves behind. One that
// left its session as well could be anybody's, and stays theirs to end: what
// must not happen is that something of an ended call runs on.
func (s *server) leave(c *call) {
	if !s.calls.remove(c) {
		return
	}
	all := s.procs()
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	for _, o := range s.calls.running {
		for _, p := range all {
			if p.session == c.pid {
				o.before[p.procKey] = true
			}
		}
	}
}
