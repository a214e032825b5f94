package traffic

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"cookoff/model"
	"cookoff/runner/clock"
)

// How long a provider that does not answer is left alone before it is asked again:
// twice as long each time.
const (
	FirstWait = time.Second
	MaxWait   = 5 * time.Minute
)

// When a provider counts as down, and how long that is borne with.
const (
	downFailures = 3                // in a row without any answer: it is down
	downTrials   = 3                // trials whose requests all fail, none being answered: it is down
	longWait     = 10 * time.Second // who asks for so long a wait is asked by nobody until then

	defaultSilence = 10 * time.Minute // of a provider that does not answer, until it is given up
	defaultTold    = 2 * time.Hour    // that a provider may ask to wait, until it is given up
)

// LostError says that a provider was given up: it did not answer, or asks for a
// longer wait than the run is ready for. Its trials are void, and can be resumed.
type LostError struct {
	Provider string // or provider/model, where it is that alone
	Why      string
}

// Error is one line: Why may end with lines of hints.
func (e *LostError) Error() string {
	return fmt.Sprintf("%s was given up: %s", e.Provider, strings.ReplaceAll(e.Why, "\n", "; "))
}

// circuit stands before the requests to a provider. While it is open one of the
// trials that wait asks for all of them, more and more rarely; when it is answered,
// all go on.
type circuit struct {
	name    string
	clock   clock.Clock
	silence time.Duration // after which the provider is given up
	told    time.Duration // longest wait that it may ask for

	mu       sync.Mutex
	answered bool     // it has answered a request
	failing  []string // trials whose requests failed since one was answered
	downs    int      // requests since then that nobody answered at all
	open     bool
	tries    int           // while open
	waits    time.Duration // while open, all together
	why      string        // it is open
	next     time.Time     // when it is asked again
	lost     *LostError
	asking   bool        // somebody waits for the next try, or makes it
	queue    []chan bool // who else waits: true makes it the one who asks
}

// pass is a request that went through a circuit.
type pass struct {
	of   *circuit
	asks bool // for all others too
}

// enter waits until a request may be made. waits is called before each wait for
// the next try with how long it is.
func (c *circuit) enter(ctx context.Context, waits func(d time.Duration, why string)) (pass, error) {
	for {
		c.mu.Lock()
		switch {
		case c.lost != nil:
			defer c.mu.Unlock()
			return pass{}, c.lost
		case !c.open:
			defer c.mu.Unlock()
			return pass{of: c}, nil
		case !c.asking:
			c.asking = true
			c.mu.Unlock()
			return c.ask(ctx, waits)
		}
		turn := make(chan bool, 1)
		c.queue = append(c.queue, turn)
		c.mu.Unlock()
		select {
		case mine := <-turn:
			if mine {
				return c.ask(ctx, waits)
			}
		case <-ctx.Done():
			c.giveUp(turn)
			return pass{}, ctx.Err()
		}
	}
}

// ask waits for the next try, which is the caller's.
func (c *circuit) ask(ctx context.Context, waits func(time.Duration, string)) (pass, error) {
	c.mu.Lock()
	wait, why := max(c.next.Sub(c.clock.Now()), 0), c.why
	c.mu.Unlock()
	p := pass{c, true}
	if wait > 0 {
		waits(wait, why)
		if err := c.clock.Sleep(ctx, wait); err != nil {
			p.neither()
			return pass{}, err
		}
	}
	return p, nil
}

// giveUp leaves the queue. Who was to ask just then lets the next one ask.
func (c *circuit) giveUp(turn chan bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.queue, turn); i >= 0 {
		c.queue = slices.Delete(c.queue, i, i+1)
	} else if <-turn {
		c.handOn()
	}
}

// handOn makes the first who waits the one who asks. The lock is held.
func (c *circuit) handOn() {
	if c.asking = len(c.queue) > 0; c.asking {
		c.queue[0] <- true
		c.queue = c.queue[1:]
	}
}

// wake lets all who wait look again. The lock is held.
func (c *circuit) wake() {
	for _, turn := range c.queue {
		turn <- false
	}
	c.queue, c.asking = nil, false
}

// neither ends a request that says nothing of the provider.
func (p pass) neither() {
	if p.of == nil || !p.asks {
		return
	}
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if p.of.open {
		p.of.handOn()
	}
}

// answered ends a request that the provider answered. It reports whether nothing
// was known of it to do so.
func (p pass) answered() (again bool) {
	c := p.of
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered, c.failing, c.downs = true, nil, 0
	if !c.open || !p.asks {
		return false
	}
	c.open, c.tries, c.waits = false, 0, 0
	c.wake()
	return true
}

// failed ends a request that failed by the provider's doing. It gives an error
// when the provider was just given up.
func (p pass) failed(trial string, e *model.RetryError) *LostError {
	c := p.of
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil || c.open && !p.asks { // was under way when it opened
		return nil
	}
	if e.Page && !c.answered { // nor will it be one
		c.lost = &LostError{c.name, fmt.Sprintf("it is no API of models: %v", e)}
		c.wake()
		return c.lost
	}
	if !slices.Contains(c.failing, trial) {
		c.failing = append(c.failing, trial)
	}
	if e.Down {
		c.downs++
	}
	told := e.After >= longWait
	if !c.open && !told && c.downs < downFailures && len(c.failing) < downTrials {
		return nil
	}
	c.tries++
	wait := e.After
	if !told {
		wait = min(FirstWait<<min(c.tries, 10), MaxWait)
	}
	c.open, c.why = true, e.Error()
	c.next, c.waits = c.clock.Now().Add(wait), c.waits+wait
	if c.lost = c.tooLong(wait, told, e); c.lost != nil {
		c.wake()
		return c.lost
	}
	if p.asks {
		c.handOn()
	}
	return nil
}

// tooLong says why the next try comes too late, or nothing.
func (c *circuit) tooLong(wait time.Duration, told bool, e *model.RetryError) *LostError {
	switch {
	case told && c.waits > c.told:
		return &LostError{c.name, fmt.Sprintf("it asks to wait %v, and the run waits %v for it at most: %v",
			wait.Round(time.Second), c.told, e)}
	case !told && c.waits > c.silence:
		return &LostError{c.name, fmt.Sprintf("it did not answer for %v, in %d tries: %v",
			(c.waits - wait).Round(time.Second), c.tries, e)}
	}
	return nil
}

// barred reports whether nobody but one may ask at present, or nobody any more.
func (c *circuit) barred() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open || c.lost != nil
}
