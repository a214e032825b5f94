package commands

import (
	"testing"

	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// TestUncovered: where nothing fails but a measure of coverage, tests are run without a demand of it.
func TestUncovered(t *testing.T) {
	const ofPytest = "FAIL Required test coverage of 90% not reached. Total coverage: 45.00%\n"
	for _, c := range []struct{ runner, command, says, want string }{
		{"pytest", "python3 -m pytest tests", ofPytest, "python3 -m pytest tests --cov-fail-under=0"},
		{"pytest", "uv run pytest", "ERROR: Coverage failure: total of 4 is less than fail-under=90\n", "uv run pytest --cov-fail-under=0"},
		{"pytest", "make test", ofPytest, ""},
		{"pytest", "python3 -m pytest", "an error of its own\n", ""},
		{"jest", "npm test", `Jest: "global" coverage threshold for lines (90%) not met: 50%`, "npm test -- --coverage=false"},
		{"jest", "pnpm test", `Jest: coverage threshold for lines (90%) not met`, "pnpm test --coverage=false"},
		{"vitest", "CI=1 npm test", "ERROR: Coverage for lines (66.66%) does not meet global threshold (100%)\n",
			"CI=1 npm test -- --coverage.enabled=false"},
		{"mocha", "nyc mocha test", "ERROR: Coverage for lines (66.66%) does not meet global threshold (100%)\n",
			"nyc --check-coverage=false mocha test"},
		{"mocha", "npm test", "ERROR: Coverage for lines (66.66%) does not meet global threshold (100%)\n", ""},
	} {
		o := &testrun.Outcome{Runner: c.runner, Passed: []string{"a"}, Result: sandbox.Result{Exit: 1, Stdout: []byte(c.says)}}
		if got, ok := Uncovered(c.command, o); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
		if o.Failed = []string{"b"}; o.Exit == 0 {
			t.Fatal("it fails")
		}
		if got, ok := Uncovered(c.command, o); ok {
			t.Errorf("a test fails, too: %q", got)
		}
	}
}
