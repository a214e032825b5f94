package layers

import (
	"os"
	"testing"
)

// TestNamespacesAreFew: however many pairs of users there are, few namespaces stay open,
// and those are the ones that were used last.
func TestNamespacesAreFew(t *testing.T) {
	var o Owners
	var made []*os.File
	begin := func(change) (*os.File, error) {
		f, err := os.Open(os.DevNull)
		made = append(made, f)
		return f, err
	}
	ask := func(from int) *os.File {
		f, err := o.namespace(change{from, 1}, begin)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Stat(); err != nil {
			t.Fatalf("the namespace for %d: %v", from, err)
		}
		return f
	}
	often := ask(-1)
	for i := range 10 * mostKept {
		ask(i)
		if ask(-1) != often {
			t.Fatal("one that is used all the time was made again")
		}
	}
	open := 0
	for _, f := range made {
		if _, err := f.Stat(); err == nil {
			open++
		}
		f.Close()
	}
	if open != mostKept {
		t.Errorf("%d of %d are open, want %d", open, len(made), mostKept)
	}
}
