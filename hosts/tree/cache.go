package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/internal/temporary"
	"cookoff/sandbox/trees"
)

// Cache keeps trees by their digests, in a directory of the user's. Processes may
// share it: a tree that one of them uses is removed by none.
type Cache struct {
	Dir   string
	Limit int64 // bytes of all trees together

	mu    sync.Mutex
	held  map[string]*os.File // locks of those in use, by digest
	known map[string]string   // files, by their sums; nil: not looked
}

// names in a cache: a tree is a directory with a lock, its list, and itself.
const (
	lockFile = "lock"
	listFile = "list"
	treeFile = "tree"
	building = "new-"
)

// Get gives the path of a tree and keeps it from being removed as long as this
// process lives; "": it is not there.
func (c *Cache) Get(digest string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := filepath.Join(c.Dir, digest)
	if c.held[digest] == nil {
		lock, err := lockAt(at, unix.LOCK_SH)
		if err != nil {
			return ""
		}
		if _, err := os.Lstat(filepath.Join(at, treeFile)); err != nil {
			lock.Close()
			return ""
		}
		c.hold(digest, lock)
	}
	_ = os.Chtimes(at, time.Now(), time.Now()) // which was used last
	return filepath.Join(at, treeFile)
}

func (c *Cache) hold(digest string, lock *os.File) {
	if c.held == nil {
		c.held = map[string]*os.File{}
	}
	c.held[digest] = lock
}

func lockAt(dir string, how int) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(lock.Fd()), how|unix.LOCK_NB); err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// Put builds a tree that is not there, and gives its path. What other trees have is
// taken from there; fetch gives the rest.
func (c *Cache) Put(l List, fetch Contents) (string, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return "", err
	}
	tmp, err := temporary.Dir(c.Dir, building+"*")
	if err != nil {
		return "", err
	}
	defer func() { _ = trees.Remove(tmp) }()
	if err := l.Build(filepath.Join(tmp, treeFile), fetch); err != nil {
		return "", err
	}
	text, err := json.Marshal(l)
	if err == nil {
		err = os.WriteFile(filepath.Join(tmp, listFile), text, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(tmp, lockFile), nil, 0o600)
	}
	if err == nil {
		err = os.Rename(tmp, filepath.Join(c.Dir, l.Digest()))
	}
	if err != nil && !errors.Is(err, os.ErrExist) && !errors.Is(err, unix.ENOTEMPTY) {
		return "", err
	}
	c.learn(l)
	at := c.Get(l.Digest())
	if at == "" {
		return "", fmt.Errorf("the tree was removed as soon as it was built")
	}
	return at, c.shrink()
}

// Lacks gives the places in the list of the files that no tree has, each sum once.
func (c *Cache) Lacks(l List) (out []int) {
	seen := map[string]bool{}
	for i, e := range l {
		if !e.Mode.IsRegular() || seen[e.Sum] {
			continue
		}
		seen[e.Sum] = true
		if c.file(e.Sum) == "" {
			out = append(out, i)
		}
	}
	return out
}

// Open gives the content of a file that some tree has.
func (c *Cache) Open(e Entry) (io.ReadCloser, error) { return os.Open(c.file(e.Sum)) }

// file is one with that sum; "": there is none.
func (c *Cache) file(sum string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]string{}
		entries, _ := os.ReadDir(c.Dir) // nothing there: nothing known
		for _, d := range entries {
			var l List
			if text, err := os.ReadFile(filepath.Join(c.Dir, d.Name(), listFile)); err == nil && json.Unmarshal(text,
				&l) == nil {
				c.learned(l, d.Name())
			}
		}
	}
	at := c.known[sum]
	if _, err := os.Lstat(at); err != nil {
		return ""
	}
	return at
}

func (c *Cache) learn(l List) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known != nil {
		c.learned(l, l.Digest())
	}
}

func (c *Cache) learned(l List, name string) {
	for _, e := range l {
		if e.Mode.IsRegular() && filepath.IsLocal(e.Path) {
			c.known[e.Sum] = filepath.Join(c.Dir, name, treeFile, e.Path)
		}
	}
}

// shrink removes trees that nobody uses, those used longest ago first, until the
// limit holds, and what hands that were killed did not finish.
func (c *Cache) shrink() error {
	type kept struct {
		dir  string
		used time.Time
		size int64
	}
	for _, half := range temporary.Left() {
		_ = trees.Remove(half)
	}
	var all []kept
	var total int64
	entries, err := os.ReadDir(c.Dir)
	for _, d := range entries {
		dir := filepath.Join(c.Dir, d.Name())
		st, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		if strings.HasPrefix(d.Name(), building) {
			continue
		}
		var l List
		if text, err := os.ReadFile(filepath.Join(dir, listFile)); err == nil && json.Unmarshal(text, &l) == nil {
			all = append(all, kept{dir, st.ModTime(), l.Size()})
			total += l.Size()
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range all {
		if total <= c.Limit {
			break
		}
		lock, err := lockAt(k.dir, unix.LOCK_EX)
		if err != nil {
			continue // somebody uses it
		}
		if trees.Remove(k.dir) == nil {
			total -= k.size
		}
		lock.Close()
	}
	return err
}
