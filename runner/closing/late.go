// Package closing closes the sandboxes of trials.
package closing

import (
	"context"
	"runtime"
	"sync"

	"cookoff/sandbox"
)

// Late are the sandboxes of trials that an interrupt ended: they are closed once
// the record is whole, since closing hundreds takes long.
type Late struct {
	mu  sync.Mutex
	all []sandbox.Sandbox
}

// Close closes sb at once, or late where ctx has ended. A nil late closes at once.
func (l *Late) Close(ctx context.Context, sb sandbox.Sandbox) {
	if l == nil || ctx.Err() == nil {
		_ = sb.Close() // what is left "clean" removes
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, sb)
}

// End closes those that are left, a few at once; tell, when not nil, is told
// before how many they are.
func (l *Late) End(tell func(n int)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) > 0 && tell != nil {
		tell(len(l.all))
	}
	var wg sync.WaitGroup
	turn := make(chan struct{}, 2*runtime.NumCPU())
	for _, sb := range l.all {
		turn <- struct{}{}
		wg.Go(func() {
			_ = sb.Close() // what is left "clean" removes
			<-turn
		})
	}
	wg.Wait()
	l.all = nil
}
