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

// A full disk is others' doing only where this world has written little: else it could
// void its own trial.
func TestCrowded(t *testing.T) {
	there, full := files.Usage{}, true
	u := &usage{limits: &sandbox.Limits{Disk: 1 << 30, Files: 1000},
		look: func() (files.Usage, error) { return there, nil }, full: func() bool { return full }}
	check := func(disk, n int64, want bool) {
		t.Helper()
		there.Disk, there.Files = disk, n
		if got := u.crowded(); got != want {
			t.Errorf("%d bytes in %d files, full %v: crowded is %v", disk, n, full, got)
		}
	}
	check(1<<20, 10, true)
	check(65<<20, 10, false)
	check(1<<20, 300, false)
	u.limits.Disk = 100 << 20
	check(26<<20, 10, false)
	full = false
	check(1<<20, 10, false)
}
