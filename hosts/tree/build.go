package tree

import (
	"cookoff/sandbox/noted"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Contents gives the content of a file of a tree that is being built, once for each
// sum, in the order of the list.
type Contents func(e Entry) (io.ReadCloser, error)

// Build makes the tree at dst, which is not there. No name or link of the list leads
// out of it, and every file must have the sum that the list says.
func (l List) Build(dst string, contents Contents) error {
	if len(l) == 0 || l[0].Path != "." {
		return fmt.Errorf("a tree without a top")
	}
	if l[0].Mode.IsRegular() {
		root, err := os.OpenRoot(filepath.Dir(dst))
		if err != nil {
			return err
		}
		defer root.Close()
		return l[0].place(root, filepath.Base(dst), contents)
	}
	placed := map[string]string{} // files, by their sums
	var root *os.Root
	once := func(e Entry) (io.ReadCloser, error) {
		if at := placed[e.Sum]; at != "" {
			return root.Open(at)
		}
		placed[e.Sum] = e.Path
		return contents(e)
	}
	if err := os.Mkdir(dst, 0o700); err != nil {
		return err
	}
	var err error
	if root, err = os.OpenRoot(dst); err != nil {
		return err
	}
	defer root.Close()
	for _, e := range l[1:] {
		if err := e.place(root, e.Path, once); err != nil {
			return fmt.Errorf("%.200q: %w", e.Path, err)
		}
	}
	for i := len(l) - 1; i >= 0; i-- { // their modes and times last: nothing changes them any more
		if e := l[i]; e.Mode.IsDir() {
			if err := e.settle(root); err != nil {
				return fmt.Errorf("%.200q: %w", e.Path, err)
			}
		}
	}
	return nil
}

func (e Entry) settle(root *os.Root) error {
	if err := root.Chtimes(e.Path, e.when(), e.when()); err != nil {
		return err
	}
	return root.Chmod(e.Path, bits(e.Mode))
}

// link makes a symbolic link with its time.
func (e Entry) link(root *os.Root, at string) error {
	if err := root.Symlink(e.Link, at); err != nil {
		return err
	}
	dir, err := root.Open(filepath.Dir(at))
	if err != nil {
		return err
	}
	defer dir.Close()
	when := unix.NsecToTimespec(e.Time)
	return unix.UtimesNanoAt(int(dir.Fd()), filepath.Base(at), []unix.Timespec{when, when}, unix.AT_SYMLINK_NOFOLLOW)
}

// bits are those that chmod sets.
func bits(m fs.FileMode) fs.FileMode {
	return m & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}

// place makes one entry.
func (e Entry) place(root *os.Root, at string, contents Contents) error {
	if !filepath.IsLocal(at) {
		return fmt.Errorf("it leads out of the tree")
	}
	switch {
	case e.Mode.IsDir():
		return root.Mkdir(at, 0o700)
	case e.Mode&fs.ModeSymlink != 0:
		return e.link(root, at)
	case !e.Mode.IsRegular():
		return fmt.Errorf("it is no file, directory or link")
	}
	from, err := contents(e)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, h), io.LimitReader(from, e.Size+1))
	if err == nil && (n != e.Size || hex.EncodeToString(h.Sum(nil)) != e.Sum) {
		err = fmt.Errorf("its content is not what was said: %d bytes of %d", n, e.Size)
	}
	if err == nil {
		noted.Note(to, e.Attr) // where it can't be kept it is summed again
	}
	if err == nil {
		err = to.Chmod(bits(e.Mode))
	}
	if cerr := to.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return root.Chtimes(at, e.when(), e.when())
}
