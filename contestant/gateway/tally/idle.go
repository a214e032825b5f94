package tally

import "time"

// Idle measures how long an agent had nothing of its model: a call waited, for a place or
// for a provider that is down, and none was being answered. What waits beside a call that
// is answered is no excuse for time.
type Idle struct {
	waiting, asking int
	since           time.Time // of the last change
	sum             time.Duration
}

// At changes how many calls wait and are being answered, and gives the time up to now.
func (i *Idle) At(now time.Time, waiting, asking int) time.Duration {
	if i.waiting > 0 && i.asking == 0 {
		i.sum += max(now.Sub(i.since), 0)
	}
	i.since = now
	i.waiting += waiting
	i.asking += asking
	return i.sum
}

// Waiting is how many calls wait.
func (i *Idle) Waiting() int { return i.waiting }
