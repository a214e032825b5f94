package mutants

import "testing"

// TestElsewhere: sources that are built for other systems only are reached by no test here; those behind a tag may be.
func TestElsewhere(t *testing.T) {
	const code = "package a\n\nfunc Less(a, b int) bool { return a < b }\n"
	for _, c := range []struct {
		file, head string
		want       bool
	}{
		{"a.go", "", false}, {"a_windows.go", "", true}, {"a_linux.go", "", false}, {"windows.go", "", false},
		{"a.go", "//go:build windows || darwin\n\n", true}, {"a.go", "//go:build !windows\n\n", false},
		{"a.go", "// +build !go1.6\n\n", true}, {"a.go", "//go:build integration\n\n", false},
		{"a.go", "//go:build !slim\n\n", false}, {"a.go", "//go:build windows && integration\n\n", true},
		{"a.go", "//go:build unix\n\n", false}, {"a.go", "//go:build ignore\n\n", true}, {"a_windows.py", "", false},
		{"a.go", "// Remarks.\n\n//go:build plan9\n\n", true},
	} {
		if got := Elsewhere(c.file, c.head+code); got != c.want {
			t.Errorf("%s %q: %v", c.file, c.head, got)
		}
		if none := len(Of(c.file, c.head+code)) == 0; c.file != "a_windows.py" && none != c.want {
			t.Errorf("%s %q: no faults: %v", c.file, c.head, none)
		}
	}
}
