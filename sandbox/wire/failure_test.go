package wire

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"cookoff/sandbox"
)

// TestFailure: what kind a guest's failure is comes over as a field, whatever its words.
func TestFailure(t *testing.T) {
	for _, err := range []error{sandbox.ShortOf("no memory"), fmt.Errorf("%w: permission denied", ErrOverlay),
		errors.New("stacking layers by hand"), errors.New("no space left on device")} {
		r := Reply{Err: err.Error(), Short: errors.Is(err, sandbox.ErrShort), Stack: errors.Is(err, ErrOverlay)}
		got := r.Failure()
		if got.Error() != err.Error() || errors.Is(got, sandbox.ErrShort) != r.Short || errors.Is(got, ErrOverlay) != r.Stack {
			t.Errorf("%v became %v", err, got)
		}
	}
}

// TestNotSetUp: a part that finds no room says so as a field. That is no kernel that refuses
// to stack layers: worlds are not copied from then on.
func TestNotSetUp(t *testing.T) {
	check := func(err error, stack, room bool) {
		t.Helper()
		got := NotSetUp(err).Failure()
		if got.Error() != err.Error() || errors.Is(got, ErrOverlay) != stack || errors.Is(got, syscall.ENOSPC) != room {
			t.Errorf("%v became %v: stacking %v, room %v", err, got, errors.Is(got, ErrOverlay),
				errors.Is(got, syscall.ENOSPC))
		}
	}
	check(fmt.Errorf("%w: %w", ErrOverlay, syscall.EINVAL), true, false)
	check(fmt.Errorf("mounting: %w: %w", ErrOverlay, syscall.ENOSPC), false, true)
	check(syscall.EPERM, false, false)
}
