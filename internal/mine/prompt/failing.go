package prompt

import (
	"fmt"
	"time"
)

// Failing is a test that fails without the fix, as a prompt names it.
type Failing struct {
	Name    string
	Stopped time.Duration // it never ends: when it was stopped; 0: it ends
	Full    bool          // it takes all memory there is
}

// how says what it does; by says so of one that ends.
func (f Failing) how(by string) string {
	switch {
	case f.Full:
		return "takes all memory there is, and is ended for that"
	case f.Stopped > 0:
		return fmt.Sprintf("does not end, and is stopped after %s", f.Stopped)
	}
	return by
}
