// Package temporary makes files and directories that are to be renamed or removed by the
// process that makes them. What a killed process left of them is found wherever it lies:
// each name is noted, before anything has it, in a list that the process holds locked for
// as long as it lives.
package temporary

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Made, where a test sets it, is told of each name as soon as something has it.
var Made = func(path string) {}

// own is the list of this process; it is made with the first name.
var own struct {
	mu    sync.Mutex
	tried bool
	list  *os.File // nil: none can be kept
	path  string   // of the list
}

// Dir makes a directory in parent ("": where temporary files are), whose name is pattern
// with its last asterisk replaced.
func Dir(parent, pattern string) (string, error) {
	path, err := newPath(parent, pattern)
	if err != nil {
		return "", err
	}
	Note(path)
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", err
	}
	Spread(path)
	Made(path)
	return path, nil
}

// File makes a file as Dir makes a directory, which is nobody else's.
func File(parent, pattern string) (*os.File, error) { return FileOf(parent, pattern, 0o600) }

// FileOf makes a file with the permissions that the umask leaves of perm.
func FileOf(parent, pattern string, perm os.FileMode) (*os.File, error) {
	path, err := newPath(parent, pattern)
	if err != nil {
		return nil, err
	}
	Note(path)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	Made(path)
	return f, nil
}

func newPath(parent, pattern string) (string, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	at := strings.LastIndexByte(pattern, '*')
	if at < 0 {
		return "", fmt.Errorf("the pattern %q of a temporary name has no asterisk", pattern)
	}
	return filepath.Abs(filepath.Join(parent, pattern[:at]+rand.Text()+pattern[at+1:]))
}

// Note notes an absolute path that nothing has yet, and that nothing else will ever have:
// whatever is there when this process has died is removed. Where no list can be kept,
// nothing is noted.
func Note(path string) {
	own.mu.Lock()
	defer own.mu.Unlock()
	if !own.tried {
		own.tried = true
		own.list, own.path = newList()
	}
	if own.list != nil {
		_, _ = fmt.Fprintf(own.list, "%q\n", path) // a full disk: it takes no file either
	}
}

// End removes this process's list, when it is about to end and nothing on it is there.
func End() {
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.list != nil && len(there(own.list)) == 0 {
		drop(own.path)
		own.list.Close()
		own.tried, own.list = false, nil
	}
}
