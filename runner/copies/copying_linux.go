package copies

import (
	"context"
	"cookoff/sandbox/trees"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// copying brings a copy up to what was looked at.
type copying struct {
	ctx      context.Context
	look     *look
	src, dst string
	unshared bool // the file system shares no blocks
	buf      []byte
	in, out  dirs
}

// dirs is a directory that is held open, since what follows mostly lies in it.
type dirs struct {
	root, rel string
	fd        int
	open      bool
}

// at opens the directory of a path below root.
func (d *dirs) at(rel string) (int, error) {
	if d.open && d.rel == rel {
		return d.fd, nil
	}
	d.close()
	fd, err := unix.Open(filepath.Join(d.root, rel), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: filepath.Join(d.root, rel), Err: err}
	}
	d.rel, d.fd, d.open = rel, fd, true
	return fd, nil
}

func (d *dirs) close() {
	if d.open {
		unix.Close(d.fd)
		d.open = false
	}
}

// all removes what is gone, copies what is stale, and gives directories their modes
// and times, which their files change.
func (c *copying) all() error {
	c.buf = make([]byte, 256<<10)
	c.in.root, c.out.root = c.src, c.dst
	defer c.in.close()
	defer c.out.close()
	if err := os.Mkdir(c.dst, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := os.Chmod(c.dst, 0o755); err != nil { // whatever the umask is
		return err
	}
	if err := c.clear(); err != nil {
		return err
	}
	for _, i := range c.look.stale {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := c.one(&c.look.found[i]); err != nil {
			return err
		}
	}
	if len(c.look.unreadable) > 0 {
		return &UnreadableError{c.look.unreadable}
	}
	return c.finish()
}

// clear removes from a copy that is kept what is gone, and what has become something
// else. Directories on the way are opened: their modes come last.
func (c *copying) clear() error {
	if !c.look.whole {
		return nil
	}
	root, err := os.OpenRoot(c.dst) // what was a link may still be one
	if err != nil {
		return err
	}
	defer root.Close()
	for i := range c.look.found {
		if e := &c.look.found[i]; e.Source.kind() == unix.S_IFDIR && e.Source.Mode&0o700 != 0o700 {
			_ = root.Chmod(e.Path, 0o700) // else what lies in it can't be changed; finish takes it back
		}
	}
	for _, gone := range c.look.gone() {
		if err := trees.Remove(filepath.Join(c.dst, gone)); err != nil {
			return err
		}
	}
	for _, i := range c.look.stale {
		e := &c.look.found[i]
		at := filepath.Join(c.dst, e.Path)
		if st, err := os.Lstat(at); err == nil && !(st.IsDir() && e.Source.kind() == unix.S_IFDIR) {
			if err := trees.Remove(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// one copies what is stale.
func (c *copying) one(e *entry) error {
	rel, name := path.Dir(e.Path), path.Base(e.Path)
	in, err := c.in.at(rel)
	if err != nil {
		return err
	}
	out, err := c.out.at(rel)
	if err != nil {
		return err
	}
	switch e.Source.kind() {
	case unix.S_IFDIR:
		if err = unix.Mkdirat(out, name, 0o700); errors.Is(err, unix.EEXIST) {
			err = unix.Fchmodat(out, name, 0o700, 0)
		}
	case unix.S_IFLNK:
		e.Sure = false
		if e.Link, err = readLink(in, name); err == nil {
			err = unix.Symlinkat(e.Link, out, name)
		}
		if err == nil {
			e.Copy, err = lstat(out, name)
		}
	default:
		return c.file(in, out, name, e)
	}
	if err != nil {
		return &os.PathError{Op: "copying", Path: e.Path, Err: err}
	}
	return nil
}

func lstat(dir int, name string) (seen, error) {
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return seenOf(&st), err
}

// file copies a regular file with its mode and its time. What is changed meanwhile is
// copied as it was found, and looked at again the next time.
func (c *copying) file(in, out int, name string, e *entry) error {
	from, err := unix.Openat(in, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) {
		c.look.unreadable = append(c.look.unreadable, filepath.FromSlash(e.Path))
		return nil
	}
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ELOOP) { // it went away, or is another by now
		e.Source, e.Copy = seen{}, seen{}
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: e.Path, Err: err}
	}
	defer unix.Close(from)
	to, err := unix.Openat(out, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return &os.PathError{Op: "create", Path: e.Path, Err: err}
	}
	defer unix.Close(to)
	var first, last unix.Stat_t
	err = unix.Fstat(from, &first)
	if err == nil {
		err = c.content(from, to, first.Size)
	}
	if err == nil {
		err = unix.Fstat(from, &last)
	}
	if err == nil {
		err = unix.Fchmod(to, last.Mode&0o777)
	}
	if err == nil {
		err = unix.UtimesNanoAt(out, name, []unix.Timespec{last.Mtim, last.Mtim}, unix.AT_SYMLINK_NOFOLLOW)
	}
	var st unix.Stat_t
	if err == nil {
		err = unix.Fstat(to, &st)
	}
	if err != nil {
		return &os.PathError{Op: "copying", Path: e.Path, Err: err}
	}
	e.Copy, e.Sure = seenOf(&st), false
	if seenOf(&first) != e.Source || seenOf(&last) != e.Source {
		e.Source = seen{} // nothing that a file is
	}
	return nil
}

// content copies the bytes of a file, as shared blocks where the file system can.
func (c *copying) content(from, to int, size int64) error {
	if size == 0 {
		return nil
	}
	if !c.unshared {
		err := unix.IoctlFileClone(to, from)
		if err == nil {
			return nil
		}
		c.unshared = true
	}
	for {
		n, err := unix.Read(from, c.buf)
		if err != nil || n == 0 {
			return err
		}
		for done := 0; done < n; {
			m, err := unix.Write(to, c.buf[done:n])
			if err != nil {
				return err
			}
			done += m
		}
		if int64(n) == size && n < len(c.buf) { // the usual small file
			return nil
		}
	}
}

// finish gives directories what they have in the project, and takes down what they
// are then.
func (c *copying) finish() error {
	c.out.close()
	for i := len(c.look.found) - 1; i >= 0; i-- {
		e := &c.look.found[i]
		if e.Source.kind() != unix.S_IFDIR {
			continue
		}
		at := filepath.Join(c.dst, e.Path)
		when := unix.NsecToTimespec(e.Source.Mtime)
		err := unix.Chmod(at, e.Source.Mode&0o777)
		if err == nil {
			err = unix.UtimesNanoAt(unix.AT_FDCWD, at, []unix.Timespec{when, when}, unix.AT_SYMLINK_NOFOLLOW)
		}
		if err == nil {
			e.Copy, err = lstat(unix.AT_FDCWD, at)
		}
		if err != nil {
			return &os.PathError{Op: "copying", Path: e.Path, Err: err}
		}
	}
	return nil
}
