package wire

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"testing"

	"cookoff/sandbox"
)

// TestFailure: what kind a failure is comes over as fields, whatever its words. A disk without
// room is the machine's where others filled it, or as the world is set up: that is then no kernel
// that refuses to stack layers, for which worlds would be copied from then on.
func TestFailure(t *testing.T) {
	kinds := []error{sandbox.ErrShort, ErrOverlay, syscall.ENOSPC}
	check := func(err error, setUp bool, want ...error) {
		t.Helper()
		got := Failed(err, setUp).Failure()
		if got.Error() != err.Error() {
			t.Errorf("%v became %v", err, got)
		}
		for _, kind := range kinds {
			if errors.Is(got, kind) != slices.Contains(want, kind) {
				t.Errorf("%v, in the set-up %v: of the kind %v: %v", err, setUp, kind, errors.Is(got, kind))
			}
		}
	}
	check(errors.New("stacking layers by hand, no space left on device"), true)
	check(sandbox.OfKinds("no memory", sandbox.ErrShort), false, sandbox.ErrShort)
	check(sandbox.OfKinds("others", sandbox.ErrShort, syscall.ENOSPC), false, sandbox.ErrShort, syscall.ENOSPC)
	check(fmt.Errorf("%w: %w", ErrOverlay, syscall.EINVAL), true, ErrOverlay)
	check(fmt.Errorf("%w: %w", ErrOverlay, syscall.ENOSPC), true, syscall.ENOSPC)
	check(fmt.Errorf("writing: %w", syscall.ENOSPC), false)
	check(fmt.Errorf("writing: %w", syscall.ENOSPC), true, syscall.ENOSPC)
}
