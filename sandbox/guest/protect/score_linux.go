package protect

import (
	"bytes"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/wire"
)

// Score is the guest's own oom_score_adj: whoever is ended first when memory
// is short. What the guest starts is, and never the guest: without it the world
// ends.
type Score struct{ own []byte }

// firstToEnd is the highest that there is.
const firstToEnd = "1000"

// NewScore reads the score that the guest has at first.
func NewScore() Score {
	b := make([]byte, 16)
	n, _ := unix.Pread(wire.OOMScoreFD, b, 0)
	return Score{bytes.TrimSpace(b[:max(0, n)])}
}

// Wear has the guest wear the score of what it starts while it starts it: that
// is inherited, and what it was at first may always be gone back to.
func (s Score) Wear() (back func()) {
	if len(s.own) == 0 {
		return func() {}
	}
	_, _ = unix.Pwrite(wire.OOMScoreFD, []byte(firstToEnd), 0)
	return func() { _, _ = unix.Pwrite(wire.OOMScoreFD, s.own, 0) }
}
