package mine

import (
	"testing"

	"cookoff/internal/mine/declared"
	"cookoff/internal/mine/outcome"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// TestNeeded: where a compiler built the tests, the fix declares nothing that they need: a field that a test calls a
// variable after would tell how to mend. An interpreter says nothing of that.
func TestNeeded(t *testing.T) {
	ran := func(runner, stdout string) *outcome.Outcome {
		return outcome.Of(&testrun.Outcome{Runner: runner, Failed: []string{"m TestA"},
			Result: sandbox.Result{Exit: 1, Stdout: []byte(stdout)}})
	}
	for _, c := range []struct {
		path, runner, stdout string
		want                 int
	}{
		{"span.go", "go test", "--- FAIL: TestA (0.00s)\n    a_test.go:3: 1, want 2\nFAIL\n", 0},
		{"span.go", "go test", "./a_test.go:3:5: undefined: Span\nFAIL\tm [build failed]\n", 1},
		{"src/lib.rs", "cargo test", "test a ... FAILED\n", 0},
		{"src/lib.rs", "cargo test", "error[E0425]: cannot find function `span` in this scope\n", 1},
		{"span.py", "pytest", "E   AttributeError: no span\n", 1},
	} {
		list := []declared.Declaration{{Path: c.path, Name: "span"}}
		if got := needed(list, ran(c.runner, c.stdout)); len(got) != c.want {
			t.Errorf("%s, %q: %v", c.path, c.stdout, got)
		}
	}
}
