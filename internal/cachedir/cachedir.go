// Package cachedir is where cookoff keeps what next runs are quicker with.
package cachedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Path gives a path in cookoff's directory of the user's cache, of which nothing need be there yet. The error says
// why nothing can be kept there: the environment names no home, as of a service, or one that this user can't write
// to, as of a container that was started with another user than its image is for.
func Path(names ...string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("nothing can be kept for next runs: %w", err)
	}
	path := filepath.Join(append([]string{base, "cookoff"}, names...)...)
	there := path // as far as the way to it is there
	_, err = os.Lstat(there)
	for errors.Is(err, fs.ErrNotExist) && there != filepath.Dir(there) {
		there = filepath.Dir(there)
		_, err = os.Lstat(there)
	}
	if err == nil {
		err = unix.Access(there, unix.W_OK|unix.X_OK)
	}
	if err != nil {
		return "", fmt.Errorf("nothing can be kept for next runs: %s can't be written to: %w", path, err)
	}
	return path, nil
}

// Writable says of the directory, or of the first one in it that is otherwise, why nothing can be kept there: another
// user may have made it, with this one's home.
func Writable() error {
	dir, err := Path()
	if err != nil {
		return err
	}
	entries, _ := os.ReadDir(dir) // there is none before the first run
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if _, err := Path(e.Name()); err != nil {
			return err
		}
	}
	return nil
}
