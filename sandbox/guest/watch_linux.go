package guest

import (
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"cookoff/sandbox/wire"

	"golang.org/x/sys/unix"
)

// How often is looked.
const (
	memoryEvery = 25 * time.Millisecond
	diskEvery   = 100 * time.Millisecond
	idleEvery   = 250 * time.Millisecond
)

// usage is what the world uses, as last measured.
type usage struct {
	disk  atomic.Int64 // bytes
	files atomic.Int64

	baseDisk, baseFiles int64 // what was there when the world was opened
	baseFree            int64 // bytes that were free then
}

// watch enforces the limits that the kernel does not: memory of all processes
// together, and the bytes and files written.
func (s *server) watch() {
	nextDisk := time.Now()
	full, over := 0, 0 // how often in a row no process more could be started, or too much memory was shared
	idle, asked := 0, s.asked.Load()
	for {
		calls := s.calls.all()
		wait := idleEvery
		if len(calls) > 0 {
			wait = memoryEvery
		}
		time.Sleep(wait)
		if n := s.asked.Load(); n != asked || len(calls) > 0 {
			idle, asked = 0, n
		} else if idle++; idle == slimLooks {
			slim()
		}
		if len(calls) > 0 {
			s.limitAll()
		}
		s.heed()
		if full++; !s.crowded() {
			full = 0
		} else if full >= crowdedLooks {
			s.thin()
		}
		own, shared := s.memory()
		if over++; own+shared <= s.cfg.Limits.Memory {
			over = 0
		} else if own > s.cfg.Limits.Memory || over >= crowdedLooks {
			s.relieve()
			over = 0
		}
		if now := time.Now(); now.After(nextDisk) {
			s.measure()
			s.enforce("disk", s.used.disk.Load(), s.cfg.Limits.Disk, func(c *call) int64 { return c.disk })
			s.enforce("files", s.used.files.Load(), int64(s.cfg.Limits.Files), func(c *call) int64 { return c.files })
			took := time.Since(now)
			nextDisk = time.Now().Add(max(diskEvery, 10*took)) // a big tree must not keep the guest busy
		}
	}
}

// slimLooks is how many looks in a row must find the guest idle before it gives
// back what it does not need to wait.
const slimLooks = 4

// crowdedLooks is how many looks in a row must find the world full: a program
// may touch the limit and go on.
const crowdedLooks = 3

// heed does what the control group asks for: the kernel has held the world to
// a limit. That it could start no process may be due to one above the world's,
// which is nobody's fault here.
func (s *server) heed() {
	now := s.scope.happened()
	for _, c := range s.calls.all() {
		if now.short > c.happened.short { // what came before it was another's
			c.end("memory")
		}
	}
	if now.full > s.heeded && s.tooMany() {
		s.thin()
	}
	s.heeded = now.full
}

// crowded reports whether there are as many processes and threads as there may
// be. The kernel counts the guest's own, too.
func (s *server) crowded() bool { return !s.cfg.TestOnlyBlind && s.tooMany() }

func (s *server) tooMany() bool {
	n := 0
	if s.helper == nil { // else it is another user's, and counted for itself
		self, _ := readProc(1)
		n = self.threads
	}
	for _, p := range s.procs() {
		n += max(1, p.threads)
	}
	return n >= s.cfg.Limits.Processes
}

// thin ends the running calls; when they are not what fills the world,
// everything in it goes.
func (s *server) thin() {
	calls := s.calls.all()
	for _, c := range calls {
		c.end("processes")
	}
	if len(calls) > 0 && s.settled(calls) && !s.tooMany() {
		return
	}
	for _, p := range s.left(calls) {
		_ = unix.Kill(p.pid, unix.SIGKILL)
	}
}

// left lists the processes that were there before any call that is not one of
// these: one that began since is not to blame.
func (s *server) left(calls []*call) (left []proc) {
	since := slices.DeleteFunc(s.calls.all(), func(c *call) bool { return slices.Contains(calls, c) })
	for _, p := range s.procs() {
		if !slices.ContainsFunc(since, func(c *call) bool { return !c.before[p.procKey] }) {
			left = append(left, p)
		}
	}
	return left
}

// relieve ends the running calls; when they are not what holds the memory,
// the biggest process goes.
func (s *server) relieve() {
	calls := s.calls.all()
	for _, c := range calls {
		c.end("memory")
	}
	if len(calls) > 0 && s.settled(calls) {
		forgetLeft()
		s.keptUntil = time.Time{}
		if own, shared := s.memory(); own+shared <= s.cfg.Limits.Memory {
			return
		}
	}
	biggest, most := 0, int64(0)
	for _, p := range s.left(calls) {
		if r := pagesOf(p.pid); r.own+r.shared > most {
			biggest, most = p.pid, r.own+r.shared
		}
	}
	if biggest <= 1 {
		forget() // nobody holds it
		return
	}
	_ = unix.Kill(biggest, unix.SIGKILL)
}

// settled waits until the calls, told to end, are over.
func (s *server) settled(calls []*call) bool {
	for range 200 {
		if !s.calls.any(calls) {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// room reports whether n more bytes may be written. The last measurement may
// be of files that are gone by now.
func (s *server) room(n int64) bool {
	if n+s.used.disk.Load() > s.cfg.Limits.Disk {
		s.measure()
	}
	return n+s.used.disk.Load() <= s.cfg.Limits.Disk
}

// measure finds out what was written.
func (s *server) measure() {
	u, err := s.look()
	if err != nil {
		return // the next look tells
	}
	sum := u.Disk + u.Deleted
	if u.Hidden { // what lies in an unreadable directory shows in what is no longer free
		sum = max(sum, s.used.baseFree-u.Free+s.used.baseDisk)
	}
	s.used.disk.Store(max(0, sum-s.used.baseDisk))
	s.used.files.Store(max(0, u.Files-s.used.baseFiles))
}

// Usage is what project and home take.
type Usage struct {
	Disk, Files   int64 // bytes and files in them
	Deleted, Free int64 // bytes of files without a name, and bytes that are free
	Hidden        bool  // something could not be looked into
}

func (s *server) ownLook() Usage {
	var u Usage
	u.Disk, u.Files, u.Hidden = s.written()
	u.Deleted, u.Free = deleted(), freeBytes()
	return u
}

// look looks with the agent's rights.
func (s *server) look() (Usage, error) {
	if s.helper == nil {
		return s.ownLook(), nil
	}
	return askFor[Usage](s.helper, wire.OpUsage, nil)
}

// written measures the directories that take the writes. hidden says that
// there was one that could not be looked into.
func (s *server) written() (sum, files int64, hidden bool) {
	n := wire.Uppers - 1
	if s.cfg.Elsewhere {
		n = wire.Uppers
	}
	for i := range n {
		err := walk("/proc/self/fd/"+strconv.Itoa(wire.FirstUpper+i), time.Now().Add(time.Minute), func(dir int, _ string, e entry) error {
			var st unix.Stat_t
			if unix.Fstatat(dir, e.Name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
				sum += st.Blocks * 512
			}
			files++
			hidden = hidden || e.Mode.IsDir() && hides(dir, e, st.Uid)
			return nil
		})
		hidden = hidden || err != nil
	}
	return sum, files, hidden
}

// hides reports whether something can be written to a directory that can't be
// looked into.
func hides(dir int, e entry, owner uint32) bool {
	if int(owner) == os.Geteuid() {
		return e.Mode&0o500 != 0o500
	}
	may := func(what uint32) bool { return unix.Faccessat(dir, e.Name, what, unix.AT_EACCESS) == nil }
	return may(unix.X_OK) && !may(unix.R_OK)
}

// enforce ends the calls that are above a limit and made it worse: one that
// cleans up may go on.
func (s *server) enforce(reason string, used, limit int64, before func(*call) int64) {
	if used <= limit {
		return
	}
	calls := s.calls.all()
	for _, c := range calls {
		if used > before(c) {
			c.end(reason)
		}
	}
	if len(calls) > 0 {
		return
	}
	for _, p := range s.left(nil) { // something left running fills the disk
		_ = unix.Kill(p.pid, unix.SIGKILL)
	}
}

// freeBytes is the free space where the world's files are.
func freeBytes() int64 {
	var st unix.Statfs_t
	if unix.Fstatfs(wire.FirstUpper, &st) != nil {
		return 0
	}
	return int64(st.Bfree) * st.Bsize
}

// deleted is the size of files that are open but have no name any more.
func deleted() int64 {
	seen := map[inode]bool{}
	var sum int64
	for pid := range procs(os.Getpid()) {
		dir := "/proc/" + strconv.Itoa(pid) + "/fd"
		d, err := os.Open(dir)
		if err != nil {
			continue
		}
		names, _ := d.Readdirnames(-1)
		d.Close()
		for _, n := range names {
			var st unix.Stat_t
			if unix.Stat(dir+"/"+n, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink > 0 {
				continue
			}
			if i := (inode{uint64(st.Dev), st.Ino}); !seen[i] {
				seen[i] = true
				sum += st.Blocks * 512
			}
		}
	}
	return sum
}
