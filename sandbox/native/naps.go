package native

import (
	"container/list"
	"sync"
	"time"
)

// hibernateVar is the variable that says when worlds hibernate, for tests and in need.
const hibernateVar = "COOKOFF_HIBERNATE"

// hibernation says when.
type hibernation string

const (
	never  hibernation = "never"
	always hibernation = "always" // whenever nothing is asked
	// All else: where it pays. To open a world again takes 15 ms of a processor; a guest
	// that waits takes 3 MiB.
)

// What pays: so many worlds that nothing is asked of keep their guests in any case, and
// others for so long: a trial that goes on at once needs its guest.
const (
	keptAwake = 32
	shortWait = time.Second
)

// naps has worlds hibernate that wait for long, where many do.
type naps struct {
	when hibernation
	wait func(time.Duration, func()) // calls after a time; nil: time.AfterFunc
	now  func() time.Time            // nil: time.Now
	nap  func(*world)                // nil: in the background

	mu      sync.Mutex
	waiting list.List // of *napper, that waits longest first
	of      map[*world]*list.Element
	armed   bool // a look is due
}

// napper is a world that nothing is asked of.
type napper struct {
	w     *world
	since time.Time
}

// idle says that nothing is asked of w any more.
func (n *naps) idle(w *world) {
	if n.when == always {
		w.nap()
		return
	}
	n.mu.Lock()
	if n.of[w] == nil {
		if n.of == nil {
			n.of = map[*world]*list.Element{}
		}
		n.of[w] = n.waiting.PushBack(&napper{w, n.time()})
	}
	n.mu.Unlock()
	n.look()
}

// forget says that something is asked of w, or that it has ended.
func (n *naps) forget(w *world) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.remove(w)
}

func (n *naps) remove(w *world) {
	if e := n.of[w]; e != nil {
		n.waiting.Remove(e)
		delete(n.of, w)
	}
}

// look has those hibernate that it is time for, and comes back for the next.
func (n *naps) look() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.waiting.Len() > keptAwake {
		first := n.waiting.Front().Value.(*napper)
		if left := shortWait - n.time().Sub(first.since); left > 0 {
			n.arm(left)
			return
		}
		n.remove(first.w)
		if n.nap != nil {
			n.nap(first.w)
			continue
		}
		go first.w.nap()
	}
}

// arm has look be called after a time; the lock is held.
func (n *naps) arm(after time.Duration) {
	if n.armed {
		return
	}
	n.armed = true
	wait := n.wait
	if wait == nil {
		wait = func(d time.Duration, f func()) { time.AfterFunc(d, f) }
	}
	wait(after, func() {
		n.mu.Lock()
		n.armed = false
		n.mu.Unlock()
		n.look()
	})
}

func (n *naps) time() time.Time {
	if n.now != nil {
		return n.now()
	}
	return time.Now()
}
