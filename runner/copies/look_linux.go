package copies

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tick is how far apart two changes of a file must be for its times to differ, on the
// coarsest file system.
const tick = 2 * time.Second

// look compares a project with what its copy was made of.
type look struct {
	ctx    context.Context
	skip   Skip
	before map[string]*entry
	whole  bool // the copy is as its index says, as far as has been seen

	found      []entry // of the project, parents first
	stale      []int   // of those found: not, or no longer, in the copy
	size       int64
	unreadable []string
}

// at looks at a project and at its copy.
func (l *look) at(src, dst string) error {
	in, err := unix.Open(src, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: src, Err: err}
	}
	defer unix.Close(in)
	out, err := unix.Open(dst, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		out, l.whole = -1, false
	} else {
		defer unix.Close(out)
	}
	if err := l.dir(in, out, ""); err != nil {
		return err
	}
	if !l.whole { // somebody else changed the copy, or it was never finished
		l.stale = l.stale[:0]
		for i := range l.found {
			l.stale = append(l.stale, i)
		}
	}
	return nil
}

// changed reports whether the copy is not what the project is.
func (l *look) changed() bool { return !l.whole || len(l.stale) > 0 || len(l.gone()) > 0 }

// gone gives what the copy has and the project has not, children first.
func (l *look) gone() []string {
	if len(l.before) == 0 {
		return nil
	}
	out := make([]string, 0, len(l.before))
	for path := range l.before {
		out = append(out, path)
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// dir looks at a directory, and at its copy: -1 where there is none.
func (l *look) dir(in, out int, rel string) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	names, err := namesIn(in)
	if err != nil {
		return &os.PathError{Op: "read", Path: rel, Err: err}
	}
	for _, name := range names {
		at := name
		if rel != "" {
			at = rel + "/" + name
		}
		var st unix.Stat_t
		if err := unix.Fstatat(in, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			if errors.Is(err, unix.ENOENT) {
				continue // it went away
			}
			return &os.PathError{Op: "lstat", Path: at, Err: err}
		}
		kind := st.Mode & unix.S_IFMT
		if at == ".cookoff" || l.skip(at, kind == unix.S_IFDIR) {
			continue
		}
		switch kind {
		case unix.S_IFDIR, unix.S_IFREG, unix.S_IFLNK:
		default:
			continue // nothing that a project has
		}
		if err := l.one(in, out, name, entry{Path: at, Source: seenOf(&st)}); err != nil {
			return err
		}
	}
	return nil
}

func namesIn(fd int) ([]string, error) {
	dup, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	d := os.NewFile(uintptr(dup), "dir")
	defer d.Close()
	names, err := d.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// one looks at one file, and below it.
func (l *look) one(in, out int, name string, e entry) error {
	was := l.before[e.Path]
	delete(l.before, e.Path)
	fresh := was != nil && was.Copy != (seen{}) && was.Source == e.Source && l.untouched(out, name, was)
	if e.Source.kind() != unix.S_IFDIR {
		if fresh {
			e.Copy, e.Link, e.Sure = was.Copy, was.Link, was.Sure
			if !e.Sure {
				fresh = l.equal(in, out, name, &e)
			}
		}
		if e.Source.kind() == unix.S_IFREG {
			l.size += e.Source.Size
		}
		l.add(e, fresh)
		return nil
	}
	if fresh {
		e.Copy, e.Sure = was.Copy, true
	}
	child, err := unix.Openat(in, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) {
		l.unreadable = append(l.unreadable, filepath.FromSlash(e.Path))
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: e.Path, Err: err}
	}
	defer unix.Close(child)
	l.add(e, fresh)
	copied := -1
	if out >= 0 {
		if copied, err = unix.Openat(out, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC,
			0); err != nil {
			copied = -1
		} else {
			defer unix.Close(copied)
		}
	}
	return l.dir(child, copied, e.Path)
}

func (l *look) add(e entry, fresh bool) {
	l.found = append(l.found, e)
	if !fresh {
		l.stale = append(l.stale, len(l.found)-1)
	}
}

// untouched reports whether nobody changed a file's copy. If one did, nothing of the
// copy is believed.
func (l *look) untouched(out int, name string, was *entry) bool {
	var st unix.Stat_t
	if out < 0 || unix.Fstatat(out, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil || seenOf(&st) != was.Copy {
		l.whole = false
		return false
	}
	return true
}

// equal reports whether a file is still what its copy is, by reading both.
func (l *look) equal(in, out int, name string, e *entry) bool {
	if e.Source.kind() == unix.S_IFLNK {
		link, err := readLink(in, name)
		return err == nil && link == e.Link
	}
	a, b := opened(in, name), opened(out, name)
	if a != nil {
		defer a.Close()
	}
	if b != nil {
		defer b.Close()
	}
	return a != nil && b != nil && sameBytes(a, b)
}

// opened opens a regular file, nil where it can't.
func opened(dir int, name string) *os.File {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), name)
}

func sameBytes(a, b io.Reader) bool {
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(a, x)
		m, err2 := io.ReadFull(b, y)
		if n != m || !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if err != nil || err2 != nil {
			return ended(err) && ended(err2)
		}
	}
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

func readLink(dir int, name string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(dir, name, buf)
	if err != nil {
		return "", err
	}
	return strings.Clone(string(buf[:n])), nil
}

// settle notes which files can't have been changed unseen by now: those whose last
// change lies a tick before the look began. It reports whether there are new ones.
func (l *look) settle(now time.Time) (more bool) {
	before := now.Add(-tick).UnixNano()
	for i := range l.found {
		e := &l.found[i]
		if !e.Sure && e.Copy != (seen{}) && e.Source != (seen{}) && e.Source.Ctime < before && e.Source.Mtime < before {
			e.Sure, more = true, true
		}
	}
	return more
}
