package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// spot is a name in an open directory of project or home. The directory was
// reached without following a link.
type spot struct {
	dir  int
	name string
	back []func() // of the rights that directories on the way were lent
}

func (s spot) close() {
	unix.Close(s.dir)
	for _, back := range slices.Backward(s.back) {
		back()
	}
}

// rooted splits a path as manifests write it into its root and the rest.
func (sv Server) rooted(p string) (root, rel string, err error) {
	root, rel = sandbox.WorkDir, p // opened name by name: no length is too long
	if below, home := strings.CutPrefix(p, "~/"); home {
		root, rel = sandbox.HomeDir, below
	}
	for _, place := range sv.Places {
		if below, in := strings.CutPrefix(p, strings.TrimSuffix(place, "/")+"/"); in && !sv.apart(path.Clean(p)) {
			root, rel = place, below
		}
	}
	if rel = path.Clean(rel); strings.ContainsRune(rel, 0) || rel == "." || rel == ".." || path.IsAbs(rel) ||
		strings.HasPrefix(rel, "../") {
		return "", "", errors.New("is no path below the project or home")
	}
	return root, rel, nil
}

// apart reports whether a path is not part of the state, though it lies in a place
// that is.
func (sv Server) apart(p string) bool {
	return slices.ContainsFunc(sv.Apart, func(dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") })
}

// findSpot opens the directory of a path, made with its parents where create
// says so.
func (sv Server) findSpot(p string, create bool) (spot, error) {
	root, rel, err := sv.rooted(p)
	if err != nil {
		return spot{}, err
	}
	s := spot{dir: unix.AT_FDCWD}
	names := strings.Split(rel, "/")
	for i, n := range append([]string{root}, names[:len(names)-1]...) {
		next, back, err := lend(s.dir, n, create && i > 0)
		if i > 0 {
			unix.Close(s.dir)
		}
		if err != nil {
			s.dir = -1
			s.close()
			return spot{}, err
		}
		s.dir, s.back = next, append(s.back, back)
	}
	s.name = names[len(names)-1]
	return s, nil
}

// lend opens the directory name in dir, never through a link. One whose owner
// has taken the right to read it from himself is lent that until back is called:
// he could do the same.
func lend(dir int, name string, create bool) (fd int, back func(), err error) {
	back = func() {}
	fd, err = enter(dir, name, create)
	var st unix.Stat_t
	if err != nil && !errors.Is(err, unix.EACCES) || unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil ||
		st.Mode&unix.S_IFMT != unix.S_IFDIR || st.Mode&0o700 == 0o700 || int(st.Uid) != os.Geteuid() {
		return fd, back, err
	}
	if err == nil {
		unix.Close(fd)
	}
	if err = unix.Fchmodat(dir, name, st.Mode&0o7777|0o700, 0); err != nil {
		return -1, back, err
	}
	if fd, err = enter(dir, name, false); err != nil {
		return -1, back, err
	}
	kept, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		unix.Close(fd)
		return -1, back, err
	}
	return fd, func() {
		_ = unix.Fchmod(kept, st.Mode&0o7777)
		unix.Close(kept)
	}, nil
}

// enter opens the directory name in dir, never through a link.
func enter(dir int, name string, create bool) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(dir, name, flags, 0)
	if create && errors.Is(err, unix.ENOENT) {
		if err := unix.Mkdirat(dir, name, 0o755); err != nil {
			return -1, err
		}
		fd, err = unix.Openat(dir, name, flags, 0)
	}
	if err != nil {
		return -1, err
	}
	// A kernel may follow a link all the same, where a directory is asked for
	// (gVisor's does).
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil ||
		st.Mode&unix.S_IFMT != unix.S_IFDIR {
		unix.Close(fd)
		return -1, unix.ENOTDIR
	}
	return fd, nil
}

// pack gives the files of paths, in order, as many as one answer holds.
func (sv Server) pack(paths []string) (any, error) {
	items, size := []sandbox.Item{}, 0
	for _, p := range paths {
		it, err := sv.packed(p)
		if err != nil {
			return nil, err
		}
		items = append(items, it)
		if size += len(it.Data); size >= wire.MaxBatch || len(items) == wire.MaxItems {
			break
		}
	}
	return items, nil
}

func (sv Server) packed(p string) (sandbox.Item, error) {
	if _, _, err := sv.rooted(p); err != nil {
		return sandbox.Item{}, fail("pack", p, err)
	}
	s, err := sv.findSpot(p, false)
	if err != nil { // its directory is gone, or is none
		return sandbox.Item{Path: p, Gone: true}, nil
	}
	defer s.close()
	e, ok := entryAt(s.dir, s.name)
	if !ok {
		return sandbox.Item{Path: p, Gone: true}, nil
	}
	it := sandbox.Item{Path: p, Mode: e.Mode, Size: e.Size, Link: e.Link, Time: e.written.UTC()}
	if e.owner != "0:0" && os.Geteuid() == 0 {
		it.Owner = e.owner
	}
	if e.Mode.IsRegular() {
		it.Data, it.Left = content(s, e.Size)
	}
	return it, nil
}

// content reads a file whole, or says why it is left out.
func content(s spot, size int64) ([]byte, string) {
	if size > sandbox.MaxItem {
		return nil, fmt.Sprintf("larger than %d MiB", sandbox.MaxItem>>20)
	}
	f, err := openEntry(s.dir, s.name)
	if errors.Is(err, unix.EACCES) {
		f, err = s.openShut()
	}
	if err != nil {
		return nil, "can't be read"
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, sandbox.MaxItem))
	if err != nil {
		return nil, "can't be read"
	}
	return b, ""
}

// openShut opens a file that its owner, who is the guest as well, has taken the
// right to read from.
func (s spot) openShut() (*os.File, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(s.dir, s.name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil ||
		st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, unix.EACCES
	}
	if err := unix.Fchmodat(s.dir, s.name, 0o600, 0); err != nil {
		return nil, err
	}
	defer func() { _ = unix.Fchmodat(s.dir, s.name, st.Mode&0o7777, 0) }()
	return openEntry(s.dir, s.name)
}

// unpack puts items in their places, in order. How much that is, is the host's
// decision: the limits are for what runs here.
func (sv Server) unpack(items []sandbox.Item) error {
	for _, it := range items {
		if err := sv.place(it); err != nil {
			return fail("unpack", it.Path, err)
		}
	}
	return nil
}

// place makes one item. A directory that can't be written to is lent the
// right meanwhile: who left it so could do the same.
func (sv Server) place(it sandbox.Item) error {
	s, err := sv.findSpot(it.Path, !it.Gone)
	if it.Gone && (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.close()
	var st unix.Stat_t
	if err := unix.Fstat(s.dir, &st); err == nil && st.Mode&0o300 != 0o300 {
		if err := unix.Fchmod(s.dir, st.Mode&0o7777|0o300); err != nil {
			return err
		}
		defer func() { _ = unix.Fchmod(s.dir, st.Mode&0o7777) }()
	}
	now, there := entryAt(s.dir, s.name)
	if there && (it.Gone || !(it.Mode.IsDir() && now.Mode.IsDir())) {
		if err := removeSpot(s, now.Mode.IsDir()); err != nil {
			return err
		}
		there = false
	}
	if it.Gone {
		return nil
	}
	return s.make(it, there)
}

func (s spot) make(it sandbox.Item, there bool) error {
	var err error
	switch {
	case it.Left != "":
		err = fmt.Errorf("the content is not there: %s", it.Left)
	case it.Mode.IsRegular():
		err = s.file(it)
	case it.Mode.IsDir() && !there:
		err = unix.Mkdirat(s.dir, s.name, 0o700)
	case it.Mode.IsDir():
	case it.Mode&fs.ModeSymlink != 0:
		err = unix.Symlinkat(it.Link, s.dir, s.name)
	case it.Mode&fs.ModeNamedPipe != 0:
		err = unix.Mknodat(s.dir, s.name, unix.S_IFIFO|0o600, 0)
	case it.Mode&fs.ModeSocket != 0: // nobody listens: what did has ended
		err = unix.Mknodat(s.dir, s.name, unix.S_IFSOCK|0o600, 0)
	default:
		err = fmt.Errorf("can't make a file of type %v", it.Mode.Type())
	}
	if err == nil && (it.Owner != "" || there) && os.Geteuid() == 0 {
		err = s.give(it.Owner)
	}
	if err == nil && it.Mode&fs.ModeSymlink == 0 {
		err = unix.Fchmodat(s.dir, s.name, unixMode(it.Mode), 0)
	}
	if err != nil || it.Time.IsZero() {
		return err
	}
	at := unix.NsecToTimespec(it.Time.UnixNano())
	return unix.UtimesNanoAt(s.dir, s.name, []unix.Timespec{at, at}, unix.AT_SYMLINK_NOFOLLOW)
}

// give gives what was made to its owner; "" is root.
func (s spot) give(owner string) error {
	var uid, gid int
	if owner != "" {
		if _, err := fmt.Sscanf(owner, "%d:%d", &uid, &gid); err != nil {
			return fmt.Errorf("%.40q is no owner", owner)
		}
	}
	return unix.Fchownat(s.dir, s.name, uid, gid, unix.AT_SYMLINK_NOFOLLOW)
}

func (s spot) file(it sandbox.Item) error {
	fd, err := unix.Openat(s.dir, s.name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), s.name)
	_, err = f.Write(it.Data)
	return errors.Join(err, f.Close())
}

// unixMode is the inverse of fileMode, without the type.
func unixMode(m fs.FileMode) uint32 {
	mode := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		mode |= unix.S_ISUID
	}
	if m&fs.ModeSetgid != 0 {
		mode |= unix.S_ISGID
	}
	if m&fs.ModeSticky != 0 {
		mode |= unix.S_ISVTX
	}
	return mode
}
