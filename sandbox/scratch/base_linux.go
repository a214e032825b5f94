package scratch

import (
	"os"
	"path/filepath"
	"strconv"
)

// usualBase is where the files of worlds are.
func usualBase() (string, error) {
	return filepath.Join(os.TempDir(), "cookoff-"+strconv.Itoa(os.Getuid())), nil
}
