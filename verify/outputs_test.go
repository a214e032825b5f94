package verify

import (
	"maps"
	"testing"

	"cookoff/sandbox"
)

// TestBornIn: files that a check made before anybody came are told from those that were there.
func TestBornIn(t *testing.T) {
	m := sandbox.Manifest{{Path: "/tmp/x", Mode: 0o644}, {Path: "src/a.c", Mode: 0o644},
		{Path: "tests/a_test", Mode: 0o755}}
	if got := bornIn(m, map[string]bool{"src/a.c": true}); !maps.Equal(got, map[string]bool{"tests/a_test": true}) {
		t.Errorf("%v", got)
	}
	if got := bornIn(m, nil); got != nil {
		t.Errorf("nobody knows: %v", got)
	}
}
