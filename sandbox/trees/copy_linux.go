package trees

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func inProc(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

func setTime(fd int, st *unix.Stat_t) error {
	return unix.UtimesNanoAt(unix.AT_FDCWD, inProc(fd), []unix.Timespec{st.Atim, st.Mtim}, 0)
}

// special makes a FIFO or a socket, and reports whether it did.
func (c *Copier) special(dst int, rel string, st *unix.Stat_t) (bool, error) {
	err := unix.Mknodat(dst, filepath.Base(rel), st.Mode&unix.S_IFMT|0o600, 0)
	return err == nil, err
}

// again gives a copy one more name, and reports whether it did.
func (c *Copier) again(first openCopy, dst int, name string) (bool, error) {
	err := unix.Linkat(unix.AT_FDCWD, inProc(first.fd), dst, name, unix.AT_SYMLINK_FOLLOW)
	return err == nil, err
}

// shared makes out a shared copy of in, and reports whether it did.
func shared(in, out int) bool { return unix.IoctlFileClone(out, in) == nil }

// ofUpper are attributes that mean something only where an overlay writes.
var ofUpper = []string{"user.overlay.origin", "user.overlay.impure", "user.overlay.nlink", "user.overlay.upper"}

// plain reports whether a file has no extended attributes.
func plain(fd int) bool {
	n, err := unix.Flistxattr(fd, nil)
	return err == nil && n == 0 || errors.Is(err, unix.ENOTSUP)
}

// attributes copies the extended attributes that a user may set, and with them
// what an overlay keeps in some.
func attributes(in, out int) error {
	names := make([]byte, 64<<10)
	n, err := unix.Flistxattr(in, names)
	if errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(string(names[:n]), "\x00") {
		if !strings.HasPrefix(name, "user.") || slices.Contains(ofUpper, name) {
			continue
		}
		value := make([]byte, 64<<10)
		n, err := unix.Fgetxattr(in, name, value)
		if err == nil {
			err = unix.Fsetxattr(out, name, value[:n], 0)
		}
		if err != nil && !errors.Is(err, unix.ENODATA) {
			return err
		}
	}
	return nil
}

// whiteout makes what an overlay keeps of a removed file.
func whiteout(dir int, name string) error { return unix.Mknodat(dir, name, unix.S_IFCHR, 0) }
