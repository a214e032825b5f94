package temporary

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unlocked begins the name of a list whose lock is not held yet.
const unlocked = ".new-"

// elsewhere is how old a list of another machine must be, where the home is on both: its
// lock may not be seen here.
const elsewhere = 30 * 24 * time.Hour

// homes are the directories in which lists may be, the preferred one first.
func homes() []string { return places("temporary", "names") }

// places are where a user may have something: in the cache, or else where temporary files are, by another name.
func places(name, other string) (dirs []string) {
	if cache, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(cache, "cookoff", name))
	}
	return append(dirs, filepath.Join(os.TempDir(), fmt.Sprintf("cookoff-%s-%d", other, os.Geteuid())))
}

// Kept gives the path of a file that is there and that nobody but this user can have made; "": there is none. kind is
// of all such files, name of one.
func Kept(kind, name string) string {
	for _, dir := range places(kind, kind) {
		at := filepath.Join(dir, name)
		if _, err := os.Lstat(at); err == nil && ours(dir) {
			return at
		}
	}
	return ""
}

// Place gives the path where such a file may be made; "": there is no directory for it.
func Place(kind, name string) string {
	for _, dir := range places(kind, kind) {
		if os.MkdirAll(dir, 0o700) == nil && ours(dir) && unix.Access(dir, unix.W_OK) == nil {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// machine begins the names of this machine's lists: their locks may be seen on no other.
func machine() string {
	name, _ := os.Hostname() // none is one, too
	return fmt.Sprintf("%x-", sha256.Sum256([]byte(name)))[:9] + "-"
}

// newList makes a locked list and gives its path; nil where that can't be done. It gets its name when the
// lock is held, so that nobody ever takes it for a dead process's.
func newList() (list *os.File, path string) {
	for _, dir := range homes() {
		for range 3 { // whoever ends takes an empty directory away
			if list, path = newListIn(dir); list != nil {
				return list, path
			}
		}
	}
	return nil, ""
}

func newListIn(dir string) (list *os.File, path string) {
	if os.MkdirAll(dir, 0o700) != nil || !ours(dir) {
		return nil, ""
	}
	name := rand.Text()
	tmp, path := filepath.Join(dir, unlocked+name), filepath.Join(dir, machine()+name)
	list, err := os.OpenFile(tmp, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, ""
	}
	if unix.Flock(int(list.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || os.Rename(tmp, path) != nil {
		list.Close()
		_ = os.Remove(tmp)
		return nil, ""
	}
	return list, path
}

// ours reports whether a directory is this user's own, and nobody else may write to it.
func ours(dir string) bool {
	st, err := os.Lstat(dir)
	if err != nil || !st.IsDir() || st.Mode().Perm()&0o022 != 0 {
		return false
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid()
}

// Left gives what processes have left that are dead. Lists of which nothing is there any
// more it removes.
func Left() (paths []string) {
	here := machine()
	for _, dir := range homes() {
		if !ours(dir) {
			continue
		}
		entries, _ := os.ReadDir(dir) // there is none where nothing was made
		for _, e := range entries {
			at := filepath.Join(dir, e.Name())
			info, err := e.Info()
			switch {
			case err != nil || !info.Mode().IsRegular():
			case strings.HasPrefix(e.Name(), unlocked):
				leftBy(at)
			case strings.HasPrefix(e.Name(), here) || time.Since(info.ModTime()) > elsewhere:
				paths = append(paths, leftBy(at)...)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// leftBy gives what is there of a list that nobody holds.
func leftBy(list string) []string {
	f, err := os.OpenFile(list, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil // its process lives
	}
	paths := there(f)
	if len(paths) == 0 {
		drop(list)
	}
	return paths
}

// drop removes a list, and its directory where it was the last.
func drop(list string) {
	_ = os.Remove(list)
	_ = os.Remove(filepath.Dir(list))
}

// there gives the paths of a list at which there is something.
func there(list *os.File) (paths []string) {
	lines := bufio.NewScanner(io.NewSectionReader(list, 0, 1<<62))
	for lines.Scan() {
		path, err := strconv.Unquote(lines.Text())
		if err != nil || !filepath.IsAbs(path) {
			continue // the line was cut off, and nothing was made
		}
		if _, err := os.Lstat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}
