package footprint

import (
	"bytes"

	"cookoff/internal/pattern"
)

// conflictMark is a line that git, or another merge, puts around what two sides say: no content of a file, and another
// one in each world where it names a commit.
var conflictMark = pattern.New(`^(<{7}|>{7}|\|{7})( .*)?\r?\n?$|^={7}\r?\n?$`)

// unmarked is a text whose marks of conflicts are empty lines; one that has none stays as it is.
func unmarked(text []byte) []byte {
	if !bytes.Contains(text, []byte("<<<<<<<")) || !bytes.Contains(text, []byte(">>>>>>>")) {
		return text
	}
	var out []byte
	for line := range bytes.Lines(text) {
		if conflictMark.Match(line) {
			line = []byte("\n") // lines keep their numbers
		}
		out = append(out, line...)
	}
	return out
}
