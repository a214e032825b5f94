package tally

import "time"

// Idle measures how long an agent had nothing of its model: a call waited, for a place or
// for a provider that is down, and none was being answered. What waits beside a call that
// is answered is no excuse for time.
type Idle struct {
	waiting, asking int
	since           time.Time // of the last change
	sum             time.Duration
	// lastPiece is when each reply under way was heard last, of which the model has written something.
	lastPiece map[any]time.Time
}

// At changes how many calls wait and are being answered, and gives the time up to now.
func (i *Idle) At(now time.Time, waiting, asking int) time.Duration {
	if i.waiting > 0 && i.asking == 0 {
		i.sum += max(now.Sub(i.since), 0)
		i.since = now
	}
	sum := i.sum + i.silence(now)
	if waiting != 0 || asking != 0 {
		i.since = now
	}
	i.waiting += waiting
	i.asking += asking
	return sum
}

// NotePiece notes that more of a reply under way has come.
func (i *Idle) NotePiece(reply any, now time.Time) {
	if i.lastPiece == nil {
		i.lastPiece = map[any]time.Time{}
	}
	i.lastPiece[reply] = now
}

// Ended notes that nothing more of a reply comes: where it has stalled, the agent had
// nothing of its model since it was heard last.
func (i *Idle) Ended(reply any, now time.Time, stalled bool) {
	if stalled {
		i.sum += i.silence(now)
		i.since = now
	}
	delete(i.lastPiece, reply)
}

// silence is for how long all that is being answered has been silent in the middle: until
// the next byte nobody knows whether one of them has stalled, and the time is not charged.
func (i *Idle) silence(now time.Time) time.Duration {
	if i.asking == 0 || len(i.lastPiece) < i.asking {
		return 0
	}
	last := i.since
	for _, at := range i.lastPiece {
		if at.After(last) {
			last = at
		}
	}
	return max(now.Sub(last), 0)
}

// Waiting is how many calls wait.
func (i *Idle) Waiting() int { return i.waiting }
