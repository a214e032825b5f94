package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cookoff/trial"
)

// TestOldPrices: the older of the program's prices and of the user's own tells.
func TestOldPrices(t *testing.T) {
	usd := 1.0
	for prices, want := range map[string]string{
		"2026-11-12":                                  "",
		"2026-11-12 and the user's own":               "",
		"2026-11-12 and the user's own of 2026-11-01": "",
		"2026-11-12 and the user's own of 2026-01-01": "were 327 days old",
		"2026-01-01 and the user's own of 2026-11-01": "were 327 days old",
	} {
		r := &Report{Run: trial.Run{Prices: prices}, Started: time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC),
			Models: []Model{{CostUSD: &usd}}}
		said := ""
		oldPrices(r, func(format string, args ...any) { said += fmt.Sprintf(format, args...) })
		if (want == "") != (said == "") || !strings.Contains(said, want) {
			t.Errorf("%s: %q", prices, said)
		}
	}
}
