package proc

import (
	"bytes"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/wire"
)

// Scope is what the kernel counts in the control group that the world is in.
// The guest is in it as well. A nil scope is none.
type Scope struct {
	Stat, Events, Pids func() map[string]int64
	Current            func() int64 // all that is held, in bytes; a moment ahead of Stat
}

// OpenScope reads what the set-up has handed down.
func OpenScope() *Scope {
	file := func(fd int) func() map[string]int64 {
		return func() map[string]int64 { return ParseCounters(readFD(fd)) }
	}
	return &Scope{file(wire.FirstScope), file(wire.FirstScope + 1), file(wire.FirstScope + 2),
		func() int64 { return ParseTotal(readFD(wire.FirstScope + 3)) }}
}

// readFD reads a file of a control group. Every read from the start gives it
// anew.
func readFD(fd int) []byte {
	b := make([]byte, 8<<10)
	n, err := unix.Pread(fd, b, 0)
	if err != nil {
		return nil
	}
	return b[:n]
}

// ParseTotal reads a file of one number; one that can't be read bounds nothing.
func ParseTotal(b []byte) int64 {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return n
}

// ParseCounters reads lines of a name and a number.
func ParseCounters(b []byte) map[string]int64 {
	all := map[string]int64{}
	for line := range bytes.Lines(b) {
		name, value, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
		if n, err := strconv.ParseInt(string(value), 10, 64); ok && err == nil {
			all[string(name)] = n
		}
	}
	return all
}

// Counted is how often something happened in the world so far.
type Counted struct {
	Short int64 // its own memory limit was reached, and something had to end
	Ended int64 // a process was ended for want of memory: the world's or the machine's
	Full  int64 // no process more could be started
}

// Happened counts. Without a control group nothing is ever seen to happen.
func (s *Scope) Happened() (e Counted) {
	if s == nil {
		return e
	}
	m := s.Events()
	return Counted{Short: m["oom"], Ended: m["oom_kill"], Full: s.Pids()["max"]}
}

// Memory is what the programs of the world hold, and how much of it is shared
// memory: of several processes together, or of none. What is in a tmpfs, now
// or a moment ago, has a limit of its own.
func (s *Scope) Memory(inTmpfs func() int64) (own, shared int64) {
	before := inTmpfs()
	m, all := s.Stat(), s.Current()
	after := inTmpfs()
	all = max(0, all-min(before, after))
	shared = min(all, max(0, m["shmem"]-max(before, after)))
	return min(all, max(0, m["anon"]-PagesOf(os.Getpid()).Own)), shared
}

// InScratch is what lies in the world's directories that are kept in memory.
func InScratch() (sum int64) {
	seen := map[unix.Fsid]bool{}
	for _, dir := range []string{"/tmp", "/var/tmp", "/run", "/dev/shm"} {
		var st unix.Statfs_t
		if unix.Statfs(dir, &st) == nil && st.Type == unix.TMPFS_MAGIC && !seen[st.Fsid] {
			seen[st.Fsid] = true
			sum += int64(st.Blocks-st.Bfree) * st.Bsize
		}
	}
	return sum
}
