//go:build !linux

package scratch

import (
	"os"
	"path/filepath"
)

// usualBase is where the files of worlds are: below the user's home, which the
// virtual machine of every engine sees, and not where temporary files are.
func usualBase() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "cookoff", "trials"), err
}
