package oneline_test

import (
	"testing"

	"cookoff/internal/oneline"
)

// TestOf: what indents a line goes, what ends one stays.
func TestOf(t *testing.T) {
	const broken = `	{"a":1, 
		"b":"x  y"}`
	if got, want := oneline.Of(broken), "\t{\"a\":1, \"b\":\"x  y\"}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
