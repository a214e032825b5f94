package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/temporary"
)

// Directories of a process begin with tempName; as long as it is not locked
// yet, with newTemp.
const (
	tempName = "cookoff-files-"
	newTemp  = ".cookoff-new-"
)

// TempDir makes a directory for files that end with this process. remove takes
// it away; where the process is killed before, Leftovers finds it.
func TempDir() (dir string, remove func(), err error) {
	made, err := temporary.Dir("", newTemp+"*")
	if err != nil {
		return "", nil, err
	}
	held, err := lockDir(made)
	if err == nil {
		dir = filepath.Join(filepath.Dir(made), tempName+strings.TrimPrefix(filepath.Base(made), newTemp))
		err = os.Rename(made, dir)
	}
	if err != nil {
		_ = os.RemoveAll(made)
		return "", nil, fmt.Errorf("making a directory: %w", err)
	}
	return dir, func() {
		_ = os.RemoveAll(dir)
		held.Close()
	}, nil
}

// Leftovers gives the directories of TempDir whose processes have died.
func Leftovers() (dirs []string) {
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		dir := filepath.Join(os.TempDir(), e.Name())
		if !e.IsDir() || !strings.HasPrefix(e.Name(), tempName) {
			continue
		}
		if f, err := lockDir(dir); err == nil {
			f.Close()
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
