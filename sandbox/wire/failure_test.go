package wire

import (
	"errors"
	"fmt"
	"testing"

	"cookoff/sandbox"
)

// TestFailure: what kind a guest's failure is comes over as a field, whatever its words.
func TestFailure(t *testing.T) {
	for _, err := range []error{sandbox.ShortOf("no memory"), fmt.Errorf("%w: permission denied", ErrOverlay),
		errors.New("stacking layers by hand")} {
		r := Reply{Err: err.Error(), Short: errors.Is(err, sandbox.ErrShort), Stack: errors.Is(err, ErrOverlay)}
		got := r.Failure()
		if got.Error() != err.Error() || errors.Is(got, sandbox.ErrShort) != r.Short || errors.Is(got, ErrOverlay) != r.Stack {
			t.Errorf("%v became %v", err, got)
		}
	}
}
