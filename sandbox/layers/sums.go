package layers

import (
	"slices"
	"strings"
	"sync"

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
	return f.store.sums.in(slices.DeleteFunc(dirs, func(d string) bool { return d == "" }))
}

// in lists the files in directories.
func (s *sums) in(dirs []string) noted.List {
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
		var files []noted.File
		for _, d := range dirs {
			files = append(files, filesIn(d)...)
		}
		list := noted.ListOf(files)
		s.mu.Lock()
		s.of[key] = list
		s.mu.Unlock()
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of[key]
}
