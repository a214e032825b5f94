package guest

import (
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/guest/files"
)

// TestCallAfterAFullDisk: a call that cleans up is not blamed for what the one
// before it wrote between the last look and its end.
func TestCallAfterAFullDisk(t *testing.T) {
	there := files.Usage{Disk: 21, Files: 1}
	u := &usage{limits: &sandbox.Limits{Disk: 20, Files: 10}, look: func() (files.Usage, error) { return there, nil }}
	u.measure()
	there.Disk = 25
	if disk, n := u.atStart(); disk != 25 || n != 1 {
		t.Errorf("it starts with %d bytes in %d files", disk, n)
	}
	there.Disk = 5
	u.measure()
	there.Disk = 6
	if disk, _ := u.atStart(); disk != 5 {
		t.Errorf("within the limits it was measured once more: %d", disk)
	}
}
