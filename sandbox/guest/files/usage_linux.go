package files

import (
	"crypto/rand"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/guest/proc"
	"cookoff/sandbox/wire"
)

// Usage is what project and home take.
type Usage struct {
	Disk, Files   int64 // bytes and files in them
	Deleted, Free int64 // bytes of files without a name, and bytes that are free
	Hidden        bool  // something could not be looked into
}

// Measure measures with the rights of this process.
func Measure(elsewhere bool) Usage {
	var u Usage
	u.Disk, u.Files, u.Hidden = written(elsewhere)
	u.Deleted, u.Free = deleted(), FreeBytes()
	return u
}

// written measures the directories that take the writes. hidden says that
// there was one that could not be looked into.
func written(elsewhere bool) (sum, files int64, hidden bool) {
	n := wire.Uppers - 1
	if elsewhere {
		n = wire.Uppers
	}
	for i := range n {
		err := walk("/proc/self/fd/"+strconv.Itoa(wire.FirstUpper+i), time.Now().Add(time.Minute),
			func(dir int, _ string, e entry) error {
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

// FreeBytes is the free space where the world's files are.
func FreeBytes() int64 {
	var st unix.Statfs_t
	if unix.Fstatfs(wire.FirstUpper, &st) != nil {
		return 0
	}
	return int64(st.Bfree) * st.Bsize
}

// Full reports whether nothing more can be written where the world's files are: less
// than a megabyte is left there for its user, or no file.
func Full() bool {
	var st unix.Statfs_t
	if unix.Fstatfs(wire.FirstUpper, &st) != nil || st.Blocks == 0 {
		return false
	}
	return int64(st.Bavail)*st.Bsize < 1<<20 || st.Files > 0 && st.Ffree == 0
}

// deleted is the size of files that are open but have no name any more.
func deleted() int64 {
	seen := map[inode]bool{}
	var sum int64
	for _, p := range proc.Table(os.Getpid()) {
		dir := "/proc/" + strconv.Itoa(p.Thread) + "/fd"
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

// HomeTime is what the clock says that HOME's files get their times from, or now
// where it can't be asked: whoever ran here before may have left HOME so that
// nothing can be made in it, and must not keep anybody from running after it.
func HomeTime(now time.Time) time.Time {
	const home = wire.FirstUpper + 1
	name := ".clock-" + rand.Text()
	fd, err := unix.Openat(home, name, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return now
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil {
		now = time.Unix(st.Ctim.Unix())
	}
	_ = unix.Unlinkat(home, name, 0)
	return now
}
