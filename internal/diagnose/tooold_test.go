package diagnose

import (
	"strings"
	"testing"
)

// TestTooOld: what asks for another release of a program than is here is told from what a model could mend.
func TestTooOld(t *testing.T) {
	check := func(want, output string) {
		t.Helper()
		why, hint := TooOld(output)
		if (why == "") != (want == "") || !strings.Contains(why, want) || (why == "") != (hint == "") {
			t.Errorf("%q: %q, %q, want %q", output, why, hint, want)
		}
	}
	check("go 1.99, and the one here is 1.26.8",
		"go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)")
	check("go 1.99, and the one here is 1.26.8",
		"go: module ../b listed in go.work file requires go >= 1.99 (running go 1.26.8)")
	check("go 1.30.1, and",
		"go: example.com/x@v1.2.0 requires go >= 1.30.1 (running go 1.26.8; GOTOOLCHAIN=local)")
	check("option --experimental-strip-types",
		"> test\n> node --experimental-strip-types\nnode: bad option: --experimental-strip-types")
	check("option --strip",
		"/usr/bin/node: bad option: --strip")
	check("node >=24, and the one here is 20.2",
		"npm error notsup Required: {\"node\":\">=24\"}\nnpm error notsup Actual:   {\"node\":\"v20.2\"}")
	check("python3 >=3.15, and the one here is 3.11.2",
		"ERROR: Package 'x' requires a different Python: 3.11.2 not in '>=3.15'")
	check("cmake 3.99, and the one here is 3.25.1",
		"  CMake 3.99 or higher is required.  You are running version 3.25.1")
	check("rustc 1.99, and the one here is 1.70.0",
		"error: rustc 1.70.0 is not supported by the following package:\n  rs@0.1.0 requires rustc 1.99")
	check("ruby 3.4.0, and the one here is 3.1.2",
		"Your Ruby version is 3.1.2, but your Gemfile specified 3.4.0\n")
	check("javac 25",
		"[ERROR] Fatal error compiling: error: invalid target release: 25 -> [Help 1]")
	check("javac 25",
		"error: release version 25 not supported")
	check("node >=24, and the one here is 20.20.2",
		"The engine \"node\" is incompatible with this module. Expected version \">=24\". Got \"20.20.2\"")
	check("php ^8.9, and the one here is 8.2.30",
		"root composer.json requires php ^8.9 but your php version (8.2.30) does not satisfy that")

	// What tests say of releases, options and versions is the project's own.
	check("",
		"FAIL: parse: bad option: --strip, want none")
	check("",
		"AssertionError: 'requires go >= 1.99' != ''")
	check("",
		"undefined: names")
	check("",
		"SyntaxError: invalid syntax")
	check("",
		"Error: plugin is incompatible with this module, expected 2")
	check("",
		"--- FAIL: TestRelease\n    a_test.go:3: release version 3 is out")
}
