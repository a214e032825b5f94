package layers

import (
	"errors"
	"sync"

	"cookoff/sandbox/trees"
)

// State is the files of a sealed world. It lives until it is released and
// nothing that rests on it is left.
type State struct {
	store   *Store
	dir     string
	layers  []stratum // newest first
	below   *State    // whose files some of the layers are
	several bool      // files belong to several users

	mu       sync.Mutex
	users    int
	released bool
}

// hold says that a world rests on the state.
func (s *State) hold() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return errors.New("the state was released")
	}
	s.users++
	return nil
}

func (s *State) drop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	return s.removeUnused()
}

// Release removes the files, at once or when the last user is gone.
func (s *State) Release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return nil
	}
	s.released = true
	return s.removeUnused()
}

func (s *State) removeUnused() error {
	if !s.released || s.users > 0 {
		return nil
	}
	err := trees.Remove(s.dir)
	if s.below != nil {
		err = errors.Join(err, s.below.drop())
		s.below = nil
	}
	return err
}
