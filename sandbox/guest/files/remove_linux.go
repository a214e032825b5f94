package files

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// removeSpot removes a file, or a directory with all below it. However deep that is, two
// directories are open at a time: what is in one is moved up before it is removed.
func removeSpot(s spot, dir bool) error {
	if !dir {
		return unix.Unlinkat(s.dir, s.name, 0)
	}
	_ = unix.Fchmodat(s.dir, s.name, 0o700, 0)
	top, err := enter(s.dir, s.name, false)
	if err != nil {
		return err
	}
	defer unix.Close(top)
	for moved := 0; ; {
		entries, err := readEntries(top)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return unix.Unlinkat(s.dir, s.name, unix.AT_REMOVEDIR)
		}
		for _, e := range entries {
			if e.Mode.IsDir() {
				err = emptied(top, e.Name, &moved)
			} else {
				err = unix.Unlinkat(top, e.Name, 0)
			}
			if err != nil {
				return err
			}
		}
	}
}

// emptied removes a directory in top; those in it are moved to top. moved counts them.
func emptied(top int, name string, moved *int) error {
	_ = unix.Fchmodat(top, name, 0o700, 0)
	fd, err := enter(top, name, false)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	entries, err := readEntries(fd)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Mode.IsDir() {
			err = moveUp(fd, e.Name, top, moved)
		} else {
			err = unix.Unlinkat(fd, e.Name, 0)
		}
		if err != nil {
			return err
		}
	}
	return unix.Unlinkat(top, name, unix.AT_REMOVEDIR)
}

// moveUp moves a directory to top, under a name that nothing there has; where a file
// system moves none, it is removed where it is.
func moveUp(from int, name string, top int, moved *int) error {
	_ = unix.Fchmodat(from, name, 0o700, 0) // else its .. can't be changed
	for {
		*moved++
		err := unix.Renameat(from, name, top, fmt.Sprintf(".moved-%d", *moved))
		switch {
		case errors.Is(err, unix.EXDEV):
			return removeSpot(spot{dir: from, name: name}, true)
		case errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOTDIR):
			continue // somebody has the name
		}
		return err
	}
}
