package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// shared finds which of the wanted files of a list this machine has below the path where
// the other end has the tree, as on a file system of both: their paths by their sums. What
// is there is believed by its sum alone.
func shared(at string, l List, wanted []int) map[string]string {
	found := map[string]string{}
	if _, err := os.Lstat(at); err != nil || !filepath.IsAbs(at) {
		return found
	}
	for _, i := range wanted {
		path := filepath.Join(at, l[i].Path)
		if l[i].matches(path) {
			found[l[i].Sum] = path
		}
	}
	return found
}

// matches reports whether a file has the content of the entry.
func (e Entry) matches(path string) bool {
	f, err := opened(path)
	if err != nil {
		return false
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() != e.Size {
		return false
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, e.Size+1))
	return err == nil && n == e.Size && hex.EncodeToString(h.Sum(nil)) == e.Sum
}

// opened opens what may be anything, and waits for nobody.
func opened(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}
