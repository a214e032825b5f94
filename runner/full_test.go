package runner

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/runner/clock"
)

// TestOneLooksForRoom: of a hundred trials that wait for room one looks at a time, as often
// as if it waited alone; each goes on when it has found room itself, and once there was none
// for two minutes nobody waits for it any more.
func TestOneLooksForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waiting, fullFor = 100, 30
		r, looks, looking := newRoom(), 0, 0 // both are theirs who have the turn
		var found atomic.Int64
		all := func(free bool) {
			var wg sync.WaitGroup
			for range waiting {
				wg.Go(func() {
					got, err := r.await(t.Context(), func() bool {
						if looking++; looking > 1 {
							t.Error("two look at once")
						}
						time.Sleep(time.Millisecond)
						looking, looks = looking-1, looks+1
						return free && looks > fullFor
					}, clock.Real{})
					if got && err == nil {
						found.Add(1)
					}
				})
			}
			wg.Wait()
		}
		if all(true); looks != fullFor+waiting || found.Load() != waiting {
			t.Errorf("%d looks, %d of %d went on, want %d looks", looks, found.Load(), waiting, fullFor+waiting)
		}
		began := time.Now()
		looks = 0
		found.Store(0)
		if all(false); found.Load() != 0 || looks != 120+waiting || time.Since(began) > roomTime+time.Second {
			t.Errorf("%d looks, %d went on after %v, though there was no room", looks, found.Load(), time.Since(began))
		}
		time.Sleep(time.Hour)
		if all(true); found.Load() != waiting {
			t.Errorf("an hour later %d of %d went on", found.Load(), waiting)
		}
	})
}

// TestRoomForOthers: a trial that finds no room while others are judged is waited for further: the
// disk is full now and then, and no machine is broken.
func TestRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := newRoom(), time.Now()
		for i := range 3 {
			time.AfterFunc(time.Duration(i+1)*time.Minute, func() { r.ended.Store(true) })
		}
		found, err := r.await(t.Context(), func() bool { return false }, clock.Real{})
		if took := time.Since(began); found || err != nil || took < 5*time.Minute || took > 5*time.Minute+5*time.Second {
			t.Errorf("found %v, %v after %v, want two minutes after the last that was judged", found, err, took)
		}
	})
}
