package mine

import (
	"testing"
	"time"

	"cookoff/internal/mine"
)

// TestNow: a line says first which tests run, and how long they take where that is long.
func TestNow(t *testing.T) {
	for want, p := range map[string]mine.Progress{
		"0123456789 Wrong sum": {Now: "0123456789 Wrong sum"},
		"tests with the fix: 0123456789 Wrong sum": {Now: "0123456789 Wrong sum",
			Step: "tests with the fix"},
		"tests with a fault in the fix, 1 of 4 (17s a run): 0123 Wrong": {Now: "0123 Wrong",
			Step: "tests with a fault in the fix, 1 of 4", Takes: 17*time.Second + 1},
		"the referee proves it: 0123 Wrong": {Now: "0123 Wrong",
			Step: "the referee proves it", Takes: time.Second},
	} {
		if got := now(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
