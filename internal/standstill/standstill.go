// Package standstill notices that this process did not run for a while: it was stopped
// (Ctrl-Z, SIGSTOP), or its machine was.
package standstill

import "time"

// A process that runs looks at the clock each second; what is more than shortest between
// two looks no busy machine explains.
const (
	look     = time.Second
	shortest = 15 * time.Second
)

// Meter begins to watch, and gives what ends that: for how long this process stood still
// meanwhile. It is safe for concurrent use.
func Meter() func() time.Duration {
	t := time.NewTicker(look)
	m := start(t.C, time.Now)
	return func() time.Duration {
		defer t.Stop()
		return m()
	}
}

func start(ticks <-chan time.Time, now func() time.Time) func() time.Duration {
	end, sum := make(chan struct{}), make(chan time.Duration)
	go func() {
		var still time.Duration
		last := now()
		add := func() {
			at := now()
			if gap := at.Sub(last); gap >= shortest {
				still += gap
			}
			last = at
		}
		for {
			select {
			case <-ticks:
				add()
			case <-end:
				add()
				sum <- still
				return
			}
		}
	}()
	return func() time.Duration {
		close(end)
		return <-sum
	}
}
