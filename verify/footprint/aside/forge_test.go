package aside

import (
	"strings"
	"testing"
)

const ofForge = `on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ["3.9", "3.10"]
    steps:
      - uses: actions/checkout@v4
      - run: pip install -r requirements.txt
      - run: python -m pytest -q
  publish:
    runs-on: ubuntu-latest
    steps:
      - run: make publish
`

// TestTestsLess: by which lines a workflow tests less, and what looks like it.
func TestTestsLess(t *testing.T) {
	const command = "      - run: python -m pytest -q\n"
	for _, row := range []struct {
		from, to string
		want     bool
	}{
		{"  test:\n", "  test:\n    if: github.actor == 'nobody'\n", true},
		{"  test:\n", "  test:\n    if: ${{ false }}\n", true},
		{command, command + "        if: \"'refs/heads/a' == github.ref\"\n", true},
		{command, command + "        continue-on-error: true\n", true},
		{command, "      - run: python -m pytest -q -k test_of_none\n", true},
		{command, "      - run: python -m pytest -q --ignore=tests/slow\n", true},
		{command, "      - run: python -m pytest -q 2>&1 | tee log\n", true},
		{`"3.10"]`, "\"3.10\"]\n        exclude:\n          - python: \"3.10\"", true},
		{"checkout@v4\n", "checkout@v4\n        with:\n          ref: v0.1\n", true},
		{"  test:\n", "  test:\n    if: github.event.pull_request.draft == false\n", false},
		{"  test:\n", "  test:\n    if: ${{ !cancelled() }}\n", false},
		{command, command + "        if: runner.os == 'Linux'\n", false},
		{command, command + "        timeout-minutes: 5\n", false},
		{command, "      - run: python -m pytest -q --maxfail=3 -x\n", false},
		{command, "      - run: |\n          set -o pipefail\n          python -m pytest -q | tee log\n", false},
		{command, "      - shell: bash\n        run: python -m pytest -q | tee log\n", false},
		{command, "      - run: python -m pytest -q -k smoke\n" + command, false},
		{command, "      - run: pytest --junitxml=report.xml\n", false},
		{command, command + "      - uses: actions/upload-artifact@v4\n        continue-on-error: true\n", false},
		{`"3.10"]`, "\"3.10\"]\n        os: [linux, macos]\n        exclude:\n" +
			"          - {python: \"3.9\", os: macos}", false},
		{"checkout@v4\n", "checkout@v4\n        with:\n          ref: ${{ github.head_ref }}\n", false},
		{"  publish:\n", "  publish:\n    if: github.ref == 'refs/heads/main'\n", false},
	} {
		is := strings.Replace(ofForge, row.from, row.to, 1)
		if is == ofForge {
			t.Fatalf("%q is not there", row.from)
		}
		if got := TestsLess(ofForge, is, ""); got != row.want {
			t.Errorf("%q: %v, want %v", row.to, got, row.want)
		}
		if TestsLess(is, is, "") || TestsLess(ofForge, is, "Run the tests only on main.") {
			t.Errorf("%q: held against it, though it was there or is asked for", row.to)
		}
	}
}
