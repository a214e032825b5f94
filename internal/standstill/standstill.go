// Package standstill notices that this process did not run for a while: it was stopped
// (Ctrl-Z, SIGSTOP), or its machine was.
package standstill

import (
	"sync"
	"time"
)

// A process that runs looks at the clock each second; what is more than shortest between
// two looks no busy machine explains.
const (
	look     = time.Second
	shortest = 15 * time.Second
)

// Meter begins to watch, and gives what ends that: for how long this process stood still
// meanwhile. It is safe for concurrent use.
func Meter() func() time.Duration { return process.meter() }

// process is this one.
var process = &watch{now: time.Now, tick: time.NewTicker}

// watch looks at the clock, once for all who have a meter: many trials wait at once.
type watch struct {
	now  func() time.Time
	tick func(time.Duration) *time.Ticker

	mu     sync.Mutex
	meters int
	end    chan struct{} // of the looks; nil: nobody has a meter
	last   time.Time     // of a look
	still  time.Duration // all that it stood still so far
}

func (w *watch) meter() func() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.meters++; w.meters == 1 {
		w.last, w.end = w.now(), make(chan struct{})
		go w.run(w.tick(look), w.end)
	} else {
		w.look()
	}
	before := w.still
	return sync.OnceValue(func() time.Duration {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.look()
		if w.meters--; w.meters == 0 {
			close(w.end)
		}
		return w.still - before
	})
}

func (w *watch) run(t *time.Ticker, end <-chan struct{}) {
	defer t.Stop()
	for {
		select {
		case <-t.C:
			w.mu.Lock()
			w.look()
			w.mu.Unlock()
		case <-end:
			return
		}
	}
}

// look adds what the clock has leapt since the last look; the lock is held.
func (w *watch) look() {
	at := w.now()
	if gap := at.Sub(w.last); gap >= shortest {
		w.still += gap
	}
	w.last = at
}
