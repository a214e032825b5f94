package native

import (
	"cookoff/sandbox"
	"cookoff/sandbox/bwrap"
	"cookoff/sandbox/gvisor"
	"cookoff/sandbox/launch"
)

// byName makes one of the backends that need this machine's own kernel.
func byName(name string, o Options) sandbox.Backend {
	switch name {
	case Bwrap:
		return newBackend(o, func(*backend) launch.Builder { return bwrap.Builder{} })
	case GVisor:
		return newGVisor(o)
	}
	return newNative(o)
}

// newGVisor makes the backend whose worlds have a kernel of their own. It opens
// nothing unless its self-test passes.
func newGVisor(o Options) *selfTested {
	return &selfTested{Backend: newBackend(o, func(b *backend) launch.Builder {
		return gvisor.Builder{Programs: b.programs}
	})}
}
