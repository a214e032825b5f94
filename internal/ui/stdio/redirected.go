package stdio

import (
	"fmt"
	"os"
	"slices"
)

// Redirected gives the files that standard output and standard error of this process go
// to, by their absolute paths. What a system does not tell is left out.
func Redirected() (files []string) {
	for fd, f := range map[int]*os.File{1: os.Stdout, 2: os.Stderr} {
		is, err := f.Stat()
		if err != nil || !is.Mode().IsRegular() {
			continue
		}
		path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err != nil {
			continue
		}
		at, err := os.Stat(path) // where another file is, this one was removed or moved
		if err == nil && os.SameFile(is, at) && !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	return files
}
