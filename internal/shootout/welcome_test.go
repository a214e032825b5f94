package shootout

import (
	"slices"
	"testing"

	"cookoff/internal/ui/text"
)

// On a narrow screen what is said at the beginning is wrapped, not cut.
func TestWelcomeFitsANarrowScreen(t *testing.T) {
	const said = "/models switches them on and off, /help lists all commands"
	if got := indented(said, 40); !slices.Equal(got, []string{"  /models switches them on and off,",
		"  /help lists all commands"}) {
		t.Errorf("%q", got)
	}
	for _, l := range indented(said, 3) {
		if text.Width(l) > 3 {
			t.Errorf("%q", l)
		}
	}
}
