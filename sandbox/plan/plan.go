// Package plan is what a world is to be made of: what the host decides, and
// whoever builds the world carries out.
package plan

import (
	"cookoff/sandbox"
)

// Plan is what the set-up builds: sent by the host as the first frame.
type Plan struct {
	Dir      string // the trial's directory on the host
	DirFD    int    // a mount of it; 0: it is gone to by its path
	Work     Tree
	Home     Tree
	Both     *Tree      // project and home in one, instead of the layers of each
	Rest     *Rest      // what else is part of the state
	Caches   *Tree      // of builds: no part of the state
	Whole    *WholeTree // the whole host, instead of its programs
	Mounts   []ShownAt
	Switch   bool // started by root: become another user
	Super    bool // commands run as root of the namespace
	Several  bool // which has other users
	Network  bool
	Limits   sandbox.Limits
	Quotas   map[string]int64 // what all of the world may have of what the kernel counts by user
	Hostname string

	// EtcMounted and EtcCopied are what is shown of the host's /etc (EtcOfHost).
	EtcMounted []string          `json:",omitempty"`
	EtcCopied  map[string]string `json:",omitempty"`

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

	// Of a world whose guest may go while nothing lives in it: Keep is a socket that takes
	// a mount of what it has in memory, Scratch the mount that was kept of it; 0: it is the
	// first guest. LastPID is the last number that a process was given before; 0: none.
	Keep    int `json:",omitempty"`
	Scratch int `json:",omitempty"`
	LastPID int `json:",omitempty"`

	TestOnlyOff Without `json:",omitempty"`
}

// Inner is what of the plan is needed inside a world that another program has
// built: no path of the host.
func (p Plan) Inner() any {
	if p.Inside {
		return Plan{Inside: true, Limits: p.Limits, OwnKernel: p.OwnKernel, Loader: p.Loader, Wire: p.Wire,
			Scope: p.Scope}
	}
	return p
}

// Tree is a directory of layers with a fresh one on top.
type Tree struct {
	Upper    string // directory in Dir that takes the writes
	Scratch  string // directory in Dir that the kernel needs beside it
	Lower    []Layer
	ReadOnly bool
	Plain    bool // no layers: what is in Upper already is all
}

// SelfProgram is the running program.
const SelfProgram = "/proc/self/exe"

// ShownAt is a file or directory of the host that is shown read-only.
type ShownAt struct {
	Layer
	Target string
	Dir    bool // of one that is open
	Own    bool `json:"-"` // the caller's, not a tool chain
}

// Layer is a directory on the host, or a mount of one that is already open.
type Layer struct {
	Path string
	FD   int
}

// SpareProcesses is how many more processes the guest may have than the
// commands it starts: threads of its own, and what a full world is given to
// clean up with. A guest that gets no thread dies.
const SpareProcesses = 512

// InsideName is the first argument of this binary where another program has
// built the world and starts it there; guestName is then that of the guest.
// The second says how it speaks with the host.
const InsideName = "cookoff-sandbox-inside"

// How a part of a sandbox speaks with the host.
const (
	OverSocket = "socket" // descriptor socketFD
	OverStdio  = "stdio"
)

// What the directory of a trial holds: what is written to project and home,
// and beside it a directory that the kernel needs for each overlay.
const (
	TopDir  = "t"
	TopWork = "w"
	TopHome = "h"
)

// CacheDir is where warm build caches are inside: Go's own files, and a directory
// for each other program. TopCaches holds what is written there, in the directory of
// a trial.
const (
	CacheDir  = "/var/cache/build"
	TopCaches = "c"
)
