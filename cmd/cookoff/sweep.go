package main

import (
	"cookoff/internal/cli"
	"cookoff/internal/leftovers"
	"cookoff/internal/ui/text"
)

// sweep removes what is left of cookoffs that were killed, before a run begins or
// goes on, and says so. What can't be removed "clean" tells of.
func sweep(c *cli.Common, b *begun) {
	journal := ""
	if b != nil {
		journal = b.journal.Path()
	}
	if n, size := leftovers.Sweep(c.Dir, journal); n > 0 {
		c.Say("removed %s of runs that were killed, %s", text.Count(n, "leftover"), text.Bytes(size))
	}
}
