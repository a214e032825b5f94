package trees

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/users"
)

// heldOpen is how many levels of directories a removal holds open; deeper
// ones are left and found again through "..".
const heldOpen = 64

// Remove removes a directory that an agent has filled: whatever its
// modes, names and depth are. No process of the agent's lives any more, and
// links are removed, never followed. What belongs to the other users of a world with several is
// removed as their root, where this process is an ordinary user.
func Remove(dir string) error {
	err := remove(dir)
	if !errors.Is(err, fs.ErrPermission) || users.IsRoot() {
		return err
	}
	if span, none := users.Spanned(); none != nil || !foreign(dir, span) {
		return err
	}
	_, err = lent(errand{Remove: dir})
	return err
}

func remove(dir string) error {
	parent, err := unix.Open(filepath.Dir(dir), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing %s: %w", dir, err)
	}
	parent, err = removeAt(parent, filepath.Base(dir), 0)
	if parent >= 0 {
		unix.Close(parent)
	}
	if err != nil {
		return fmt.Errorf("removing %s: %w", dir, err)
	}
	return nil
}

// removeAt removes one name and gives the directory that held it back, open
// (perhaps under another number), or -1.
func removeAt(parent int, name string, depth int) (int, error) {
	err := unix.Unlinkat(parent, name, 0)
	if err == nil || errors.Is(err, unix.ENOENT) {
		return parent, nil
	}
	if unix.Unlinkat(parent, name, unix.AT_REMOVEDIR) == nil {
		return parent, nil
	}
	if !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.EPERM) {
		return parent, err
	}
	child, err := openForRemoval(parent, name)
	if err != nil {
		return parent, err
	}
	if depth >= heldOpen {
		unix.Close(parent)
		parent = -1
	}
	child, err = removeEntries(child, depth)
	if child < 0 {
		return parent, err
	}
	defer unix.Close(child)
	if parent < 0 {
		up, uerr := unix.Openat(child, "..", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if uerr != nil {
			return -1, uerr
		}
		parent = up
	}
	if err != nil {
		return parent, err
	}
	return parent, unix.Unlinkat(parent, name, unix.AT_REMOVEDIR)
}

// openForRemoval opens a directory that its mode may forbid to open.
func openForRemoval(parent int, name string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(parent, name, flags, 0)
	if errors.Is(err, unix.EACCES) {
		var st unix.Stat_t
		if err := unix.Fstatat(parent, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return -1, err
		}
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			return -1, unix.ENOTDIR
		}
		if err := unix.Fchmodat(parent, name, 0o700, 0); err != nil {
			return -1, err
		}
		fd, err = unix.Openat(parent, name, flags, 0)
	}
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Mode&0o700 != 0o700 {
		_ = unix.Fchmod(fd, 0o700)
	}
	return fd, nil
}

func removeEntries(fd, depth int) (int, error) {
	dup, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fd, err
	}
	d := os.NewFile(uintptr(dup), "dir")
	names, err := d.Readdirnames(-1)
	d.Close()
	if err != nil {
		return fd, err
	}
	for _, n := range names {
		var rerr error
		if fd, rerr = removeAt(fd, n, depth+1); fd < 0 {
			return fd, rerr
		}
		err = errors.Join(err, rerr)
	}
	return fd, err
}
