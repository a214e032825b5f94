package force_test

import (
	"strings"
	"testing"
)

// A task that says network: none has none, whatever the recipe gives the others.
func TestANetworkThatATaskRefuses(t *testing.T) {
	full := force{}.text("## Sandbox\nnetwork: full\n\n")
	for text, want := range map[string]bool{full: true, full + "\nnetwork: none\n": false} {
		seen := observe(t, text, t.TempDir())
		if got := strings.Contains(seen, `"Network":"full"`); got != want ||
			!strings.Contains(seen, `"Network":"none"`) {
			t.Errorf("a world with the whole network: %v, want %v", got, want)
		}
	}
}
