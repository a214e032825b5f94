package diagnose

import "testing"

// TestMissing: a program that a shell did not find, where that is why the command ended.
func TestMissing(t *testing.T) {
	for name, c := range map[string]struct {
		exit   int
		output string
	}{"golangci-lint": {2, "golangci-lint run\nmake: golangci-lint: No such file or directory\n" +
		"make: *** [Makefile:4: lint] Error 127"},
		"ruff":  {2, "/bin/sh: 1: ruff: not found\nmake: *** [Makefile:2: test] Error 127"},
		"cargo": {127, "bash: line 1: cargo: command not found"}, "pnpm": {127, "> test\nsh: 1: pnpm: not found"}, "": {1,
			"sh: 1: x: not found"}} {
		if got := Missing(c.exit, c.output); got != name {
			t.Errorf("%q: %q is missing, want %q", c.output, got, name)
		}
	}
}
