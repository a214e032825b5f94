package worlds

import (
	"context"
	"errors"

	"cookoff/runner/prepare"
	"cookoff/runner/project"
	"cookoff/runner/warm"
	"cookoff/sandbox"
	"cookoff/sandbox/gate"
)

// Machine is where worlds are opened, and what of it they show.
type Machine struct {
	Backend   sandbox.Backend
	Preparing sandbox.Backend // in whose worlds things are prepared; nil: Backend
	Net       gate.Net        // behind the way out of sandboxes; zero: this machine's
	ToolPaths []string        // host tool chains made visible read-only
	Concealed []string        // host files and directories that no sandbox shows, not even one with the whole host
	Prepare   prepare.Store   // keeps what tasks have prepared
	Warm      warm.Store      // keeps what tests compile
	Tools     string          // what says that the machine's programs are the same, for the record
}

// Project is what the user works on.
type Project struct {
	Dir     string               // the working directory; a recipe's project lies in it
	Hidden  []string             // paths in Dir that models don't see, as the repairs of the recipe with their tests
	Outputs []string             // files that the run writes for its user: no part of the project
	Secrets map[string]string    // names and values of keys: a project that holds one is refused
	Kept    string               // directory in which the copy of the project is kept between runs; "": it is not
	Copied  func(project.Copied) // told once a run what of a project trials start with; nil: nobody
}

// preparing is the backend in whose worlds things are prepared, which are kept on
// this machine.
func (m *Machine) preparing() sandbox.Backend {
	if m.Preparing != nil {
		return m.Preparing
	}
	return m.Backend
}

// Worldless reports whether an error says that a task has no sandbox here, which the
// other tasks may have. A machine that is short of memory, or lost, is none for any.
func Worldless(ctx context.Context, err error) bool {
	return errors.Is(err, sandbox.ErrUnavailable) && !errors.Is(err, sandbox.ErrShort) && !LostHost(err) &&
		ctx.Err() == nil
}

// LostHost reports whether an error is that of a machine that was lost.
func LostHost(err error) bool {
	_, lost := errors.AsType[*sandbox.HostError](err)
	return lost
}
