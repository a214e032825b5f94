package remote

import (
	"fmt"
	"math"
	"time"

	"cookoff/hosts"
	"cookoff/runner/seats"
)

// maxAhead is how far the clocks of machines may be apart: what is built from files that
// came from here tells by their times what is out of date.
const maxAhead = 10 * time.Second

// aheadOf is how far a machine's clock is ahead of this one's, in whole seconds.
func aheadOf(m *seats.Machine) float64 {
	if far, ok := m.Backend.(*hosts.Host); ok {
		return math.Trunc(far.Ahead().Seconds())
	}
	return 0
}

// clocks say which of the machines have another time than this one, a line each.
func clocks(all []Looked) (out []string) {
	for _, l := range all {
		if wrong := l.WrongClock(); l.OK && wrong != "" {
			out = append(out, fmt.Sprintf("clock: %s on %s", wrong, l.Name))
		}
	}
	return out
}

// WrongClock says how the machine's clock is wrong, by this one's; "": it is not.
func (l Looked) WrongClock() string {
	apart := time.Duration(math.Abs(l.AheadS)) * time.Second
	way := "ahead of"
	if l.AheadS < 0 {
		way = "behind"
	}
	if apart <= maxAhead {
		return ""
	}
	return fmt.Sprintf("%v %s this machine's", apart, way)
}
