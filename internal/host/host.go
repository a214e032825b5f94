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
	Text    string // fit to be shown, perhaps with a line "hint:"
	Warning bool
}

func (h *Host) say(n Notice) {
	if h.Notify != nil {
		h.Notify(n)
	}
}

// OnLinux says that sandboxes have the kernel and the programs of this machine.
const OnLinux = runtime.GOOS == "linux"
