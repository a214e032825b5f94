package guest

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"

	"cookoff/sandbox/wire"

	"golang.org/x/sys/unix"
)

// scope is what the kernel counts in the control group that the world is in.
// The guest is in it as well. A nil scope is none.
type scope struct {
	stat, events, pids counters
	current            func() int64 // all that is held; a moment ahead of stat
}

// counters reads one of the files.
type counters func() map[string]int64

func newScope() *scope {
	file := func(fd int) counters { return func() map[string]int64 { return parseCounters(readFD(fd)) } }
	return &scope{file(wire.FirstScope), file(wire.FirstScope + 1), file(wire.FirstScope + 2), func() int64 { return parseTotal(readFD(wire.FirstScope + 3)) }}
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

// parseTotal reads a file of one number; one that can't be read bounds nothing.
func parseTotal(b []byte) int64 {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return n
}

// parseCounters reads lines of a name and a number.
func parseCounters(b []byte) map[string]int64 {
	all := map[string]int64{}
	for line := range bytes.Lines(b) {
		name, value, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
		if n, err := strconv.ParseInt(string(value), 10, 64); ok && err == nil {
			all[string(name)] = n
		}
	}
	return all
}

// events is how often something happened in the world so far.
type events struct {
	short int64 // its own memory limit was reached, and something had to end
	ended int64 // a process was ended for want of memory: the world's or the machine's
	full  int64 // no process more could be started
}

// happened counts. Without a control group nothing is ever seen to happen.
func (s *scope) happened() (e events) {
	if s == nil {
		return e
	}
	m := s.events()
	return events{short: m["oom"], ended: m["oom_kill"], full: s.pids()["max"]}
}

// memory is what the programs of the world hold, and how much of it is shared
// memory: of several processes together, or of none. What is in a tmpfs, now
// or a moment ago, has a limit of its own.
func (s *scope) memory(inTmpfs func() int64) (own, shared int64) {
	before := inTmpfs()
	m, all := s.stat(), s.current()
	after := inTmpfs()
	all = max(0, all-min(before, after))
	shared = min(all, max(0, m["shmem"]-max(before, after)))
	return min(all, max(0, m["anon"]-pagesOf(os.Getpid()).own)), shared
}

// inScratch is what lies in the world's directories that are kept in memory.
func inScratch() (sum int64) {
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

// score is the guest's own oom_score_adj: whoever is ended first when memory
// is short. What the guest starts is, and never the guest: without it the world
// ends.
type score struct{ own []byte }

// firstToEnd is the highest that there is.
const firstToEnd = "1000"

func newScore() score {
	b := make([]byte, 16)
	n, _ := unix.Pread(wire.OOMScoreFD, b, 0)
	return score{bytes.TrimSpace(b[:max(0, n)])}
}

// wear has the guest wear the score of what it starts while it starts it: that
// is inherited, and what it was at first may always be gone back to.
func (s score) wear() (back func()) {
	if len(s.own) == 0 {
		return func() {}
	}
	_, _ = unix.Pwrite(wire.OOMScoreFD, []byte(firstToEnd), 0)
	return func() { _, _ = unix.Pwrite(wire.OOMScoreFD, s.own, 0) }
}

// forgetLeft removes the System V segments that no process has any more.
func forgetLeft() {
	for _, f := range sysvipc("shm") {
		if len(f) > 6 && f[6] == "0" {
			remove(unix.SYS_SHMCTL, f, unix.IPC_RMID, 0)
		}
	}
}

// forget removes all System V segments, message queues and semaphores of the
// world, which outlive the processes that made them.
func forget() {
	for _, f := range sysvipc("shm") {
		remove(unix.SYS_SHMCTL, f, unix.IPC_RMID, 0)
	}
	for _, f := range sysvipc("msg") {
		remove(unix.SYS_MSGCTL, f, unix.IPC_RMID, 0)
	}
	for _, f := range sysvipc("sem") {
		remove(unix.SYS_SEMCTL, f, 0, unix.IPC_RMID) // the number of a semaphore comes between
	}
}

func remove(call uintptr, line []string, args ...uintptr) {
	if id, err := strconv.Atoi(line[1]); err == nil { // else it is the heading
		_, _, _ = unix.Syscall(call, uintptr(id), args[0], args[1])
	}
}

// sysvipc lists the System V objects of a kind, after a heading: the second
// field is the number.
func sysvipc(kind string) (lines [][]string) {
	b, _ := os.ReadFile("/proc/sysvipc/" + kind)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 {
			lines = append(lines, f)
		}
	}
	return lines
}
