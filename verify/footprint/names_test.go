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

// TestSpeaksOf: a prompt that has the letters of a word does not speak of what a build writes.
func TestSpeaksOf(t *testing.T) {
	for _, row := range []struct {
		about, output string
		want          bool
	}{
		{"Go on without it.", "*.o", false}, {"Link csv.o again.", "*.o", true}, {"rm -f *.o", "*.o", true},
		{"see a.out.old", "*.o", false}, {"a library libx.a is lost", "*.a", true}, {"a page", "*.a", false},
		{"Go on without it.", "out", false}, {"grep -q x out/a.html", "out", true}, {"The rebuild is slow.", "build", false},
		{"make build", "build", true},
	} {
		if got := (Bounds{About: row.about}).speaksOf(row.output); got != row.want {
			t.Errorf("%q of %q: %v", row.about, row.output, got)
		}
	}
}
