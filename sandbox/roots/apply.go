package roots

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"cookoff/sandbox/trees"
	"cookoff/sandbox/users"
)

// Names that mean that something of a lower layer is gone.
const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
	reserved = ".wh..wh."
)

// applier puts layers over one another in a directory. Every name is resolved in
// there, as in a root: no link leads out of it, and os.Root sees to that again.
type applier struct {
	root   *os.Root
	limits Limits
	bytes  int64
	count  int
	dirs   map[string]fs.FileMode // modes that directories get when all is there
	fresh  map[string]bool        // what the current layer has brought, and what that lies in

	several bool                   // owners are kept
	owners  map[string]trees.Owner // of what is not root's
}

func newApplier(dir string, l Limits) (*applier, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &applier{root: root, limits: l, dirs: map[string]fs.FileMode{}, owners: map[string]trees.Owner{}}, nil
}

// layer applies one layer, whose content must be what the image says it is.
func (a *applier) layer(ctx context.Context, l v1.Layer) (err error) {
	want, err := l.DiffID()
	if err != nil {
		return err
	}
	in, err := l.Uncompressed()
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	sum := sha256.New()
	all := io.TeeReader(&bounded{in, a.limits.Bytes + int64(a.limits.Entries)*1024, ctx}, sum)
	if err := a.entries(tar.NewReader(all)); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want.Hex {
		return fmt.Errorf("its content is not what the image says: sha256 %s, not %s", got, want.Hex)
	}
	return nil
}

// bounded ends with an error where more comes than is allowed, or nobody waits.
type bounded struct {
	io.Reader
	left int64
	ctx  context.Context
}

var errLarge = errors.New("unpacks to more than is allowed")

func (b *bounded) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errLarge
	}
	return n, err
}

func (a *applier) entries(r *tar.Reader) error {
	a.fresh = map[string]bool{}
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading: %w", err)
		}
		if a.count++; a.count > a.limits.Entries {
			return fmt.Errorf("more than %d entries", a.limits.Entries)
		}
		if err := a.entry(h, r); err != nil {
			return fmt.Errorf("%.200q: %w", h.Name, err)
		}
	}
}

// clean gives a name of a layer relative to its root; "" is the root itself.
func clean(name string) (string, error) {
	if strings.ContainsRune(name, 0) || len(name) > 4096 {
		return "", errors.New("is no path")
	}
	if slices.Contains(strings.Split(name, "/"), "..") {
		return "", errors.New("leads out of the image")
	}
	return strings.TrimPrefix(path.Clean("/"+name), "/"), nil
}

func (a *applier) entry(h *tar.Header, r io.Reader) error {
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	name, err := clean(h.Name)
	if err != nil || name == "" {
		return err
	}
	dir, base, err := a.parent(name)
	if err != nil {
		return err
	}
	at := path.Join(dir, base)
	switch {
	case base == opaque:
		return a.hide(dir)
	case strings.HasPrefix(base, reserved):
		return nil
	case strings.HasPrefix(base, whiteout):
		gone := strings.TrimPrefix(base, whiteout)
		if gone == "" || gone == "." || gone == ".." {
			return errors.New("is a whiteout of nothing")
		}
		return a.remove(path.Join(dir, gone))
	}
	for p := at; p != "." && !a.fresh[p]; p = path.Dir(p) {
		a.fresh[p] = true
	}
	return a.place(at, h, r)
}

// place makes one file, directory or link.
func (a *applier) place(at string, h *tar.Header, r io.Reader) error {
	mode := fs.FileMode(h.Mode & 0o777) // nobody gets another's rights by a file of an image
	st, err := a.root.Lstat(at)
	there := err == nil
	if there && !(h.Typeflag == tar.TypeDir && st.IsDir()) {
		if err := a.remove(at); err != nil {
			return err
		}
		delete(a.dirs, at)
		there = false
	}
	if err := a.owned(at, h); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		a.dirs[at] = mode
		if there {
			return nil
		}
		return a.root.Mkdir(at, 0o700)
	case tar.TypeReg:
		return a.file(at, mode, h, r)
	case tar.TypeSymlink:
		if h.Linkname == "" {
			return errors.New("is a link to nothing")
		}
		return a.root.Symlink(h.Linkname, at)
	case tar.TypeLink:
		return a.link(at, h.Linkname)
	case tar.TypeChar, tar.TypeBlock:
		if at == "dev" || strings.HasPrefix(at, "dev/") { // a world has a /dev of its own
			return nil
		}
		return errors.New("is a device")
	case tar.TypeFifo:
		return errors.New("is a pipe")
	}
	return fmt.Errorf("is of the type %q, which no file has", h.Typeflag)
}

func (a *applier) file(at string, mode fs.FileMode, h *tar.Header, r io.Reader) error {
	if a.bytes += h.Size; h.Size < 0 || a.bytes > a.limits.Bytes {
		return errLarge
	}
	f, err := a.root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return a.root.Chtimes(at, h.ModTime, h.ModTime)
}

// link gives a file of the image another name.
func (a *applier) link(at, target string) error {
	to, err := clean(target)
	if err != nil {
		return fmt.Errorf("links to %.200q, which %w", target, err)
	}
	dir, base, err := a.parent(to)
	if err != nil {
		return err
	}
	to = path.Join(dir, base)
	if st, err := a.root.Lstat(to); err != nil || st.IsDir() {
		return fmt.Errorf("links to %.200q, which is no file of the image", target)
	}
	if o, ok := a.owners[to]; ok {
		a.owners[at] = o
	} else {
		delete(a.owners, at)
	}
	return a.root.Link(to, at)
}

// owned notes whose a file is; a hard link has the owner of its file.
func (a *applier) owned(at string, h *tar.Header) error {
	o := trees.Owner{UID: h.Uid, GID: h.Gid}
	switch {
	case !a.several || o == trees.Owner{}:
		delete(a.owners, at)
		return nil
	case min(o.UID, o.GID) < 0 || max(o.UID, o.GID) >= users.Several:
		return fmt.Errorf("belongs to %d:%d, and a world has the users 0 to %d", o.UID, o.GID, users.Several-1)
	}
	a.owners[at] = o
	return nil
}

// remove takes a file or a directory of a lower layer away.
func (a *applier) remove(at string) error {
	st, err := a.root.Lstat(at)
	if err == nil && st.IsDir() {
		maps.DeleteFunc(a.owners, func(p string, _ trees.Owner) bool { return strings.HasPrefix(p, at+"/") })
	}
	delete(a.owners, at)
	return a.root.RemoveAll(at)
}

// hide takes away what lower layers have in a directory.
func (a *applier) hide(dir string) error {
	d, err := a.root.Open(cmpDot(dir))
	if err != nil {
		return err
	}
	entries, err := d.ReadDir(-1)
	d.Close()
	if err != nil {
		return err
	}
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		switch {
		case !a.fresh[at]:
			err = a.remove(at)
		case e.IsDir():
			err = a.hide(at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func cmpDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// mostLinks is how many links the way to a file may lead through.
const mostLinks = 40

// parent resolves the directory of a name, in the root, and makes what of it is not
// there.
func (a *applier) parent(name string) (dir, base string, err error) {
	dir, base = path.Split(name)
	ahead := strings.Split(strings.Trim(dir, "/"), "/")
	at, links := "", 0
	for len(ahead) > 0 {
		n := ahead[0]
		ahead = ahead[1:]
		switch n {
		case "", ".":
			continue
		case "..":
			if at = path.Dir(at); at == "." {
				at = ""
			}
			continue
		}
		next := path.Join(at, n)
		st, err := a.root.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if a.count++; a.count > a.limits.Entries {
				return "", "", fmt.Errorf("more than %d entries", a.limits.Entries)
			}
			if err := a.root.Mkdir(next, 0o700); err != nil {
				return "", "", err
			}
			a.dirs[next] = 0o755
		case err != nil:
			return "", "", err
		case st.Mode()&fs.ModeSymlink != 0:
			if links++; links > mostLinks {
				return "", "", errors.New("lies behind too many links")
			}
			target, err := a.root.Readlink(next)
			if err != nil {
				return "", "", err
			}
			if path.IsAbs(target) {
				at = ""
			}
			ahead = append(strings.Split(target, "/"), ahead...)
			continue
		case !st.IsDir():
			return "", "", fmt.Errorf("lies in %.200q, which is no directory", next)
		}
		at = next
	}
	return at, base, nil
}

// modes gives directories theirs, those farther down first.
func (a *applier) modes() error {
	var all []string
	for d := range a.dirs {
		all = append(all, d)
	}
	slices.Sort(all)
	for _, d := range slices.Backward(all) {
		st, err := a.root.Lstat(d)
		if err != nil || !st.IsDir() {
			continue // a later layer took it away
		}
		if err := a.root.Chmod(d, a.dirs[d]|0o700); err != nil {
			return err
		}
	}
	return nil
}
