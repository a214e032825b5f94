package files

import (
	"errors"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// mostLinks is how many links one path may lead through, as in the kernel.
const mostLinks = 40

// openat2 opens the absolute path p as how says, and follows no magic link on
// the way. A kernel without that call (gVisor's) is asked name by name.
func openat2(p string, how *unix.OpenHow) (int, error) {
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, p, how)
		switch {
		case err == unix.EINTR, err == unix.EAGAIN:
		case errors.Is(err, unix.ENOSYS):
			return stepwise(p, how)
		default:
			return fd, err
		}
	}
}

// stepwise is openat2 for an O_PATH or a new file, name by name: the links on
// the way are read and followed here. Those in /proc, which may be magic, are
// refused.
func stepwise(p string, how *unix.OpenHow) (int, error) {
	at, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer func() { unix.Close(at) }()
	ahead, links := steps(p), 0
	for {
		name := ahead[0]
		ahead = ahead[1:]
		if len(ahead) == 0 && how.Flags&unix.O_CREAT != 0 {
			return unix.Openat(at, name, int(how.Flags)|unix.O_NOFOLLOW, uint32(how.Mode))
		}
		next, mode, err := step(at, name)
		if err != nil {
			return -1, err
		}
		if mode != unix.S_IFLNK {
			if len(ahead) > 0 {
				unix.Close(at)
				at = next
				continue
			}
			if how.Flags&unix.O_DIRECTORY != 0 && mode != unix.S_IFDIR {
				unix.Close(next)
				return -1, unix.ENOTDIR
			}
			return next, nil
		}
		target, err := linkTarget(next, at, name)
		unix.Close(next)
		if links++; err == nil && links > mostLinks {
			err = unix.ELOOP
		}
		if err != nil {
			return -1, err
		}
		ahead = append(steps(target), ahead...)
		if path.IsAbs(target) {
			root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			if err != nil {
				return -1, err
			}
			unix.Close(at)
			at = root
		}
	}
}

// steps are the names of a path. One that ends with a slash ends with ".",
// which only a directory has.
func steps(p string) []string {
	var names []string
	for n := range strings.SplitSeq(p, "/") {
		if n != "" {
			names = append(names, n)
		}
	}
	if strings.HasSuffix(p, "/") || len(names) == 0 {
		names = append(names, ".")
	}
	return names
}

// step looks one name up, and gives its type.
func step(at int, name string) (fd int, mode uint32, err error) {
	fd, err = unix.Openat(at, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, 0, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return -1, 0, err
	}
	return fd, st.Mode & unix.S_IFMT, nil
}

// linkTarget reads the link fd, which is name in at.
func linkTarget(fd, at int, name string) (string, error) {
	var on unix.Statfs_t
	if err := unix.Fstatfs(fd, &on); err != nil {
		return "", err
	}
	if on.Type == unix.PROC_SUPER_MAGIC {
		return "", unix.ELOOP
	}
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(at, name, buf)
	if err == nil && n == 0 {
		err = unix.ENOENT
	}
	return string(buf[:n]), err
}
