package cgroup

import (
	"os"
	"sync"
)

// Groups finds the scope in which the worlds of one backend have their control
// groups.
type Groups struct {
	mu    sync.Mutex
	scope *Scope // nil: not looked for yet, or why
	why   error
}

// Scope finds it, once, or gives the reason why worlds here have no control
// groups. note hears of a scope before it is made.
func (gs *Groups) Scope(note func(dir string) error) (*Scope, error) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	if gs.scope != nil || gs.why != nil {
		return gs.scope, gs.why
	}
	gs.scope, gs.why = Find("/proc", note)
	if gs.why == nil {
		gs.why = gs.scope.Try()
	}
	if gs.why != nil && gs.scope != nil {
		gs.scope.Leave()
		gs.scope = nil
	}
	return gs.scope, gs.why
}

// Leave takes the scope away, unless worlds are in it, and reports whether it is
// gone.
func (gs *Groups) Leave() bool {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	if gs.scope == nil {
		return true
	}
	s := gs.scope
	gs.scope = nil
	s.Leave()
	_, err := os.Lstat(s.Dir)
	return err != nil
}
