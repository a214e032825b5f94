// Package ceilings finds how many trials this machine can hold at once: what each
// kind of thing allows that a trial under way takes.
package ceilings

import (
	"fmt"
	"math"
	"slices"
)

// Ceiling is how many trials one limit of the machine allows.
type Ceiling struct {
	What   string // that is limited: memory, descriptors, …
	Trials int    // under way at once
	Found  string // where the limit stands and what it is, for people
}

func (c Ceiling) String() string { return fmt.Sprintf("%d by %s (%s)", c.Trials, c.What, c.Found) }

// Trial is what one takes that waits for its model, a little more than was measured
// (docs/performance.md).
type Trial struct {
	memory      need // bytes
	threads     need
	descriptors need // of cookoff itself
	users       need // namespaces of them
	namespaces  need // of each other kind
}

// need is what a trial takes of something: the first keptAwake of them, and each further one.
type need struct{ first, further uint64 }

// keptAwake is how many worlds keep their guests while they wait, in any case.
const keptAwake = 32

// Hibernating is a trial in whose world nothing lives while it waits.
func Hibernating() Trial {
	return Trial{memory: need{5 << 20, 512 << 10}, threads: need{12, 0}, descriptors: need{9, 4}, users: need{3, 2},
		namespaces: need{2, 0}}
}

// Living is one that has a process in its world: an agent, a server, a service.
func Living() Trial {
	each := func(n uint64) need { return need{n, n} }
	return Trial{memory: each(5 << 20), threads: each(12), descriptors: each(9), users: each(3), namespaces: each(2)}
}

// What every trial takes, and what is left to the rest of the machine.
const (
	trialDisk   = 16 << 20 // bytes, until its final state is stored
	trialInodes = 200

	spareMemory      = 512 << 20
	spareDisk        = 1 << 30
	spareThreads     = 500
	spareDescriptors = 100
)

// Lowest gives the ceiling that is met first; ok is false where none is known.
func Lowest(all []Ceiling) (low Ceiling, ok bool) {
	if len(all) == 0 {
		return Ceiling{Trials: math.MaxInt}, false
	}
	return slices.MinFunc(all, func(a, b Ceiling) int { return a.Trials - b.Trials }), true
}

// most stands for a limit that holds nobody up.
const most = 1 << 20

// Bounds reports whether the limit holds up a number of trials that somebody might want.
func (c Ceiling) Bounds() bool { return c.Trials < most }

// room is how many trials fit, one at least: whether one does is tried.
func room(have, spare uint64, each need) int {
	if have <= spare {
		return 1
	}
	left := have - spare
	if n := left / each.first; n <= keptAwake {
		return max(1, int(n))
	}
	if each.further == 0 {
		return most
	}
	return int(min(keptAwake+(left-keptAwake*each.first)/each.further, most))
}
