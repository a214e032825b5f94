package native

import (
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

func inProc(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

func setTime(fd int, st *unix.Stat_t) error {
	return unix.UtimesNanoAt(unix.AT_FDCWD, inProc(fd), []unix.Timespec{st.Atim, st.Mtim}, 0)
}

// special makes a FIFO or a socket, and reports whether it did.
func (c *treeCopier) special(dst int, rel string, st *unix.Stat_t) (bool, error) {
	err := unix.Mknodat(dst, filepath.Base(rel), st.Mode&unix.S_IFMT|0o600, 0)
	return err == nil, err
}

// again gives a copy one more name, and reports whether it did.
func (c *treeCopier) again(first copied, dst int, name string) (bool, error) {
	err := unix.Linkat(unix.AT_FDCWD, inProc(first.fd), dst, name, unix.AT_SYMLINK_FOLLOW)
	return err == nil, err
}

// shared makes out a shared copy of in, and reports whether it did.
func shared(in, out int) bool { return unix.IoctlFileClone(out, in) == nil }
