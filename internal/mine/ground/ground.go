// Package ground is where searches lay the files of judges.
package ground

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"cookoff/internal/temporary"
	"cookoff/sandbox"
)

// Ground is the directory that takes the files of judges. It lies in the project, which
// may be a stranger's: nothing is read or written through a link.
type Ground struct {
	dir  string
	root *os.Root
}

// Open opens the directory, which is made where it is missing. A link in its
// place is refused.
func Open(dir string) (*Ground, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	parent, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	name := filepath.Base(dir)
	st, err := parent.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = parent.Mkdir(name, 0o755)
	case err == nil && !st.IsDir():
		err = notOwn(dir, "directory")
	}
	if err != nil {
		return nil, err
	}
	root, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Ground{dir, root}, nil
}

// notOwn refuses what lies where a file of ours belongs.
func notOwn(at, what string) error {
	return fmt.Errorf("%s is there, and no %s: nothing is written through links\n  hint: remove it", at, what)
}

// Close removes the directory where nothing was put into it.
func (g *Ground) Close() {
	g.root.Close()
	_ = os.Remove(g.dir) // stays where something lies in it
}

// Lay makes a directory of these files, which is this process's own until Settle gives it its name:
// killed before, it leaves one that is removed as all temporary files are. It gives the name that the
// directory has until then.
func (g *Ground) Lay(name string, items []sandbox.Item) (string, error) {
	if err := g.free(name); err != nil {
		return "", err
	}
	own, at, err := g.note(name + ".*.new")
	if err != nil {
		return "", err
	}
	if err := g.root.Mkdir(own, 0o755); err != nil {
		return "", err
	}
	temporary.Made(at)
	return own, g.fill(own, items)
}

// fill puts files into a directory.
func (g *Ground) fill(name string, items []sandbox.Item) error {
	dir, err := g.root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	for _, it := range items {
		if err := dir.MkdirAll(path.Dir(it.Path), 0o755); err != nil {
			return err
		}
		if err := put(dir, it.Path, it.Data, it.Mode.Perm()); err != nil {
			return err
		}
	}
	return nil
}

// free refuses a name that something has which is no directory.
func (g *Ground) free(name string) error {
	st, err := g.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !st.IsDir():
		return notOwn(filepath.Join(g.dir, name), "directory")
	}
	return nil
}

// Settle gives a directory that Lay made its name, in place of the directory that has it.
func (g *Ground) Settle(own, name string) error {
	err := g.free(name)
	if err == nil {
		err = g.root.RemoveAll(name)
	}
	if err == nil {
		err = g.root.Rename(own, name)
	}
	return err
}

// note gives a name that nothing has, and its path, which is noted as temporary.
func (g *Ground) note(pattern string) (name, at string, err error) {
	name = strings.Replace(pattern, "*", rand.Text(), 1)
	if at, err = filepath.Abs(filepath.Join(g.dir, name)); err == nil {
		temporary.Note(at)
	}
	return name, at, err
}

// Temporary writes a file that is to be removed by this process, or after its death: its
// name is pattern with the asterisk replaced. It gives the path.
func (g *Ground) Temporary(pattern, text string) (string, error) {
	name, at, err := g.note(pattern)
	if err != nil {
		return "", err
	}
	if err := put(g.root, name, []byte(text), 0o644); err != nil {
		return at, err
	}
	temporary.Made(at)
	return at, nil
}

// put writes a file that is not there yet: a link is none.
func put(dir *os.Root, name string, text []byte, mode fs.FileMode) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// Remove takes a file or a directory away.
func (g *Ground) Remove(name string) error { return g.root.RemoveAll(name) }

// Sum is the digest of a directory's files; "": there is none, or something in it is
// neither file nor directory.
func (g *Ground) Sum(name string) string {
	st, err := g.root.Lstat(name)
	if err != nil || !st.IsDir() {
		return ""
	}
	dir, err := g.root.OpenRoot(name)
	if err != nil {
		return ""
	}
	defer dir.Close()
	all := sha256.New()
	err = fs.WalkDir(dir.FS(), ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return notOwn(at, "file")
		}
		f, err := dir.Open(at)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(all, "%q %o %d\n", at, info.Mode().Perm()&0o100, info.Size())
		_, err = io.CopyN(all, f, info.Size())
		return err
	})
	if err != nil {
		return ""
	}
	return hex.EncodeToString(all.Sum(nil))
}
