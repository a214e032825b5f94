// Package trees copies and removes trees of files that an agent may have made, and
// reads what is mounted where. It follows no link in them.
package trees

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// linksHeld bounds how many files with several names are kept open, so that
// their copies have several names too; further ones become files of their own.
const linksHeld = 256

// Copier copies a tree that an agent may have made, whatever its modes,
// names and depth are. No process that could change it lives; links are openCopy
// and never followed, and holes stay holes.
type Copier struct {
	UID, GID int                    // owner of the copy; -1: whoever copies
	Skip     func(rel string) bool  // left out, with what is below
	Leave    []string               // the same, by name
	Live     bool                   // processes may change the tree: what goes away is left out
	Layer    bool                   // it is a layer of an overlay, and so is the copy
	Take     bool                   // nobody needs the tree any more: where that does, files are moved, not copied
	Several  bool                   // files belong to several users, and the copies do, unless UID and GID say whose
	to       string                 // where the copy is
	links    map[[2]uint64]openCopy // of files with several names
}

// openCopy is an open copy, and its place in the tree.
type openCopy struct {
	fd  int
	rel string
}

// pair is a directory and its copy, both open.
type pair struct{ src, dst int }

func (p pair) close() {
	unix.Close(p.src)
	unix.Close(p.dst)
}

// Copy copies what is in src into dst, which is there and empty.
func (c *Copier) Copy(src, dst string) error {
	if c.Several {
		if ok, err := c.lend(src, dst, false); ok || err != nil {
			return err
		}
	}
	return c.copy(src, dst)
}

// lend has the copy made by who may read all of it.
func (c *Copier) lend(src, dst string, whole bool) (bool, error) {
	return lent(errand{Copy: &copyErrand{Src: src, Dst: dst, UID: c.UID, GID: c.GID, Live: c.Live, Layer: c.Layer,
		Take: c.Take, Whole: whole, Leave: c.Leave}})
}

// owner is whose the copy of a file is.
func (c *Copier) owner(st *unix.Stat_t) (uid, gid int) {
	if c.Several && c.UID < 0 {
		return int(st.Uid), int(st.Gid)
	}
	return c.UID, c.GID
}

func (c *Copier) copy(src, dst string) error {
	c.to, c.links = dst, map[[2]uint64]openCopy{}
	defer func() {
		for _, f := range c.links {
			unix.Close(f.fd)
		}
	}()
	in, err := openForRemoval(unix.AT_FDCWD, src)
	if err != nil {
		return fmt.Errorf("copying %s: %w", filepath.Base(src), err)
	}
	out, err := unix.Open(dst, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		unix.Close(in)
		return fmt.Errorf("copying %s: %w", filepath.Base(src), err)
	}
	p, err := c.entries(pair{in, out}, "", 0)
	p.close()
	return err
}

// CopyRoot is Copy, and dst gets the mode and the attributes of src; with Several, its owner, too.
func (c *Copier) CopyRoot(src, dst string) error {
	if c.Several {
		if ok, err := c.lend(src, dst, true); ok || err != nil {
			return err
		}
	}
	return c.copyRoot(src, dst)
}

func (c *Copier) copyRoot(src, dst string) error {
	var st unix.Stat_t
	if err := unix.Lstat(src, &st); err != nil {
		return fmt.Errorf("copying %s: %w", filepath.Base(src), err)
	}
	if err := c.copy(src, dst); err != nil {
		return err
	}
	in, err := openForRemoval(unix.AT_FDCWD, src)
	if err != nil {
		return fmt.Errorf("copying %s: %w", filepath.Base(src), err)
	}
	defer unix.Close(in)
	out, err := openForRemoval(unix.AT_FDCWD, dst)
	if err != nil {
		return fmt.Errorf("copying %s: %w", filepath.Base(src), err)
	}
	defer unix.Close(out)
	if c.Layer {
		if err := attributes(in, out); err != nil {
			return err
		}
	}
	_ = unix.Fchmod(in, mode(&st)) // as it was before it was opened
	if c.Several {
		uid, gid := c.owner(&st)
		if err := unix.Fchown(out, uid, gid); err != nil {
			return err
		}
	}
	if err := unix.Fchmod(out, mode(&st)); err != nil {
		return err
	}
	return setTime(out, &st)
}

// entries copies what is in a directory, and gives the pair back, perhaps
// opened again.
func (c *Copier) entries(p pair, rel string, depth int) (pair, error) {
	dup, err := unix.Openat(p.src, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return p, err
	}
	d := os.NewFile(uintptr(dup), "dir")
	names, err := d.Readdirnames(-1)
	d.Close()
	if err != nil {
		return p, err
	}
	for _, n := range names {
		at := filepath.Join(rel, n)
		if c.Skip != nil && c.Skip(at) || slices.Contains(c.Leave, at) {
			continue
		}
		if p, err = c.entry(p, n, at, depth); err != nil && !c.vanished(err) {
			return p, fmt.Errorf("copying %.200q: %w", at, err)
		}
	}
	return p, nil
}

// vanished reports whether err may come of a process that lives: what was
// listed is gone or is something else by now.
func (c *Copier) vanished(err error) bool {
	return c.Live && (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) ||
		errors.Is(err, unix.ENXIO))
}

func (c *Copier) entry(p pair, name, rel string, depth int) (pair, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(p.src, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return p, err
	}
	var err error
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return c.dir(p, name, rel, &st, depth)
	case unix.S_IFREG:
		return p, c.file(p, rel, &st)
	case unix.S_IFLNK:
		buf := make([]byte, unix.PathMax)
		n := 0
		if n, err = unix.Readlinkat(p.src, name, buf); err == nil {
			err = unix.Symlinkat(string(buf[:n]), p.dst, name)
		}
	case unix.S_IFIFO, unix.S_IFSOCK:
		var made bool
		if made, err = c.special(p.dst, rel, &st); !made {
			return p, err
		}
		err = unix.Fchmodat(p.dst, name, mode(&st), 0)
	case unix.S_IFCHR:
		if !c.Layer || st.Rdev != 0 {
			return p, nil
		}
		return p, whiteout(p.dst, name)
	default:
		return p, nil // a device: nothing that a project has
	}
	if err == nil {
		uid, gid := c.owner(&st)
		err = unix.Fchownat(p.dst, name, uid, gid, unix.AT_SYMLINK_NOFOLLOW)
	}
	return p, err
}

// dir copies a directory. Far down only two are held open; those above are
// found again through "..".
func (c *Copier) dir(p pair, name, rel string, st *unix.Stat_t, depth int) (pair, error) {
	in, err := openForRemoval(p.src, name)
	if err != nil {
		return p, err
	}
	if err := unix.Mkdirat(p.dst, name, 0o700); err != nil {
		unix.Close(in)
		return p, err
	}
	out, err := unix.Openat(p.dst, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		unix.Close(in)
		return p, err
	}
	if c.Layer {
		if err := attributes(in, out); err != nil {
			unix.Close(in)
			unix.Close(out)
			return p, err
		}
	}
	if depth >= heldOpen {
		p.close()
		p = pair{-1, -1}
	}
	child, err := c.entries(pair{in, out}, rel, depth+1)
	defer child.close()
	if p.src < 0 && child.src >= 0 {
		const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
		up, err1 := unix.Openat(child.src, "..", flags, 0)
		to, err2 := unix.Openat(child.dst, "..", flags, 0)
		p = pair{up, to}
		err = errors.Join(err, err1, err2)
	}
	if err != nil {
		return p, err
	}
	_ = unix.Fchmod(child.src, mode(st)) // as it was before it was opened
	uid, gid := c.owner(st)
	if err := unix.Fchown(child.dst, uid, gid); err != nil {
		return p, err
	}
	if err := unix.Fchmod(child.dst, mode(st)); err != nil {
		return p, err
	}
	return p, setTime(child.dst, st)
}

func mode(st *unix.Stat_t) uint32 { return uint32(st.Mode) & 0o7777 }

// file copies a regular file.
func (c *Copier) file(p pair, rel string, st *unix.Stat_t) error {
	name := filepath.Base(rel)
	id := [2]uint64{uint64(st.Dev), st.Ino}
	if first, ok := c.links[id]; ok {
		if linked, err := c.again(first, p.dst, name); linked || err != nil {
			return err
		}
	}
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	in, err := unix.Openat(p.src, name, flags, 0)
	if errors.Is(err, unix.EACCES) { // its owner may take the right to read it
		if err = unix.Fchmodat(p.src, name, 0o600, 0); err == nil {
			in, err = unix.Openat(p.src, name, flags, 0)
			_ = unix.Fchmodat(p.src, name, mode(st), 0)
		}
	}
	if err != nil {
		return err
	}
	defer unix.Close(in)
	if c.Take && st.Nlink == 1 && plain(in) && unix.Renameat(p.src, name, p.dst, name) == nil {
		return c.moved(p.dst, name, st)
	}
	out, err := unix.Openat(p.dst, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	if st.Nlink > 1 && len(c.links) < linksHeld {
		c.links[id] = openCopy{out, rel}
	} else {
		defer unix.Close(out)
	}
	if err := content(in, out, st.Size); err != nil {
		return err
	}
	if c.Layer {
		if err := attributes(in, out); err != nil {
			return err
		}
	}
	uid, gid := c.owner(st)
	if err := unix.Fchown(out, uid, gid); err != nil {
		return err
	}
	if err := unix.Fchmod(out, mode(st)); err != nil { // last: a change of owner takes set-user-ID bits away
		return err
	}
	return setTime(out, st)
}

// moved gives a file that was moved its owner; its mode is last, as a change of owner takes set-user-ID bits away.
func (c *Copier) moved(dst int, name string, st *unix.Stat_t) error {
	uid, gid := c.owner(st)
	if err := unix.Fchownat(dst, name, uid, gid, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	return unix.Fchmodat(dst, name, mode(st), 0)
}

// content copies the bytes of a file: as a shared copy where the file system
// can, else those that are not holes.
func content(in, out int, size int64) error {
	if err := unix.Ftruncate(out, size); err != nil {
		return err
	}
	if size == 0 || shared(in, out) {
		return nil
	}
	for off := int64(0); off < size; {
		from, err := unix.Seek(in, off, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			return nil // a hole up to the end
		}
		to := size
		if err == nil {
			to, err = unix.Seek(in, from, unix.SEEK_HOLE)
		}
		if err != nil {
			from, to = off, size // no holes on this file system
		}
		if err := copyRange(in, out, from, to); err != nil {
			return err
		}
		off = to
	}
	return nil
}

func copyRange(in, out int, from, to int64) error {
	buf := make([]byte, min(256<<10, to-from))
	for from < to {
		n, err := unix.Pread(in, buf[:min(int64(len(buf)), to-from)], from)
		if err == nil && n == 0 {
			return nil // it was longer a moment ago
		}
		if err == nil {
			n, err = unix.Pwrite(out, buf[:n], from) // on a full disk less, before it fails
		}
		if err != nil {
			return err
		}
		from += int64(n)
	}
	return nil
}
