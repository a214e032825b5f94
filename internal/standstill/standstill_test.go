package standstill

import (
	"testing"
	"time"
)

// TestMeter counts the gaps that no busy machine explains, the last one too, and no others.
func TestMeter(t *testing.T) {
	for _, c := range []struct {
		looks []time.Duration // since the one before
		want  time.Duration
	}{
		{[]time.Duration{time.Second, 14 * time.Second, time.Second}, 0},
		{[]time.Duration{time.Second, time.Minute, time.Second}, time.Minute},
		{[]time.Duration{time.Hour, time.Second, time.Minute}, time.Hour + time.Minute},
		{[]time.Duration{20 * time.Second}, 20 * time.Second},
	} {
		at := time.Unix(0, 0)
		w := &watch{now: func() time.Time { return at },
			tick: func(time.Duration) *time.Ticker { return time.NewTicker(time.Hour) }}
		other := w.meter()
		end := w.meter()
		for _, gap := range c.looks {
			at = at.Add(gap)
			w.mu.Lock()
			w.look()
			w.mu.Unlock()
		}
		late := w.meter()
		if got := end(); got != c.want {
			t.Errorf("%v: %v, want %v", c.looks, got, c.want)
		}
		if a, b := other(), late(); a != c.want || b != 0 {
			t.Errorf("%v: who began before counts %v, who began after %v", c.looks, a, b)
		}
	}
	if still := Meter()(); still != 0 {
		t.Errorf("%v of no time", still)
	}
}
