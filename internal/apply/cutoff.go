package apply

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/files"
	"cookoff/internal/temporary"
	"cookoff/trial/final"
)

// notes is the kind of the user's own files that say what is being applied, for as long as it is: not in the project,
// where anybody can lay one. Who applies holds the note locked: one that nobody holds is of a process that was killed.
const notes = "applying"

// ErrBusy is the error of applying to a project to which another process applies.
var ErrBusy = errors.New("another cookoff is applying changes to this project")

// Back is what became of an application that was cut off.
type Back struct {
	Unchanged []string // files that are as they were before it
	Kept      []string // files that were changed since, which stay as they are
}

// note writes down what the plan is about to do, on disk before anything is done: who is
// killed meanwhile leaves it, and the project is what it was once TakeBack has read it.
func (p *Plan) note() (done func() error, err error) {
	path := temporary.Place(notes, noteName(p.dir))
	if path == "" {
		return nil, errors.New("no directory can be written that is this user's own: neither the cache nor the one " +
			"for temporary files")
	}
	f, err := temporary.File(filepath.Dir(path), ".new-*")
	if err != nil {
		return nil, err
	}
	st := &final.State{Schema: final.Schema}
	for _, a := range p.Actions {
		st.Changes = append(st.Changes, final.Change{Path: a.Path, Before: Version(a.Now), After: Version(a.Then)})
	}
	files.Lock(f) // nobody else knows it
	err = errors.Join(final.Write(f, st, nil), f.Sync())
	if err == nil {
		err = files.Place(f.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		err = errAnother(path)
	}
	_ = os.Remove(f.Name()) // its other name
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		err := errors.Join(os.Remove(path), f.Close())
		emptied(path)
		return err
	}, nil
}

// errAnother says whether the application whose note lies at path goes on.
func errAnother(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return ErrBusy // it has just ended
	}
	defer f.Close()
	if !files.Lock(f) {
		return ErrBusy
	}
	return errors.New("an earlier one was cut off half-way\n  hint: cookoff clean takes back what it changed")
}

// emptied removes the directory of notes, where there is none.
func emptied(path string) { _ = os.Remove(filepath.Dir(path)) }

// noteName is what the note of a project's application is called.
func noteName(dir string) string {
	at, err := filepath.Abs(dir)
	if err != nil {
		at = dir
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	return fmt.Sprintf("%x.tar.gz", sha256.Sum256([]byte(at)))
}

func noteOf(dir string) string { return temporary.Kept(notes, noteName(dir)) }

// Version is a file as a state has it.
func Version(f *File) *final.File {
	if f == nil {
		return nil
	}
	v := &final.File{Mode: f.Mode, Size: int64(len(f.Data)), Link: f.Link}
	if f.Mode.IsRegular() {
		v.Keep(f.Data)
	}
	return v
}

// CutOff reports whether an application to a project was begun and has not ended: its
// process was killed, or is at work.
func CutOff(dir string) bool { return noteOf(dir) != "" }

// TakeBack makes of a project what it was before an application that was killed on its
// way: nil where there was none. What it changed as a whole, or another process is about
// to, stays.
func TakeBack(dir string) (*Back, error) {
	path := noteOf(dir)
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) { // it has just ended
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	mine, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !files.Lock(f) {
		return nil, nil
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(mine, now) {
		return nil, nil // it ended before the lock was had
	}
	st, err := final.Read(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	back, err := takeBack(dir, st)
	if err == nil {
		err = os.Remove(path)
		emptied(path)
	}
	return back, err
}

// takeBack undoes what of the changes was made, the last first.
func takeBack(dir string, st *final.State) (*Back, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var made []final.Change
	back := &Back{}
	for _, c := range st.Changes {
		now, _, err := read(root, c.Path)
		switch {
		case err != nil:
			return nil, err
		case same(now, fileOf(c.After)):
			made = append(made, c)
		case !same(now, fileOf(c.Before)):
			back.Kept = append(back.Kept, c.Path)
		}
	}
	if len(made) == len(st.Changes) {
		return &Back{}, nil
	}
	halves(dir)
	for i := len(made) - 1; i >= 0; i-- {
		if err := put(root, made[i].Path, fileOf(made[i].Before)); err != nil {
			return back, fmt.Errorf("taking back %q: %w", made[i].Path, err)
		}
		back.Unchanged = append(back.Unchanged, made[i].Path)
	}
	return back, nil
}

// halves removes files of a project that were being written when their process was killed:
// a directory that an application made is removed only where nothing is in it.
func halves(dir string) {
	top, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	for _, at := range temporary.Left() {
		rel, err := filepath.Rel(top, at)
		if err == nil && filepath.IsLocal(rel) && strings.HasPrefix(filepath.Base(at), beside) {
			_ = os.Remove(at) // else clean tells of it
		}
	}
}
