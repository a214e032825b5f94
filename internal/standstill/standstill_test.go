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
		at, ticks := time.Unix(0, 0), make(chan time.Time)
		looks := append([]time.Duration{0}, c.looks...)
		end := start(ticks, func() time.Time {
			at, looks = at.Add(looks[0]), looks[1:]
			return at
		})
		for range c.looks[1:] { // the last look is at the end
			ticks <- time.Time{}
		}
		if got := end(); got != c.want {
			t.Errorf("%v: %v, want %v", c.looks, got, c.want)
		}
	}
	if still := Meter()(); still != 0 {
		t.Errorf("%v of no time", still)
	}
}
