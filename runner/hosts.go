package runner

import (
	"context"
	"errors"
	"strconv"

	"cookoff/runner/resolve"
	"cookoff/runner/seats"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
)

// preparing is the backend in whose worlds things are prepared, which are kept on
// this machine.
func (m *Machine) preparing() sandbox.Backend {
	if m.Preparing != nil {
		return m.Preparing
	}
	return m.Backend
}

// seated runs all chains, each trial on the machine that its seat is on.
func (a *runAll) seated(ctx context.Context, chains [][]trial.Trial) error {
	groups := make([]string, len(chains))
	for i, c := range chains {
		if groups[i] = strconv.Itoa(c[0].N); !a.r.Sequential() { // the trials that are compared with each other
			groups[i] += " " + c[0].Task
		}
	}
	return a.r.env.Seats.Each(ctx, groups, func(ctx context.Context, i int, seat *seats.Seat) error {
		return a.chain(ctx, chains[i], seat)
	})
}

// at is the runner for trials on the machine of a seat; nil: on this one.
func (r *Runner) at(seat *seats.Seat) *Runner {
	if seat == nil {
		return r
	}
	there := new(*r)
	there.env.Backend = seat.Machine().Backend
	if !seat.Machine().Local {
		there.env.Pressure = nil // it is this machine's
	}
	return there
}

// hostOf is the name of a seat's machine; "": there are no others.
func hostOf(seat *seats.Seat) string {
	if seat == nil {
		return ""
	}
	return seat.Machine().Name
}

// lostHost reports whether an error is that of a machine that was lost.
func lostHost(err error) bool {
	_, lost := errors.AsType[*sandbox.HostError](err)
	return lost
}

// holds reports whether there is a state that the next trial begins with: it lies on
// one machine, and is lost with that.
func (h *handover) holds() bool { return h != nil && h.state != nil }

// admit proves a task, again where the machine was lost on which that was tried.
func (a *admission) admit(ctx context.Context, t *resolve.Task, open verify.Opening) (x *trial.Exclude, err error) {
	for range 2 * maxSandboxFaults {
		if x, err = a.steps(ctx, t, open); !lostHost(err) || ctx.Err() != nil {
			break
		}
	}
	return x, err
}
