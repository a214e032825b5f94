package report

import "testing"

// TestInOneLine: an error of several lines is shown as one, and says nothing twice.
func TestInOneLine(t *testing.T) {
	const want = "writing j: it is gone; what it held is in x"
	if got := inOneLine("writing j: it is gone\nwriting j: it is gone\n  hint: what it held is in x"); got != want {
		t.Errorf("%q", got)
	}
}
