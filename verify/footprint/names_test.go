package footprint

import "testing"

// TestNames: a task speaks of a program by a whole word, not by letters of others.
func TestNames(t *testing.T) {
	b := Bounds{About: "Make `greet` (tools/greet-2.1) start; GIT has an alias. Größe"}
	for program, want := range map[string]bool{
		"greet": true, "git": true, "make": true, "Greet": true,
		"g": false, "gr": false, "reet": false, "ll": false, "it": false, "r": false, "l": false, "größ": false,
	} {
		if got := b.names(program); got != want {
			t.Errorf("%s: %v", program, got)
		}
	}
}
