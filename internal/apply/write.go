package apply

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"cookoff/internal/temporary"
)

// Overwrites gives the paths of files of the project that would be changed or
// removed.
func (p *Plan) Overwrites() []string {
	var out []string
	for _, a := range p.Actions {
		if a.Now != nil && !a.Now.Mode.IsDir() {
			out = append(out, a.Path)
		}
	}
	return out
}

// ErrConflict is the error of carrying out a plan that has conflicts.
var ErrConflict = errors.New("there are conflicts")

// UndoError says that what was applied before something went wrong could not be taken
// back: the project is changed in part.
type UndoError struct{ Err error }

func (e *UndoError) Error() string { return e.Err.Error() }

// Unwrap gives what went wrong.
func (e *UndoError) Unwrap() error { return e.Err }

// Apply carries the plan out: all of it, or, where something goes wrong on the
// way, none of it. A file that is no longer what the plan was made for is such
// an error. Where the process is killed on the way, TakeBack does that later.
func (p *Plan) Apply() error {
	if len(p.Conflicts) > 0 {
		return ErrConflict
	}
	if len(p.Actions) == 0 {
		return nil
	}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	done, err := p.note()
	if err != nil {
		return err
	}
	for i, a := range p.Actions {
		if err := carryOut(root, a); err != nil {
			err = fmt.Errorf("applying %q: %w", a.Path, err)
			if undone := undo(root, p.Actions[:i]); undone != nil {
				return &UndoError{errors.Join(err, undone)}
			}
			return errors.Join(err, done())
		}
	}
	return done()
}

func carryOut(root *os.Root, a Action) error {
	now, blocked, err := read(root, a.Path)
	switch {
	case err != nil:
		return err
	case blocked != "" || !same(now, a.Now):
		return errors.New("it has just been changed")
	}
	return put(root, a.Path, a.Then)
}

// undo takes back what was done, the last first.
func undo(root *os.Root, done []Action) error {
	var errs []error
	for i := len(done) - 1; i >= 0; i-- {
		if err := put(root, done[i].Path, done[i].Now); err != nil {
			errs = append(errs, fmt.Errorf("taking back %q: %w", done[i].Path, err))
		}
	}
	return errors.Join(errs...)
}

// put makes the project have f at name, or nothing. A directory is removed
// only when it is empty.
func put(root *os.Root, name string, f *File) error {
	st, err := root.Lstat(name)
	there := err == nil
	if f == nil {
		if !there {
			return nil
		}
		if err := root.Remove(name); err != nil && !st.IsDir() {
			return err
		}
		return nil
	}
	if there && st.IsDir() != f.Mode.IsDir() {
		if err := root.Remove(name); err != nil {
			return err
		}
		there = false
	}
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if f.Mode.IsDir() {
		if there {
			return nil
		}
		return root.Mkdir(name, f.Mode.Perm()|0o700)
	}
	return replace(root, name, f)
}

// beside begins the name of a file that is being written, beside its place.
const beside = ".cookoff-"

// replace writes a file or link beside its place first, so that the place
// never holds half of it.
func replace(root *os.Root, name string, f *File) error {
	tmp := path.Join(path.Dir(name), beside+rand.Text())
	if at, err := filepath.Abs(filepath.Join(root.Name(), tmp)); err == nil {
		temporary.Note(at)
	}
	var err error
	if f.Mode&fs.ModeSymlink != 0 {
		err = root.Symlink(f.Link, tmp)
	} else {
		err = root.WriteFile(tmp, f.Data, 0o600)
		if err == nil {
			err = root.Chmod(tmp, f.Mode.Perm())
		}
	}
	if err == nil {
		err = root.Rename(tmp, name)
	}
	if err != nil {
		_ = root.Remove(tmp)
	}
	return err
}
