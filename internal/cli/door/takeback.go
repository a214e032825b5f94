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
