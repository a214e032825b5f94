package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// WorldPath gives the absolute path in the world that p means.
func WorldPath(p string) string {
	switch {
	case p == "~":
		return sandbox.HomeDir
	case strings.HasPrefix(p, "~/"):
		return path.Join(sandbox.HomeDir, p[2:])
	case path.IsAbs(p):
		return path.Clean(p)
	}
	return path.Join(sandbox.WorkDir, p)
}

// fail makes the error a model sees from what went wrong with p.
func fail(op, p string, err error) error {
	out := &sandbox.FileError{Op: op, Path: p, Reason: err.Error()}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		out.Reason = errno.Error()
		switch errno {
		case unix.ELOOP:
			out.Reason = "too many levels of symbolic links, or a link into /proc"
		case unix.ENOENT:
			out.Kind = sandbox.FileMissing
		case unix.EISDIR:
			out.Kind = sandbox.FileDirectory
		}
	}
	return out
}

func checkPath(op, p string) error {
	reason := ""
	switch {
	case p == "":
		reason = "the path is empty"
	case strings.ContainsRune(p, 0):
		reason = "the path holds a NUL byte"
	case len(p) >= unix.PathMax:
		reason = "the path is too long"
		p = p[:64] + "…"
	default:
		return nil
	}
	return &sandbox.FileError{Op: op, Path: p, Reason: reason}
}

// handle is a file that was looked up but not opened: looking up has no
// effect on FIFOs and devices, and everything after it is about one inode.
type handle struct {
	fd int
	st unix.Stat_t
}

// errInProc says that a file is not served because of where it is.
var errInProc = errors.New("is in /proc")

func lookUp(p string, flags uint64) (handle, error) {
	h := handle{}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | flags, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	var err error
	if h.fd, err = openat2(p, &how); err != nil {
		return h, err
	}
	var fsInfo unix.Statfs_t
	if err = unix.Fstat(h.fd, &h.st); err == nil {
		err = unix.Fstatfs(h.fd, &fsInfo)
	}
	// The guest's own entries in /proc would be its memory and descriptors.
	if err == nil && fsInfo.Type == unix.PROC_SUPER_MAGIC {
		err = errInProc
	}
	if err != nil {
		h.close()
	}
	return h, err
}

func (h handle) close() { unix.Close(h.fd) }

// open opens the very inode that was looked up.
func (h handle) open(flags int) (*os.File, error) {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", h.fd), flags|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "file"), nil
}

// regular says whether the handle is a regular file, and if not, what it is.
func (h handle) regular() error {
	switch m := fileMode(h.st.Mode); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return unix.EISDIR
	default:
		return errors.New("is not a regular file")
	}
}

// fileMode translates st_mode.
func fileMode(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	switch m & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	}
	if m&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if m&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if m&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

func readFile(a wire.ReadArgs) (any, error) {
	const op = "read"
	p := a.Path
	if err := checkPath(op, p); err != nil {
		return nil, err
	}
	if a.Off < 0 || a.N < 0 {
		return nil, fail(op, p, errors.New("offset and length must not be negative"))
	}
	h, err := lookUp(WorldPath(p), 0)
	if err != nil {
		return nil, fail(op, p, err)
	}
	defer h.close()
	if err := h.regular(); err != nil {
		return nil, fail(op, p, err)
	}
	f, err := h.open(unix.O_RDONLY)
	if err != nil {
		return nil, fail(op, p, err)
	}
	defer f.Close()
	c := sandbox.Chunk{Size: h.st.Size, Mode: fileMode(h.st.Mode)}
	n := min(a.N, wire.MaxFile, max(0, h.st.Size-a.Off))
	if n == 0 {
		return c, nil
	}
	if c.Data, err = io.ReadAll(io.NewSectionReader(f, a.Off, n)); err != nil {
		return nil, fail(op, p, err)
	}
	return c, nil
}

func writeFile(a wire.WriteArgs) error {
	const op = "write"
	p := a.Path
	if err := checkPath(op, p); err != nil {
		return err
	}
	if strings.HasSuffix(p, "/") {
		return fail(op, p, unix.EISDIR)
	}
	f, err := openForWrite(WorldPath(p))
	if err != nil {
		return fail(op, p, err)
	}
	_, err = f.Write(a.Data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fail(op, p, err)
	}
	return nil
}

// openForWrite opens an existing regular file, emptied, or makes a new one.
func openForWrite(p string) (*os.File, error) {
	for range 8 { // between looking and making, something may come or go
		h, err := lookUp(p, 0)
		if err == nil {
			defer h.close()
			if err := h.regular(); err != nil {
				return nil, err
			}
			return h.open(unix.O_WRONLY | unix.O_TRUNC)
		}
		if !errors.Is(err, unix.ENOENT) {
			return nil, err
		}
		if err := os.MkdirAll(path.Dir(p), 0o755); err != nil {
			return nil, err
		}
		how := unix.OpenHow{Flags: unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_CLOEXEC, Mode: 0o644,
			Resolve: unix.RESOLVE_NO_MAGICLINKS}
		fd, err := openat2(p, &how)
		if err == nil {
			return os.NewFile(uintptr(fd), p), nil
		}
		if !errors.Is(err, unix.EEXIST) {
			return nil, err
		}
		if t, lerr := os.Readlink(p); lerr == nil { // a link to nothing: write where it points
			if !path.IsAbs(t) {
				t = path.Join(path.Dir(p), t)
			}
			p = path.Clean(t)
		}
	}
	return nil, unix.ELOOP
}

func listDir(p string) (any, error) {
	const op = "list"
	if err := checkPath(op, p); err != nil {
		return nil, err
	}
	h, err := lookUp(WorldPath(p), unix.O_DIRECTORY)
	if err != nil {
		return nil, fail(op, p, err)
	}
	defer h.close()
	d, err := h.open(unix.O_RDONLY | unix.O_DIRECTORY)
	if err != nil {
		return nil, fail(op, p, err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, fail(op, p, err)
	}
	slices.Sort(names)
	entries := []sandbox.Entry{}
	for _, n := range names {
		if e, ok := entryAt(int(d.Fd()), n); ok {
			entries = append(entries, e.Entry)
		}
	}
	return entries, nil
}

// entry is a name that was come by in a directory.
type entry struct {
	sandbox.Entry
	changed, written time.Time // of inode and content
	owner            string    // user:group
	inode            uint64
}

// entryAt describes a name in a directory; false when it has just gone.
func entryAt(dir int, name string) (entry, bool) {
	var st unix.Stat_t
	if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return entry{}, false
	}
	e := entry{Entry: sandbox.Entry{Name: name, Mode: fileMode(st.Mode)}, changed: time.Unix(st.Ctim.Unix()),
		written: time.Unix(st.Mtim.Unix()),
		owner:   strconv.Itoa(int(st.Uid)) + ":" + strconv.Itoa(int(st.Gid)), inode: st.Ino}
	switch {
	case e.Mode.IsRegular():
		e.Size = st.Size
	case e.Mode&fs.ModeSymlink != 0:
		buf := make([]byte, unix.PathMax)
		if n, err := unix.Readlinkat(dir, name, buf); err == nil {
			e.Link = string(buf[:n])
		}
	}
	return e, true
}
