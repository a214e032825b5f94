// Package proc reads what the kernel tells about the processes of a world: the
// table of them, and the memory that they hold.
package proc

import (
	"bytes"
	"os"
	"strconv"
)

// Key names a process for good: a PID may be used again.
type Key struct {
	PID   int
	start uint64
}

// Process is a line of the process table.
type Process struct {
	Key
	Parent  int
	Session int
	state   byte
	Threads int
	// Thread is one that lives, PID as a rule: where the first has ended and others go on,
	// the kernel shows memory and descriptors only by theirs.
	Thread int
}

// Table reads the process table, without PID 1 and another process.
func Table(other int) map[int]Process {
	all := map[int]Process{}
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
		if p, ok := Read(pid); ok {
			all[pid] = p
		}
	}
	return all
}

// Read reads the line of one process; false when it has gone.
func Read(pid int) (Process, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Process{}, false
	}
	i := bytes.LastIndexByte(b, ')') // the name before it may hold anything
	if i < 0 {
		return Process{}, false
	}
	f := bytes.Fields(b[i+1:])
	if len(f) < 20 || len(f[0]) != 1 {
		return Process{}, false
	}
	p := Process{Key: Key{PID: pid}, state: f[0][0]}
	p.Parent, _ = strconv.Atoi(string(f[1]))
	p.Session, _ = strconv.Atoi(string(f[3]))
	p.Threads, _ = strconv.Atoi(string(f[17]))
	p.start, _ = strconv.ParseUint(string(f[19]), 10, 64)
	if p.Thread = pid; p.state == 'Z' && p.Threads > 1 {
		p.Thread = living(pid)
	}
	return p, true
}

// living gives a thread of a process that has not ended, the process itself where none is
// found.
func living(pid int) int {
	d, err := os.Open("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		return pid
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, n := range names {
		tid, err := strconv.Atoi(n)
		if err != nil || tid == pid {
			continue
		}
		if st, ok := sizesOf(tid); ok && st.size > 0 {
			return tid
		}
	}
	return pid
}

// Dead reports whether a process has ended, and is only not waited for yet. One whose
// first thread has ended looks the same, but for the others that go on.
func (p Process) Dead() bool { return p.state == 'Z' && p.Threads <= 1 || p.state == 'X' }

// Alive is the opposite of Dead.
func (p Process) Alive() bool { return !p.Dead() }
