package runner

import (
	"context"
	"strconv"

	"cookoff/runner/seats"
	"cookoff/trial"
)

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
	there.Staging = r.Staging.On(there.env.Backend)
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

// holds reports whether there is a state that the next trial begins with: it lies on
// one machine, and is lost with that.
func (h *handover) holds() bool { return h != nil && h.state != nil }
