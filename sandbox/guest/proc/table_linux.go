// Package proc reads what the kernel tells about the processes of a world: the
// table of them, and the memory that they hold.
package proc

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
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

	size, resident int64 // bytes that it has mapped, and those in memory; 0 where Thread is another
}

// Table reads the process table, without PID 1 and another process.
func Table(other int) map[int]Process {
	all := map[int]Process{}
	fd, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return all
	}
	defer unix.Close(fd)
	var names []string
	for b := make([]byte, 8<<10); ; {
		n, err := unix.ReadDirent(fd, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		_, _, names = unix.ParseDirent(b[:n], -1, names[:0])
		for _, name := range names {
			pid, err := strconv.Atoi(name)
			if err != nil || pid == 1 || pid == other {
				continue
			}
			if p, ok := Read(pid); ok {
				all[pid] = p
			}
		}
	}
	return all
}

// Read reads the line of one process; false when it has gone.
func Read(pid int) (Process, bool) {
	var all [2 << 10]byte
	b := all[:readShort("/proc/"+strconv.Itoa(pid)+"/stat", all[:])]
	i := bytes.LastIndexByte(b, ')') // the name before it may hold anything
	if i < 0 {
		return Process{}, false
	}
	p := Process{Key: Key{PID: pid}, Thread: pid}
	n, pages := 0, int64(0)
	for f := range bytes.FieldsSeq(b[i+1:]) {
		switch n {
		case 0:
			p.state = f[0]
		case 1:
			p.Parent = int(decimal(f))
		case 3:
			p.Session = int(decimal(f))
		case 17:
			p.Threads = int(decimal(f))
		case 19:
			p.start = uint64(decimal(f))
		case 20:
			p.size = decimal(f)
		case 21:
			pages = decimal(f)
		}
		n++
	}
	if n < 22 {
		return Process{}, false
	}
	p.resident = pages * int64(os.Getpagesize())
	if p.state == 'Z' && p.Threads > 1 {
		p.Thread = living(pid)
	}
	return p, true
}

// readShort reads a file of the kernel's that is given in one piece, with few calls
// of the system: it is done for every process, again and again. It gives how much there was.
func readShort(path string, to []byte) int {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0
		}
		n, err := unix.Read(fd, to)
		unix.Close(fd)
		if err != unix.EINTR {
			return max(0, n)
		}
	}
}

// decimal reads a number of the kernel's; 0 for what is none, and for a negative one.
func decimal(b []byte) (n int64) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int64(c-'0')
	}
	return n
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
