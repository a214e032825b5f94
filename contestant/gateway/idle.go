package gateway

import "time"

// idle measures how long an agent had nothing of its model: a call waited, for a place or
// for a provider that is down, and none was being answered. What waits beside a call that
// is answered is no excuse for time.
type idle struct {
	waiting, asking int
	since           time.Time // of the last change
	sum             time.Duration
}

// at changes how many calls wait and are being answered, and gives the time up to now.
func (i *idle) at(now time.Time, waiting, asking int) time.Duration {
	if i.waiting > 0 && i.asking == 0 {
		i.sum += max(now.Sub(i.since), 0)
	}
	i.since = now
	i.waiting += waiting
	i.asking += asking
	return i.sum
}

// moved notes that a call goes from one to the other.
func (g *Gateway) moved(waiting, asking int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle.at(g.opts.Clock.Now(), waiting, asking)
}
