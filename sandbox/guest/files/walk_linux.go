package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
)

// visit is called for every entry below a walk's root: dir is the open
// directory that holds it, rel its path from the root. Returning fs.SkipDir
// leaves a directory out, fs.SkipAll ends the walk.
type visit func(dir int, rel string, e entry) error

// keepOpen is how many levels of directories a walk holds open; deeper ones
// are left and found again through "..".
const keepOpen = 64

// walk goes through the tree at root in the order of names, never following a
// link. What can't be read is passed over.
func walk(root string, until time.Time, see visit) error {
	return walker{until: until, see: see}.walk(root)
}

func (w walker) walk(root string) error {
	if w.shut {
		fd, back, err := lend(unix.AT_FDCWD, root, false)
		defer back()
		if err != nil {
			return err
		}
		return w.from(fd)
	}
	fd, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return w.from(fd)
}

// walkPath is walk for a path that somebody asks for: no link in /proc is
// followed to it, where the guest's own descriptors are. Of entries it tells names
// and kinds alone.
func walkPath(p string, until time.Time, see visit) error {
	h, err := lookUp(p, unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer h.close()
	fd, err := unix.Openat(h.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return (&walker{until: until, see: see, kinds: true}).from(fd)
}

// from walks from an open directory on, and closes it.
func (w *walker) from(fd int) error {
	fd, err := w.dir(fd, "", 0)
	if fd >= 0 {
		unix.Close(fd)
	}
	if errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

// errLate is a walk that took too long.
var errLate = errors.New("taking too long")

type walker struct {
	until time.Time
	see   visit
	seen  int
	shut  bool // also what the owner took the right to read from
	kinds bool // of entries, only names and what kind they are
}

// dir visits the directory fd and gives it back, open (perhaps under another
// number), or -1.
func (w *walker) dir(fd int, rel string, depth int) (int, error) {
	read := readEntries
	if w.kinds {
		read = readKinds
	}
	entries, err := read(fd)
	if err != nil {
		return fd, nil
	}
	for _, e := range entries {
		if w.seen++; w.seen%64 == 0 && time.Now().After(w.until) {
			return fd, errLate
		}
		p := path.Join(rel, e.Name)
		err := w.see(fd, p, e)
		if errors.Is(err, fs.SkipDir) {
			continue
		}
		if err != nil {
			return fd, err
		}
		if e.Mode.IsDir() {
			if fd, err = w.below(fd, e, p, depth); err != nil || fd < 0 {
				return fd, err
			}
		}
	}
	return fd, nil
}

// below visits the directory e in fd, and gives fd back.
func (w *walker) below(fd int, e entry, p string, depth int) (int, error) {
	child, err := enter(fd, e.Name, false)
	opened := w.shut && (errors.Is(err, unix.EACCES) || err == nil && e.Mode&0o100 == 0)
	if opened {
		if err == nil {
			unix.Close(child)
		}
		if err = unix.Fchmodat(fd, e.Name, 0o700, 0); err == nil {
			child, err = enter(fd, e.Name, false)
		}
	}
	if err != nil {
		return fd, nil
	}
	var before unix.Stat_t
	if depth >= keepOpen {
		_ = unix.Fstat(fd, &before)
		unix.Close(fd)
		fd = -1
	}
	child, err = w.dir(child, p, depth+1)
	if child < 0 {
		return fd, err
	}
	defer unix.Close(child)
	if opened {
		defer func() { _ = unix.Fchmod(child, unixMode(e.Mode)) }()
	}
	if fd >= 0 {
		return fd, err
	}
	up, uerr := unix.Openat(child, "..", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if uerr != nil {
		return -1, err
	}
	var now unix.Stat_t
	if unix.Fstat(up, &now) != nil || now.Ino != before.Ino { // it was moved meanwhile
		unix.Close(up)
		return -1, err
	}
	return up, err
}

func readEntries(fd int) ([]entry, error) {
	dup, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	d := os.NewFile(uintptr(dup), "dir")
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	entries := make([]entry, 0, len(names))
	for _, n := range names {
		if e, ok := entryAt(fd, n); ok {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// readKinds is readEntries without a look at each entry.
func readKinds(fd int) ([]entry, error) {
	dup, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	d := os.NewFile(uintptr(dup), "/proc/self/fd/"+strconv.Itoa(dup)) // where a file system knows no kinds, it is asked
	defer d.Close()
	list, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	entries := make([]entry, 0, len(list))
	for _, e := range list {
		entries = append(entries, entry{Entry: sandbox.Entry{Name: e.Name(), Mode: e.Type()}})
	}
	return entries, nil
}

// openEntry opens a regular file that a walk came by.
func openEntry(dir int, name string) (*os.File, error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, errors.New("is not a regular file")
	}
	return f, nil
}
