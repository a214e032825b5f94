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

// WriteFile replaces a file as a whole or not at all; what is no regular file
// (a pipe, a device) is written to as it is.
func WriteFile(path string, data []byte) error {
	st, err := os.Stat(path)
	switch {
	case err == nil && !st.Mode().IsRegular():
		return writeInto(path, data)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	tmp, err := temporary.File(filepath.Dir(path), ".cookoff-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone after the rename
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
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
