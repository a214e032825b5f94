package guest

import (
	"bytes"
	"errors"
	"os"
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
	parent int
	state  byte
}

// procs reads the process table, without the guest itself.
func procs() map[int]proc {
	all := map[int]proc{}
	d, err := os.Open("/proc")
	if err != nil {
		return all
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil || pid == 1 {
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
	p.start, _ = strconv.ParseUint(string(f[19]), 10, 64)
	return p, true
}

func (p proc) dead() bool { return p.state == 'Z' || p.state == 'X' }

// procSet is who lives now.
func procSet() map[procKey]bool {
	set := map[procKey]bool{}
	for _, p := range procs() {
		set[p.procKey] = true
	}
	return set
}

// started gives the living processes that c started, also those that left
// its session or lost their parents: all that came after it, unless they
// descend from something that was there before it or from another call.
func (c *call) started(all map[int]proc, others map[int]bool) []proc {
	var mine []proc
	for _, p := range all {
		if p.dead() || c.before[p.procKey] {
			continue
		}
		foreign := others[p.pid]
		for at, hops := p, 0; !foreign && at.parent > 1 && hops < 1<<12; hops++ {
			up, ok := all[at.parent]
			if !ok {
				break
			}
			foreign = others[up.pid] || c.before[up.procKey]
			at = up
		}
		if !foreign {
			mine = append(mine, p)
		}
	}
	return mine
}

// killCall ends everything that c started. They are stopped first, so that a
// process that keeps forking can't outrun the search.
func (s *server) killCall(c *call) error {
	deadline := time.Now().Add(5 * time.Second)
	stopped := map[procKey]bool{}
	for time.Now().Before(deadline) {
		fresh := false
		for _, p := range c.started(procs(), s.calls.others(c)) {
			if !stopped[p.procKey] {
				stopped[p.procKey], fresh = true, true
				_ = unix.Kill(p.pid, unix.SIGSTOP)
			}
		}
		if !fresh {
			break
		}
	}
	for time.Now().Before(deadline) {
		mine := c.started(procs(), s.calls.others(c))
		if len(mine) == 0 {
			return nil
		}
		for _, p := range mine {
			_ = unix.Kill(p.pid, unix.SIGKILL)
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("processes of a killed command do not end")
}
