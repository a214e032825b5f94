package door

import (
	"cookoff/internal/cli"
	"cookoff/internal/leftovers"
)

// TakeBack makes of the project what it was before an apply that was killed on its way, and says so.
func TakeBack(c *cli.Common, dir string) error {
	said, err := leftovers.TakeBack(dir)
	for _, line := range said {
		c.Say("%s", line)
	}
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	return nil
}

// Sweep removes what is left of cookoffs that were killed, before something begins that makes as much, and says so.
// What can't be removed "clean" tells of.
func Sweep(d *Door) {
	if gone := leftovers.Sweep(); len(gone) > 0 {
		d.Say("%s", leftovers.Say(gone))
	}
}
