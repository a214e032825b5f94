package printed

import (
	"testing"

	"cookoff/sandbox"
)

// TestEnded: of how a command ended, the line that says so is shown, not the colours after it.
func TestEnded(t *testing.T) {
	maven := "Tests run: 1, Failures: 1\n" +
		"[\x1b[1;31mERROR\x1b[m] Failed to execute goal x:test: There are test failures.\n" +
		"[\x1b[1;31mERROR\x1b[m] \n[\x1b[1;31mERROR\x1b[m] [Help 1] http://ex.org\n\x1b[0m\x1b[0m\n"
	check := func(stdout, stderr, want string) {
		t.Helper()
		if got := Ended(sandbox.Result{Exit: 1, Stdout: []byte(stdout),
			Stderr: []byte(stderr)}); got != "exit status 1"+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("", "", "")
	check("out\n", "", ": out")
	check("out\n", "first\nlast\n\n", ": last")
	check(maven, "\x1b[0m\x1b[0m\n", ": [ERROR] Failed to execute goal x:test: There are test failures.")
	check("", "npm warn old a\nnpm error code 128\nnpm error An unknown git error occurred\n"+
		"npm error command git ls-remote x\n"+
		"npm error A complete log of this run can be found in: /tmp/.npm/_logs/1.log\n",
		": npm error An unknown git error occurred")
	check("", "npm error code 128\nnpm error An unknown git error occurred\nnpm error command git ls-remote x\n"+
		"npm error fatal: unable to access 'x': Could not resolve host\nnpm error A complete log of this run\n",
		": npm error fatal: unable to access 'x': Could not resolve host")
	check("", "  error: subprocess-exited-with-error\n  × pip did not run successfully.\n"+
		"  ERROR: No matching distribution found for setuptools>=61\n  note: This error originates from a subprocess.\n"+
		"ERROR: Failed to build 'file:///work'\nhint: See above for details.\n",
		": ERROR: No matching distribution found for setuptools>=61")
	check("", "ModuleNotFoundError: No module named 'x'\n[end of output]\nnote: This is an issue with the package.\n",
		": ModuleNotFoundError: No module named 'x'")
	check("", "it broke\n[notice] A new release of pip is available\n", ": it broke")
	check("", "\x1b[31mred\x1b[0m\n\x1b[0m", ": red")
	check("", "moved \x1b[2J\n", `: moved \x1b[2J`)
	check("ok 1 - a\nnot ok 2 - b # TODO\nnot ok 3 - c\nok 4 - d\n1..4\n", "", ": not ok 3 - c")
	check("TAP version 13\nnot ok 1 - a\n1..1\n# tests 1\n# fail 1\n# duration_ms 3.5\n", "", ": not ok 1 - a")
	check("not ok 1 - a\n1..1\nno disk\n", "", ": no disk")
	check("1..0\n", "", ": 1..0")
	check("ok\tdemo\t0.003s\n", "", ": ok demo 0.003s")
}
