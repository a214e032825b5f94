package native

import (
	"os/exec"
	"strings"
	"testing"

	"cookoff/sandbox/sandboxtest"
)

// acceptedOfGVisor are the promises that its kernel keeps in another way, or
// does not know how to keep.
func acceptedOfGVisor() []sandboxtest.Accepted {
	return []sandboxtest.Accepted{}
}

func TestGVisorPromises(t *testing.T) {
	if testing.Short() {
		t.Skip("the same promises as TestPromises, kept another way")
	}
	if _, err := exec.LookPath("runsc"); err != nil {
		t.Skip("runsc is not installed")
	}
	b := NewGVisor(Options{Dir: passable(t)})
	if err := b.Check(t.Context()); err != nil {
		if strings.Contains(err.Error(), "take another backend") {
			t.Skip(err) // refused, in words
		}
		t.Fatal(err)
	}
	sandboxtest.Run(t, b, acceptedOfGVisor()...)
}
