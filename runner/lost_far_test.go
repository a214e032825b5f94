package runner

import (
	"context"
	"errors"
	"testing"

	"cookoff/recipe"
	"cookoff/runner/resolve"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
)

// full is a backend that opens nothing.
type full struct{}

func (full) Open(context.Context, sandbox.Spec) (sandbox.Sandbox, error) {
	return nil, sandbox.Unavailable("opening a sandbox", errors.New("no space left on device"))
}

func (full) Check(context.Context) error { return nil }

// fullHost is another machine's.
type fullHost struct {
	full
	faults *int
}

func (h fullHost) Fault(why error) error {
	*h.faults++
	return &sandbox.HostError{Host: "far", Err: why}
}

// TestFullHost: a host that lives and opens no sandboxes has itself a fault, and the run
// goes on elsewhere; this machine's ends the run.
func TestFullHost(t *testing.T) {
	faults := 0
	lost := func(b sandbox.Backend) error {
		m := worlds.Machine{Backend: b}
		r := &Runner{env: Env{Machine: m}}
		r.Staging = worlds.New(&resolve.Values{Recipe: &recipe.Recipe{}}, m, worlds.Project{}, 1)
		a := &attempt{r: r, t: &resolve.Task{}}
		return a.lost(t.Context(), sandbox.ErrUnavailable)
	}
	var machine *machineError
	if err := lost(fullHost{faults: &faults}); !worlds.LostHost(err) || errors.As(err, &machine) || faults != 1 {
		t.Errorf("a host with a full disk: %v, %d faults", err, faults)
	}
	if err := lost(full{}); worlds.LostHost(err) || !errors.As(err, &machine) {
		t.Errorf("this machine: %v", err)
	}
}
