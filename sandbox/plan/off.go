package plan

import "slices"

// Defence names one of the walls of a sandbox. Tests of sandbox/native take
// single ones away, to see that an attack then works and its test would tell.
// Nothing outside the tests can: neither Options nor Spec lead here.
type Defence string

// The defences that can be taken away.
const (
	OwnNetwork    Defence = "network namespace"
	OwnIPC        Defence = "ipc namespace"
	OwnRoot       Defence = "own root"
	ReadOnlyBinds Defence = "read-only binds"
	ReadOnlyRoot  Defence = "read-only root"
	HiddenFiles   Defence = "hidden files"
	OwnWrites     Defence = "overlay over the host"
	ClosedFiles   Defence = "closed descriptors"
	EmptyEnv      Defence = "empty environment"
	NoNewPrivs    Defence = "no_new_privs"
	NoCaps        Defence = "no capabilities"
	WithLandlock  Defence = "landlock"
	WithSeccomp   Defence = "seccomp"
	Undumpable    Defence = "undumpable guest"
	OwnCalls      Defence = "calls for oneself only"
	KilledTree    Defence = "killed process tree"
	KillAtSeal    Defence = "kill at seal"
	ProcessLimit  Defence = "limit of processes"
	WatchedLimits Defence = "limits that the guest watches"
	ControlGroup  Defence = "control group"
	SeenMemory    Defence = "no memory that can't be seen"
)

// Without is a list of defences that are taken away; empty but in tests.
type Without []Defence

// Has reports whether d is one of them.
func (w Without) Has(d Defence) bool { return slices.Contains(w, d) }
