package hint

import (
	"errors"
	"fmt"
	"testing"
)

// TestOf: a hint is found under what wraps the error, and is no part of the message.
func TestOf(t *testing.T) {
	check := func(err error, wantMsg, wantHint string) {
		t.Helper()
		if msg, hint := Of(err); msg != wantMsg || hint != wantHint {
			t.Errorf("%q, %q", msg, hint)
		}
	}
	e := New("turn it", "the key %q is stuck", "k")
	check(e, `the key "k" is stuck`, "turn it")
	check(fmt.Errorf("opening: %w", e), `opening: the key "k" is stuck`, "turn it")
	check(errors.New("no\nhint: of ours"), "no\nhint: of ours", "")
}
