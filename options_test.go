package cookoff_test

import (
	"math"
	"strings"
	"testing"

	"cookoff"
)

// TestALimitThatIsNone: a limit of money that nothing can be held to is refused.
func TestALimitThatIsNone(t *testing.T) {
	for _, usd := range []float64{math.NaN(), math.Inf(1), -1} {
		_, err := cookoff.Open(t.Context(), "recipe.md", cookoff.Options{Dir: t.TempDir(), MaxCost: usd})
		if err == nil || !strings.Contains(err.Error(), "give a number of USD above 0, or 0 for no limit") {
			t.Errorf("MaxCost %v: %v", usd, err)
		}
	}
}
