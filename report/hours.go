package report

import (
	"fmt"
	"math"
	"time"
)

// wholeDay is of how long a run the hours say something else than the order.
const wholeDay = 24 * time.Hour

// inHours are the circumstances of having been begun in this quarter of a day or that: of
// a run, or of several that are put together, that took a day or longer.
func inHours(trials []Trial) (out []circumstance) {
	var first, last time.Time
	for _, t := range trials {
		switch {
		case t.Started.IsZero():
			continue
		case first.IsZero() || t.Started.Before(first):
			first = t.Started
		}
		if t.Started.After(last) {
			last = t.Started
		}
	}
	if last.Sub(first) < wholeDay {
		return nil
	}
	for from := 0; from < 24; from += 6 {
		in := func(t Trial) float64 {
			switch {
			case t.Started.IsZero():
				return math.NaN()
			case t.Started.UTC().Hour()/6 == from/6:
				return 1
			}
			return 0
		}
		when := fmt.Sprintf("between %d and %d o'clock UTC", from, from+6)
		out = append(out, circumstance{in, when, "at other hours than " + when})
	}
	return out
}
