package cli

import (
	"errors"
	"math"
	"strconv"

	"github.com/spf13/cobra"
)

// USD is the value of a flag that limits what may be spent. Who leaves the flag out has
// no limit; a number that is not above 0 is refused, since it can mean two things.
type USD float64

// String is the number, or "" where there is none.
func (u *USD) String() string {
	if *u == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*u), 'g', -1, 64)
}

// Type names the value in messages about it.
func (u *USD) Type() string { return "usd" }

// Set takes a number above 0.
func (u *USD) Set(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f <= 0 {
		return errors.New("it is not above 0")
	}
	*u = USD(f)
	return nil
}

// MaxTotalCost adds --max-total-cost to a command.
func MaxTotalCost(cmd *cobra.Command, to *USD, what string) {
	cmd.Flags().Var(to, "max-total-cost", what+" (without the flag: no limit)")
}
