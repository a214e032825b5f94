//go:build unix

package files

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHold: one holds a file, until it lets go of it.
func TestHold(t *testing.T) {
	at := filepath.Join(t.TempDir(), "lock")
	free, alone, err := Hold(at)
	if err != nil || !alone {
		t.Fatal(alone, err)
	}
	if _, alone, err := Hold(at); alone || err != nil {
		t.Errorf("a second one: %v, %v", alone, err)
	}
	free()
	free, alone, err = Hold(at)
	if err != nil || !alone {
		t.Fatal(alone, err)
	}
	free()
	if err := os.Symlink(at, at+"2"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Hold(at + "2"); err == nil {
		t.Error("it was held through a link")
	}
}
