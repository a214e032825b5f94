package cli

import (
	"io"
	"sync"
)

// Closers are what is closed when a command ends: backends, which hold a
// directory and a control group. What can't be given back is left to "clean".
type Closers struct {
	mu  sync.Mutex
	all []io.Closer
}

// Add closes c when the program ends.
func (cs *Closers) Add(c io.Closer) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.all = append(cs.all, c)
}

// Close closes them all.
func (cs *Closers) Close() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, c := range cs.all {
		_ = c.Close()
	}
	cs.all = nil
}
