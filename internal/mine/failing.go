package mine

import (
	"fmt"
	"time"
)

// failing is a test that fails without the fix, as a prompt names it.
type failing struct {
	name    string
	stopped time.Duration // it never ends: when it was stopped; 0: it ends
	full    bool          // it takes all memory there is
}

// how says what it does; by says so of one that ends.
func (f failing) how(by string) string {
	switch {
	case f.full:
		return "takes all memory there is, and is ended for that"
	case f.stopped > 0:
		return fmt.Sprintf("does not end, and is stopped after %s", f.stopped)
	}
	return by
}
