// Package files writes files as a whole or not at all, and looks at them.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cookoff/internal/temporary"
)

// WriteFile replaces a file as a whole or not at all, where a link leads to it; its
// permissions and its owner stay, a new one has those that the umask leaves. What is no
// regular file (a pipe, a device) is written to as it is.
func WriteFile(path string, data []byte) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return written(path, data, nil, os.Rename)
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return writeInto(path, data)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	return written(path, data, st, os.Rename)
}

// CreateFile makes a new file as a whole or not at all. What is at path already stays, and
// the error is fs.ErrExist.
func CreateFile(path string, data []byte) error {
	if _, err := os.Lstat(path); err == nil { // no room is needed to say so
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return written(path, data, nil, Place)
}

// Place gives a file another name, which nothing may have: the error is fs.ErrExist then.
// The old name may stay.
func Place(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return &fs.PathError{Op: "link", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to) // on a file system without hard links
}

// UnwrittenError says that a file was not written: what stood there stands.
type UnwrittenError struct {
	Path string // that it should have, where it may have been written under another name
	Err  error  // without a path
}

func (e *UnwrittenError) Error() string { return fmt.Sprintf("%s: not written: %v", e.Path, e.Err) }
func (e *UnwrittenError) Unwrap() error { return e.Err }

// Unwritten says of a file of that path, or a directory, why it was not written, under
// whatever name that was tried.
func Unwritten(path string, err error) error {
	at, is := errors.AsType[*fs.PathError](err)
	linked, isLink := errors.AsType[*os.LinkError](err)
	switch {
	case err == nil || errors.Is(err, fs.ErrExist):
		return err
	case is:
		err = at.Err
	case isLink:
		err = linked.Err
	}
	return &UnwrittenError{path, err}
}

// written writes a file beside its place, then has place give it its name. like: what it
// replaces.
func written(path string, data []byte, like fs.FileInfo, place func(tmp, path string) error) error {
	return Unwritten(path, beside(path, data, like, place))
}

func beside(path string, data []byte, like fs.FileInfo, place func(tmp, path string) error) error {
	tmp, err := temporary.FileOf(filepath.Dir(path), ".cookoff-*", 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone after a rename
	_, err = tmp.Write(data)
	if like != nil {
		own(tmp, like)
		err = errors.Join(err, tmp.Chmod(like.Mode().Perm()))
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return place(tmp.Name(), path)
}

// CanCreateBeside tries whether a file can be made in the directory of path, as
// WriteFile does, and leaves none. The error names no file.
func CanCreateBeside(path string) error {
	tmp, err := temporary.File(filepath.Dir(path), ".cookoff-*")
	if pe, is := errors.AsType[*fs.PathError](err); is {
		return pe.Err
	}
	if err != nil {
		return err
	}
	return errors.Join(tmp.Close(), os.Remove(tmp.Name()))
}

func writeInto(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// AppendLine adds a line to a file of the user's own, which it makes with its
// directory where it is missing.
func AppendLine(file, line string) error {
	if file == "" {
		return errors.New("there is no home directory")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

// CanBeRegular reports whether path is a regular file, or may become one.
func CanBeRegular(path string) bool {
	if path == "" || path == "-" {
		return false
	}
	st, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && st.Mode().IsRegular()
}

// IsDir reports whether path is a directory.
func IsDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// IsRegular reports whether path is a regular file.
func IsRegular(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}
