package native

import (
	"errors"

	"cookoff/sandbox"
)

// plan is what the set-up builds: sent by the host as the first frame.
type plan struct {
	Dir      string // the trial's directory on the host
	Work     tree
	Home     tree
	Both     *tree // project and home in one, instead of the layers of each
	GoCache  *tree
	Whole    *wholeTree // the whole host, instead of its programs
	Mounts   []shownAt
	Switch   bool // started by root: become another user
	Network  bool
	Limits   sandbox.Limits
	Quotas   map[string]int64 // what all of the world may have of what the kernel counts by user
	Hostname string

	Image     string   // of a container
	Inside    bool     // another program builds the world
	OwnKernel bool     // the kernel inside is not Linux: it has no Landlock, and the guest is its root
	Helper    []string // what then serves files
	Agent     int      // and whose processes are all others
	Loader    []string // how this binary is started where the system lacks its loader

	Wire string `json:",omitempty"` // what the host's side says to this one, in short, where it is another program
	// Scope is the first of the descriptors that tell what the control group
	// of the world counted; 0: the world has none.
	Scope int `json:",omitempty"`

	TestOnlyOff without `json:",omitempty"`
}

// inner is what of the plan is needed inside a world that another program has
// built: no path of the host.
func (p plan) inner() any {
	if p.Inside {
		return plan{Inside: true, Limits: p.Limits, OwnKernel: p.OwnKernel, Loader: p.Loader, Wire: p.Wire, Scope: p.Scope}
	}
	return p
}

// tree is a directory of layers with a fresh one on top.
type tree struct {
	Upper    string // directory in Dir that takes the writes
	Scratch  string // directory in Dir that the kernel needs beside it
	Lower    []layer
	ReadOnly bool
	Plain    bool // no layers: what is in Upper already is all
}

// selfProgram is the running program.
const selfProgram = "/proc/self/exe"

// overlayFailed is in the message when the kernel refuses an overlay.
const overlayFailed = "stacking layers"

// shownAt is a file or directory of the host that is shown read-only.
type shownAt struct {
	layer
	Target string
	Dir    bool // of one that is open

	testOnlyWritable bool
}

// layer is a directory on the host, or a mount of one that is already open.
type layer struct {
	Path string
	FD   int
}

// spareProcesses is how many more processes the guest may have than the
// commands it starts: threads of its own, and what a full world is given to
// clean up with. A guest that gets no thread dies.
const spareProcesses = 512

// insideName is the first argument of this binary where another program has
// built the world and starts it there; guestName is then that of the guest.
// The second says how it speaks with the host.
const insideName = "cookoff-sandbox-inside"

// How a part of a sandbox speaks with the host.
const (
	overSocket = "socket" // descriptor socketFD
	overStdio  = "stdio"
)

// errMapped says that a file system has no mounts with changed owners.
var errMapped = errors.New("mapping the owner of a layer")
