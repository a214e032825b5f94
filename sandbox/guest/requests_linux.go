package guest

import "sync"

// requests are those of the host, counted for whoever waits until there is one more.
type requests struct {
	mu   sync.Mutex
	news sync.Cond
	n    int64 // begun and ended
	open int   // that are worked on
}

func newRequests() *requests {
	r := &requests{}
	r.news.L = &r.mu
	return r
}

// begin counts a request that is worked on until end is called.
func (r *requests) begin() (end func()) {
	r.change(1)
	return func() { r.change(-1) }
}

func (r *requests) change(open int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	r.open += open
	r.news.Broadcast()
}

// count changes with every request that begins or ends.
func (r *requests) count() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

// rest waits for the first request after the count was seen, and reports whether there was
// anything to wait for: not so while one is worked on.
func (r *requests) rest(seen int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open > 0 || r.n != seen {
		return false
	}
	for r.n == seen {
		r.news.Wait()
	}
	return true
}

// alone reports whether only one is worked on: that of whoever asks.
func (r *requests) alone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open == 1
}
