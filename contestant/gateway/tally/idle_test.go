package tally_test

import (
	"testing"
	"time"

	"cookoff/contestant/gateway/tally"
)

// TestStalledReply: the silence of a reply that has begun is charged to nobody until it goes
// on, and stays so where it does not; beside a reply that comes, or one that has no word
// yet, it is the agent's time.
func TestStalledReply(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	var i tally.Idle
	want := func(now, seconds int) {
		t.Helper()
		if got := i.At(at(now), 0, 0); got != time.Duration(seconds)*time.Second {
			t.Errorf("at %d: %v, want %d s", now, got, seconds)
		}
	}
	i.At(at(0), 1, 0)  // a call waits
	i.At(at(5), -1, 1) // and is answered
	want(10, 5)        // no word of it yet: the model may think
	i.NotePiece("a", at(10))
	want(40, 35) // silent for 30 s
	i.NotePiece("a", at(41))
	want(41, 5)        // it was slow
	i.At(at(45), 0, 1) // another one
	want(60, 5)        // which has no word yet
	i.NotePiece("b", at(60))
	want(70, 15) // both are silent
	i.Ended("b", at(70), false)
	i.At(at(70), 0, -1)
	want(80, 15)
	i.Ended("a", at(100), true)
	i.At(at(100), 0, -1)
	want(200, 35)
}
