package native

import "slices"

// defence names one of the walls of a sandbox. Tests of this package take
// single ones away, to see that an attack then works and its test would tell.
// Nothing outside the tests can: neither Options nor Spec lead here.
type defence string

// The defences that can be taken away.
const (
	ownNetwork    defence = "network namespace"
	ownIPC        defence = "ipc namespace"
	ownRoot       defence = "own root"
	readOnlyBinds defence = "read-only binds"
	readOnlyRoot  defence = "read-only root"
	hiddenFiles   defence = "hidden files"
	ownWrites     defence = "overlay over the host"
	closedFiles   defence = "closed descriptors"
	emptyEnv      defence = "empty environment"
	noNewPrivs    defence = "no_new_privs"
	noCaps        defence = "no capabilities"
	withLandlock  defence = "landlock"
	withSeccomp   defence = "seccomp"
	undumpable    defence = "undumpable guest"
	ownCalls      defence = "calls for oneself only"
	killedTree    defence = "killed process tree"
	killAtSeal    defence = "kill at seal"
	processLimit  defence = "limit of processes"
	watchedLimits defence = "limits that the guest watches"
	controlGroup  defence = "control group"
	seenMemory    defence = "no memory that can't be seen"
)

// without is a list of defences that are taken away; empty but in tests.
type without []defence

func (w without) has(d defence) bool { return slices.Contains(w, d) }
