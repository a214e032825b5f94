package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/cgroup"
	"cookoff/sandbox/trees"
)

// Leftovers gives the directories in base (as in Space) that killed processes left.
// The next run removes them; Remove does it now.
func Leftovers(base string) []string {
	root, err := Root(base)
	if err != nil {
		return nil
	}
	return dead(root)
}

// LeftoverGroups gives the control groups that they left, with no process in
// them: to be removed before the Leftovers, which say where they are.
func LeftoverGroups(base string) (groups []string) {
	for _, dir := range Leftovers(base) {
		if s := notedScope(dir); s != "" {
			if _, err := os.Lstat(s); err == nil {
				groups = append(groups, s)
			}
		}
	}
	return groups
}

// Remove removes a directory with files of an agent's, which no process
// uses any more: whatever their modes, names and depth are. A control group is
// removed with those in it.
func Remove(dir string) error {
	if cgroup.IsGroup(dir) {
		return cgroup.RemoveAll(dir)
	}
	return trees.Remove(dir)
}

// clearDead removes the directories whose processes are gone. Failing to is no
// reason not to go on.
func clearDead(root string) {
	for _, dir := range dead(root) {
		if s := notedScope(dir); s != "" && cgroup.RemoveAll(s) != nil {
			continue // something still ends in it
		}
		_ = trees.Remove(dir)
	}
}

// notedScope reads which control groups are those of a process; "" where there is
// nothing to be read.
func notedScope(dir string) string {
	b, _ := os.ReadFile(filepath.Join(dir, scopeNote))
	return string(b)
}

// dead gives the directories whose processes are gone.
func dead(root string) (dirs []string) {
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if strings.HasPrefix(e.Name(), unlocked) {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
		if err == nil && unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil || errors.Is(err, os.ErrNotExist) {
			dirs = append(dirs, dir)
		}
		f.Close()
	}
	return dirs
}
