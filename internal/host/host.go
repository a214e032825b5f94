// Package host is this machine for a comparison: sandboxes, tool chains, a warm
// Go cache, what was proven here, and what no sandbox shows.
package host

import (
	"io"
	"runtime"

	"cookoff/internal/config"
	"cookoff/internal/toolchain"
)

// Host is this machine, for the work on one project.
type Host struct {
	Dir     string              // of the project
	Getenv  func(string) string // of the environment
	Config  *config.Config
	Sandbox string          // the backend that the user asks for, by name; "": what recipe and configuration say
	Notify  func(Notice)    // nil: nobody is told
	AtEnd   func(io.Closer) // told of what to close in the end; nil: nobody

	finder *toolchain.Finder // see find
}

// Notice is something that whoever waits may want to know.
type Notice struct {
	Kind    Kind
	Text    string // fit to be shown, perhaps with a line "hint:"
	Warning bool
	Detail  bool // only for who wants to know more
	N       int  // of Before: how many tasks
}

// Kind is what a notice is about; "": nothing that anybody adds something to.
type Kind string

// Kinds of notices.
const (
	Cost   Kind = "cost"   // what a run will probably cost
	Asking Kind = "asking" // providers are asked whether they are there
	Before Kind = "before" // further tasks are run before those that were asked for
)

func (h *Host) say(n Notice) {
	if h.Notify != nil {
		h.Notify(n)
	}
}

// OnLinux says that sandboxes have the kernel and the programs of this machine.
const OnLinux = runtime.GOOS == "linux"
