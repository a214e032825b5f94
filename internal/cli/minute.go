package cli

import (
	"sync"
	"time"
)

// EachMinute says each minute what words give of the time that has passed, until end is called, so that who reads a
// pipe knows that it goes on.
func (c *Common) EachMinute(words func(passed time.Duration) string) (end func()) {
	tick := time.NewTicker(time.Minute)
	stop := c.each(tick.C, words)
	return func() {
		tick.Stop()
		stop()
	}
}

// each says at each tick what words give.
func (c *Common) each(tick <-chan time.Time, words func(passed time.Duration) string) (end func()) {
	begun, done := time.Now(), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case now := <-tick:
				c.Say("%s", words(now.Sub(begun)))
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}
