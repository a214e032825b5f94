package plant

import (
	"testing"
	"time"
)

// A fault that keeps a test from ending is no task: it may not cost ten runs of a suite.
func TestLimit(t *testing.T) {
	for _, c := range []struct{ took, timeout, want time.Duration }{
		{time.Second, 5 * time.Minute, 10 * time.Second},
		{18 * time.Second, 5 * time.Minute, 54 * time.Second},
		{18 * time.Second, 30 * time.Second, 30 * time.Second},
	} {
		if got := (Options{Timeout: c.timeout}).limit(c.took); got != c.want {
			t.Errorf("tests that take %s, of at most %s: %s, want %s", c.took, c.timeout, got, c.want)
		}
	}
}

// Of each fault is said what became of it.
func TestSince(t *testing.T) {
	before := Tried{Planted: 3, Killed: 1, Survived: 1, Unbuilt: 1}
	for want, now := range map[string]Tried{
		"survived":   {Planted: 4, Killed: 1, Survived: 2, Unbuilt: 1},
		"noticed":    {Planted: 4, Killed: 2, Survived: 1, Unbuilt: 1},
		"unbuilt":    {Planted: 4, Killed: 1, Survived: 1, Unbuilt: 2},
		"endless":    {Planted: 4, Killed: 1, Survived: 1, Unbuilt: 1, Endless: 1},
		"everywhere": {Planted: 4, Killed: 1, Survived: 1, Unbuilt: 1, Many: 1},
		"differing":  {Planted: 4, Killed: 1, Survived: 1, Unbuilt: 1, Differ: 1},
	} {
		if got := now.since(before); got != want {
			t.Errorf("%+v: %s, want %s", now, got, want)
		}
	}
}
