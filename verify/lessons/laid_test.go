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
	if l.Laid("after", f, false) || !l.Laid("after", f, true) {
		t.Error("it is known before it is learned, or not after")
	}
	if _, _, err := later.Restore(l.Keep(nil, false)); err != nil {
		t.Fatal(err)
	}
	if !later.Laid("after", f, false) || later.Laid("after", other, false) || later.Laid("guard", f, false) {
		t.Error("it is lost, or holds for another content or check")
	}
}
