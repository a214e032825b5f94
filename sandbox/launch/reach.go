package launch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"cookoff/sandbox/trees"
	"cookoff/sandbox/users"
)

// Reachable gives a path of a file or directory that the agent's user may see:
// for root, which runs nothing as itself, the nth copy in the world's directory
// where that user may not.
func (o Order) Reachable(path string, n int) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	st, err := os.Stat(path)
	if err != nil || !users.IsRoot() || openToAll(path, st) {
		return path, err
	}
	return o.CopyOf(path, n)
}

// CopyOf gives the nth copy in the world's directory, for a machine that sees no other.
func (o Order) CopyOf(path string, n int) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	at := filepath.Join(o.Plan.Dir, "x"+strconv.Itoa(n))
	if !st.IsDir() {
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(at, b, st.Mode().Perm())
		}
		if err == nil {
			err = o.Agent.Own(at)
		}
		return at, err
	}
	if err := o.Agent.MakeDir(at); err != nil {
		return "", err
	}
	c := trees.Copier{UID: o.Agent.UID, GID: o.Agent.GID}
	return at, c.Copy(path, at)
}

// openToAll reports whether every user may go to path and read it.
func openToAll(path string, st fs.FileInfo) bool {
	need := fs.FileMode(0o4)
	if st.IsDir() {
		need = 0o5
	}
	if st.Mode().Perm()&need != need {
		return false
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		st, err := os.Stat(dir)
		if err != nil || st.Mode().Perm()&1 == 0 {
			return false
		}
		if dir == "/" {
			return true
		}
	}
}
