// Package native is the sandbox that needs no other program: the running
// binary starts itself again inside new Linux namespaces.
package native

import "cookoff/sandbox"

// Options of the backend.
type Options struct {
	// Dir is where the files of sandboxes live; "": a directory of the user's
	// own under the system's directory for temporary files.
	Dir string
	// GoCache is a warm Go build cache that every sandbox starts with,
	// copy-on-write; "": none.
	GoCache string
	// Sums is a directory of this user's in which the sums of files that worlds share are kept
	// for the next process; "": they are made anew.
	Sums string
	// PythonCache is where compiled modules of this machine's Pythons are, for
	// the referee; "": none.
	PythonCache string
	// Image is that of containers which nobody names one for; "": none.
	Image string
	// Guest is this program for the kernel of containers, where the running one
	// is for another system or processor; "": it is looked for.
	Guest string
	// ReadBuild is builds.Read, for such programs; nil: none is taken.
	ReadBuild func(path string) (map[string]string, error)
}

// New makes the backend.
func New(o Options) sandbox.Backend { return byName(Native, o) }
