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
		{"pytest", "pytest", "Required test coverage of 90% reached. Total coverage: 95.00%\n", "pytest --cov-fail-under=0"},
		{"pytest", "pytest --cov-fail-under=0", ofPytest, ""},
		{"mocha", "npm test", "ERROR: Coverage for lines (66.66%) does not meet global threshold (100%)\n", ""},
	} {
		o := &testrun.Outcome{Runner: c.runner, Passed: []string{"a"}, Result: sandbox.Result{Exit: 1, Stdout: []byte(c.says)}}
		if got, ok := Uncovered(c.command, o); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
		if o.Failed, o.Exit = []string{"b"}, 1; c.want != "" {
			if got, _ := Uncovered(c.command, o); got != c.want {
				t.Errorf("%s, where a test fails, too: %q, want %q", c.command, got, c.want)
			}
		}
	}
}

// TestUndemanding: what measures coverage as it runs tests is not to fail for what they leave out.
func TestUndemanding(t *testing.T) {
	const path = `PATH="$PWD/node_modules/.bin:$PATH"`
	for command, want := range map[string]string{
		"nyc mocha test":                            "nyc --check-coverage=false mocha test",
		"npx c8 --100 node --test":                  "npx c8 --check-coverage=false node --test",
		"./node_modules/.bin/c8 --check-coverage x": "./node_modules/.bin/c8 --check-coverage=false x",
		path + " c8 --all --include i.js --check-coverage --100 npm run unit": path +
			" c8 --check-coverage=false --all --include i.js npm run unit",
		"c8 --check-coverage=true --lines 90 tap && nyc --100 tap": "c8 --check-coverage=false --lines 90 tap && " +
			"nyc --check-coverage=false tap",
		"jest --100":                          "jest --100",
		"npm test":                            "npm test",
		"c8 --check-coverage=false node x.js": "c8 --check-coverage=false node x.js",
		"c8 'x":                               "c8 'x",
	} {
		if got := Undemanding(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
