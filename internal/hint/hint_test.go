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

// TestGiven: a hint is one as a type, and as the text that comes from elsewhere.
func TestGiven(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{errors.New("stuck"), false},
		{fmt.Errorf("opening: %w", New("turn it", "stuck")), true},
		{errors.New("stuck\n  hint: turn it"), true},
	} {
		if got := Given(c.err); got != c.want {
			t.Errorf("%q: %v", c.err, got)
		}
	}
}

// TestOneLine: a message without a hint stays, and lines become clauses.
func TestOneLine(t *testing.T) {
	if got := Join("stuck", ""); got != "stuck" {
		t.Errorf("%q", got)
	}
	if got := OneLine(Join("stuck\nsince noon", "turn it")); got != "stuck; since noon; turn it" {
		t.Errorf("%q", got)
	}
}
