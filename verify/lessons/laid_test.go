package lessons

import (
	"testing"

	"cookoff/sandbox"
)

// TestLaidTests: what a check makes of protected files is learned of it alone,
// and survives into a later run.
func TestLaidTests(t *testing.T) {
	l, later := New(), New()
	f, other := sandbox.File{Path: "a_test.go", Sum: "1"}, sandbox.File{Path: "a_test.go", Sum: "2"}
	if l.MadeByCheck("after", f, false) || !l.MadeByCheck("after", f, true) {
		t.Error("it is known before it is learned, or not after")
	}
	if _, _, err := later.Restore(l.Keep(nil, false)); err != nil {
		t.Fatal(err)
	}
	if !later.MadeByCheck("after", f, false) || later.MadeByCheck("after", other, false) || later.MadeByCheck("guard", f, false) {
		t.Error("it is lost, or holds for another content or check")
	}
}
