// Package cgroup bounds the memory and the processes of worlds by control groups,
// where this process may make some.
package cgroup

import (
	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// Limits are what the kernel holds a world to.
type Limits struct {
	Memory int64 // bytes
	Pids   int
}

// What the kernel counts in a world beside the memory of its programs: the
// guest with the files it has on their way, and what it keeps of every file
// in a tmpfs.
const (
	guestMemory = 256 << 20
	inodeMemory = 2 << 10
)

// LimitsOf leaves room for what is bounded by another limit, so that only a
// world that exceeds one is ended. inMemory says that what it writes to its
// project is kept in a tmpfs.
func LimitsOf(l sandbox.Limits, tmpfses int64, inMemory bool) Limits {
	sum := l.Memory + tmpfses*l.Tmp + int64(l.Files)*inodeMemory + guestMemory
	if inMemory {
		sum += l.Disk + int64(l.Files)*inodeMemory
	}
	return Limits{Memory: sum, Pids: l.Processes + plan.SpareProcesses}
}
