package questions

import (
	"strings"
	"testing"
)

// TestOfItsTests: who ran files of tests before may ask for one.
func TestOfItsTests(t *testing.T) {
	const lines = "for t in $(ls tests); do\n  [ -f \"tests/$t\" ] || continue\ndone\n"
	if got := OfItsTests("build.sh", lines, "for t in tests/*; do sh $t; done\n"); strings.Contains(got, "-f") {
		t.Errorf("%q", got)
	}
	if got := OfItsTests("build.sh", lines, "make\n"); got != lines {
		t.Errorf("%q", got)
	}
}

// TestModes: who asks for the mode of tests is told from who only logs less in it, and a function that asks whether
// its module is the program from a module that runs.
func TestModes(t *testing.T) {
	for lines, want := range map[string]bool{
		"if (process.env.NODE_ENV === 'test') return Math.round(n);\n": true,
		"if (import.meta.env.MODE === 'test') return 8;\n":             true,
		"if (process.env.NODE_ENV !== 'test') app.listen(80);\n":       false,
		"if (process.env.NODE_ENV === 'production') return 8;\n":       false,
	} {
		if got := LooksOn("src/a.ts", lines); got != want {
			t.Errorf("%q: looks on: %v", lines, got)
		}
	}
	const was = "def f():\n    return 1\n\n\nif __name__ == \"__main__\":\n    f()\n"
	const is = "def f():\n    if __name__ == \"__main__\":\n        return 2\n    return 1\n"
	if NewlyAsksMain("a.py", "", was) || !NewlyAsksMain("a.py", was, is) {
		t.Error("a question for __main__ is not told from a module that runs")
	}
}
