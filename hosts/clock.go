package hosts

import "time"

// ahead is how far a clock that said said is ahead of this machine's, which said from
// before that and to after it; below zero: behind. What can be the way's is none of it.
func ahead(said, from, to time.Time) time.Duration {
	switch {
	case said.IsZero():
		return 0
	case said.Before(from):
		return said.Sub(from)
	case said.After(to):
		return said.Sub(to)
	}
	return 0
}

// Ahead is how far the machine's clock is ahead of this one's at least, once it is
// reached; below zero: behind. Nothing here is timed by it.
func (h *Host) Ahead() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now == nil {
		return 0
	}
	return h.now.ahead
}
