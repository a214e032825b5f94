package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/temporary"
)

// WriteDir makes a directory as a whole or not at all: fill puts files into an empty
// one, which then gets its name. What is at path already must be an empty directory.
func WriteDir(path string, fill func(dir string) error) error {
	if err := FreeDir(path); err != nil {
		return err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	tmp, err := temporary.Dir(filepath.Dir(full), ".cookoff-*")
	if err != nil {
		return Unwritten(path, err)
	}
	if err := errors.Join(fill(tmp), os.Chmod(tmp, 0o755)); err != nil {
		if at, is := errors.AsType[*fs.PathError](err); is && strings.HasPrefix(at.Path, tmp) {
			err = Unwritten(path, err)
		}
		return errors.Join(err, os.RemoveAll(tmp))
	}
	if IsDir(path) { // it keeps its place: somebody may stand in it
		err := moveInto(tmp, path)
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return os.Rename(tmp, path)
}

func moveInto(from, to string) error {
	entries, err := os.ReadDir(from)
	for _, e := range entries {
		err = errors.Join(err, os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())))
	}
	return err
}

// FreeDir refuses a path that WriteDir can't make.
func FreeDir(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("%s is there, and no directory", path)
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty\n  hint: name a new directory", path)
	}
	if dir := filepath.Dir(filepath.Clean(path)); err != nil && !IsDir(dir) {
		return fmt.Errorf("%s: there is no directory %s", path, dir)
	}
	return nil
}
