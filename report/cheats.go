package report

import (
	"strings"

	"cookoff/trial"
)

// CheatTotals adds up what generated cheats came to, in every trial of
// baseline/cheater that counts; nil: it did not take part.
func CheatTotals(r *Report) *trial.Cheats {
	var all *trial.Cheats
	for _, t := range r.Trials {
		c := t.Outcome.Cheats
		if c == nil || !t.Judged() {
			continue
		}
		if all == nil {
			all = &trial.Cheats{}
		}
		all.Tried += c.Tried
		for _, name := range c.Accepted {
			all.Accepted = append(all.Accepted, t.Task+": "+name)
		}
	}
	return all
}

// cheated says it in one line: a rate that cheats can reach says little.
func cheated(r *Report, say sayer) {
	c := CheatTotals(r)
	switch {
	case c == nil:
	case len(c.Accepted) == 0:
		say("cheats accepted: 0 of %d tried", c.Tried)
	default:
		say("cheats accepted: %d of %d tried: %s", len(c.Accepted), c.Tried, strings.Join(c.Accepted, "; "))
	}
}
