package cli

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"cookoff/internal/ui/screen"
)

// TestEach: what is said at a tick is said before the end, and nothing after it.
func TestEach(t *testing.T) {
	var out bytes.Buffer
	c := &Common{Err: screen.Stream{Writer: &out}}
	tick, n := make(chan time.Time), 0
	end := c.each(tick, func(passed time.Duration) string {
		n++
		return fmt.Sprintf("%d: %v", n, passed >= time.Hour)
	})
	now := time.Now()
	tick <- now
	tick <- now.Add(2 * time.Hour)
	end()
	if got, want := out.String(), "1: false\n2: true\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}
