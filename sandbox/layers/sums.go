package layers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cookoff/internal/temporary"
	"cookoff/sandbox/noted"
)

// sums are those of the files that many worlds share, summed when one is first described.
type sums struct {
	mu   sync.Mutex
	of   map[string]noted.List // by the directories
	once map[string]*sync.Once
}

// Noted lists what the world starts with and shares with others, so that nobody reads it
// again to describe the world: files that a world changes are others to the kernel. A
// copied world shares nothing.
func (f *Files) Noted() noted.List {
	if f.Copied() {
		return nil
	}
	var dirs []string
	for _, s := range f.lower {
		if s.shared {
			dirs = append(dirs, s.work, s.home)
		}
	}
	return f.store.sums.in(keptSums(f.store.Sums), slices.DeleteFunc(dirs, func(d string) bool { return d == "" }))
}

// in lists the files in directories.
func (s *sums) in(k keptSums, dirs []string) noted.List {
	if len(dirs) == 0 {
		return nil
	}
	key := strings.Join(dirs, "\x00")
	s.mu.Lock()
	if s.of == nil {
		s.of, s.once = map[string]noted.List{}, map[string]*sync.Once{}
	}
	if s.once[key] == nil {
		s.once[key] = &sync.Once{}
	}
	once := s.once[key]
	s.mu.Unlock()
	once.Do(func() {
		before := k.of(key)
		var files []noted.File
		var read int64
		for _, d := range dirs {
			of, n := filesIn(d, before)
			files, read = append(files, of...), read+n
		}
		list := noted.ListOf(files)
		if len(files) >= mostUnkept || read >= mostUnkeptSize {
			k.keep(key, before, list)
		}
		s.mu.Lock()
		s.of[key] = list
		s.mu.Unlock()
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of[key]
}

// Fewer files, of fewer bytes, are summed anew in each process: to keep a list of them is not worth it.
const (
	mostUnkept     = 500
	mostUnkeptSize = 16 << 20
)

// keptSums is a directory in which long lists are kept for the next process; "": nowhere.
type keptSums string

// at is the directory in which the list of some directories is kept.
func (k keptSums) at(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(string(k), hex.EncodeToString(sum[:8]))
}

// of gives the list that a process before kept of the same directories. A file that was changed since, or
// is another, is not found in it: its time of change is the kernel's.
func (k keptSums) of(key string) noted.List {
	if k == "" {
		return nil
	}
	at := k.at(key)
	text, err := os.ReadFile(filepath.Join(at, listName))
	if err != nil {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(at, now, now) // it only says that it is used
	return noted.List(text)
}

// keep keeps a list for the next process. One that can't be kept is made again.
func (k keptSums) keep(key string, before, list noted.List) {
	if k == "" || bytes.Equal(before, list) {
		return
	}
	at := k.at(key)
	if os.MkdirAll(at, 0o700) != nil {
		return
	}
	half, err := temporary.File(at, "."+listName+"-*")
	if err != nil {
		return
	}
	defer os.Remove(half.Name()) // gone after the rename
	_, err = half.Write(list)
	if errors.Join(err, half.Close()) == nil {
		_ = os.Rename(half.Name(), filepath.Join(at, listName))
	}
}

const listName = "list"
