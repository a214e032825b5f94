package outcome

import (
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

func TestExcerpt(t *testing.T) {
	check := func(runner, stdout, want string, names ...string) {
		t.Helper()
		o := &Outcome{Outcome: &testrun.Outcome{Runner: runner, Result: sandbox.Result{Stdout: []byte(stdout)}}}
		if got := o.Excerpt(names, nil); got != want {
			t.Errorf("%s\n got %q\nwant %q", runner, got, want)
		}
	}
	check("go test", `{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: at /tmp/x123/y got 0xc000123456 in 3ms\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    other\n"}
`, "a_test.go:3: at /tmp/… got 0x… in …", "p TestA")
	check("pytest",
		"____ test_a ____\n\n    def test_a():\n>   assert f() == 1\nE   assert 2 == 1\n\n"+
			"test_a.py:3: AssertionError\n==== 1 failed ====\nE  x\n", "test_a\nE   assert 2 == 1")
	check("pytest", "==== FAILURES ====\n____ T.test_a[x] ____\n\nE   assert 2 == 1\n____ test_always ____\nE  root\n"+
		"==== PASSES ====\n____ test_b ____\n---- Captured stdout call ----\nE hello\n==== 2 failed ====\n",
		"T.test_a[x]\nE   assert 2 == 1", "t.py::T::test_a[x]")
	check("unittest", "F.\ncabc fail a\n\n"+strings.Repeat("=", 70)+"\nFAIL: test_a (t.A)\n"+strings.Repeat("-",
		70)+"\nAssertionError: 1 != 2\n\n"+strings.Repeat("-", 70)+"\nRan 2 tests in 0.1s\n",
		"FAIL: test_a (t.A)\nAssertionError: 1 != 2")
	check("TAP", "1..2\nok 1 - a\nnot ok 2 - b\n# got 3\n", "not ok 2 - b\n# got 3")
	check("TAP", "1..2\nok 1 - a\nSegmentation fault\n", "1..2\nSegmentation fault")
	check("pytest", "..F\nFAILED t.py::a - assert 1 == 2\n1 failed in 0.1s\n", "FAILED t.py::a - assert 1 == 2")
	check("node --test",
		"TAP version 13\nnot ok 1 - sums\n  ---\n  duration_ms: 3\n  error: |-\n    1 !== 2\n  stack: |-\n    at x\n"+
			"  ...\nok 2 - b\n", "not ok 1 - sums\n  error: |-\n    1 !== 2")
}

// TestSaid: of a run that says little the line is shown that names what failed.
func TestSaid(t *testing.T) {
	for text, want := range map[string]string{
		"ok 1 - a\nnot ok 2 - test/b.js\n1..2\n# tests 2\n# fail 1\n# duration_ms 225.104611\n": "not ok 2 - test/b.js",
		"it stops here\n1..2\n# tests 2\n# duration_ms 225.104611\n":                            "it stops here", "x\nFAIL\n": "x",
		"=== RUN   TestB\n    b_test.go:3: is 1\n--- FAIL: TestB (0.00s)\n=== RUN   TestSyntaxError\n--- PASS: TestSyntaxError (0.00s)\nFAIL\n": "--- FAIL: TestB (0.00s)",
		"": "exit status 1",
		"ERROR: Could not find a version\nERROR: No matching distribution found for tea\nmake: *** [Makefile:4: install] Error 1\n": "" +
			"ERROR: No matching distribution found for tea",
		"\x1b[0m\x1b[0m[\x1b[1;31mERROR\x1b[m] COMPILATION ERROR : \n" +
			"[\x1b[1;31mERROR\x1b[m] Source option 5 is old.\n\x1b[0m\x1b[0m": "Source option 5 is old.",
		`{"numTotalTestSuites":4,"testResults":[{"assertionResults":[],"name":"` + strings.Repeat("x", 160) + `","message":"Failed to load ` +
			`url ../src/set in tests/set.spec.ts. Does the file exist?"}]}`: "Failed to load url ../src/set in tests/set.spec.ts. Does the file exist?",
		"FAIL __tests__/title.test.js\n  ● Test suite failed to run\n\n    Cannot find module '../src/title' from '__tests__/title.test.js'\n\n" +
			"Ran all test suites.\n": "Cannot find module '../src/title' from '__tests__/title.test.js'",
		"error: missing documentation\n  --> src/lib.rs:3:1\n   |\n\nerror: could not compile `t` (lib test) due to 1 previous error\n": "" +
			"missing documentation (src/lib.rs:3:1)",
		"TAP version 13\nok 1 - says Error: not found\nok 2 a\n1..2\nError: Invalid report format [tap]\n": "Error: Invalid report format [tap]",
		"cc -o run run.c\n/usr/bin/ld: /tmp/c.o: in function `main':\nrun.c:(.text+0x2f): undefined reference to `ends'\n" +
			"collect2: error: ld returned 1 exit status\nmake: *** [Makefile:4: run] Error 1\n": "run.c:(.text+0x2f): undefined reference to `ends'",
		"cc -c a.c\na.c:3:5: error: too few arguments to function ‘f’\nmake: *** [Makefile:4: a.o] Error 1\n":                          "a.c:3:5: error: too few arguments to function ‘f’",
		"npm error code ENOTFOUND\nnpm error network request to borp failed\nnpm error A complete log of this run can be found in: /l": "npm error network request to borp failed"} {
		o := &Outcome{Outcome: &testrun.Outcome{Result: sandbox.Result{Exit: 1, Stdout: []byte(text)}}}
		if got := o.KeyLine(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestNoneRan: of a run in which no test was chosen, or all were left out, that is said, whatever its runner calls it.
func TestNoneRan(t *testing.T) {
	for text, want := range map[string]bool{
		"=========== 1 deselected in 0.01s ===========\n":                     true,
		"collected 0 items\n\n====== no tests ran in 0.00s ======\n":          true,
		"No tests found, exiting with code 1\nRun with `--passWithNoTests`\n": true,
		"No test files found, exiting with code 1\n":                          true,
		"[ERROR] Failed to execute goal surefire: No tests were executed!\n":  true,
		"[ERROR] No tests matching pattern \"Nowhere\" were executed!\n":      true,
		"> No tests found for given includes: [Nowhere]\n":                    true,
		"No tests were found!!!\n":                                            true,
		"Ran 0 tests in 0.000s\n\nNO TESTS RAN\n":                             true,
		"ERROR: file or directory not found: nowhere\n":                       false,
		"sh: 1: pytest: not found\n":                                          false,
		"3 failed, 1 deselected\n":                                            false,
	} {
		o := Of(&testrun.Outcome{Result: sandbox.Result{Exit: 1, Stdout: []byte(text)}})
		if got := o.NoneRan(); got != want {
			t.Errorf("%q: %v", text, got)
		}
		if o.Failed = []string{"a"}; o.NoneRan() {
			t.Errorf("%q: one failed", text)
		}
	}
}

// TestUnbuilt: what a test needs and is not there is told from a test that fails.
func TestUnbuilt(t *testing.T) {
	for text, want := range map[string]bool{"Failed to load url ../src/set (resolved id: ../src/set) in a.spec.ts.": true,
		`Failed to resolve import "../src/set" from "a.spec.ts". Does the file exist?`: true,
		"a.test.ts:1:10 - error TS2305: Module './a' has no exported member 'x'.":      true,
		"expected 1 to be 2": false, "STS20250101: x": false} {
		if got := Of(&testrun.Outcome{Result: sandbox.Result{Exit: 1, Stdout: []byte(text)}}).Unbuilt(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for _, c := range []struct {
		runner, text string
		want         bool
	}{
		{"go test", "--- PASS: TestSyntaxError (0.00s)\n    a_test.go:3: ImportError: x\n--- FAIL: TestB (0.00s)\n", false},
		{"go test", "# p\n./a_test.go:3:2: undefined: a\nFAIL\tp [build failed]\n", true},
		{"pytest", "PASSED t.py::test_SyntaxError\nPASSED t.py::TestImportErrors\nFAILED t.py::b - assert 1 == 2\n", false},
		{"pytest", "E   ImportError: no x\n", true},
		{"pytest", "        try:\n            import lxml\n>       except ImportError:\nE       AttributeError: no a\n",
			false},
		{"pytest", "    with pytest.raises(SyntaxError):\nE       Failed: DID NOT RAISE <class 'SyntaxError'>\n", false},
		{"pytest", "        raise SyntaxError(\"no text\")\nE       assert 1 == 2\n", false},
		{"pytest", "ERROR tests/test_a.py - ModuleNotFoundError: No module named 'a'\n", true},
		{"pytest", "/p/test_a.py:3: ImportError: no x\n", true},
		{"unittest", "ImportError: Failed to import test module: test_a\n", true},
		{"pytest", "ImportError while importing test module '/p/test_a.py'.\n", true},
		{"node --test", "file:///p/a.js:1\nSyntaxError: Unexpected token\n", true},
		{"node --test", "  error: 'SyntaxError: Unexpected token'\n", true},
		{"node --test", "  name: 'SyntaxError'\n", true},
		{"mocha", "Uncaught SyntaxError: Unexpected token\n", true},
	} {
		if got := Of(&testrun.Outcome{Runner: c.runner, Result: sandbox.Result{Exit: 1, Stdout: []byte(c.text)}}).
			Unbuilt(); got != c.want {
			t.Errorf("%s: %q: %v", c.runner, c.text, got)
		}
	}
}

// TestNewNames: of tests of Go's that can't be built it is said which names they need, and where; code that can't be
// built is none of theirs.
func TestNewNames(t *testing.T) {
	for text, want := range map[string]string{
		"# p [p.test]\n./a_test.go:3:2: undefined: toml.Next\n./a_test.go:9:2: undefined: toml.Next\n" +
			"./a_test.go:10:4: p.pos.col undefined (type P has no field or method col)\n" +
			"b/b_test.go:1:2: undefined: X\nFAIL\tp [build failed]\n": "toml.Next, col in a_test.go; X in b/b_test.go",
		"./a_test.go:3:9: not enough arguments in call to f\nFAIL\tp [build failed]\n": "./a_test.go:3:9: not enough arguments in call to f",
		"./a.go:3:2: undefined: y\nFAIL\tp [build failed]\n":                           "./a.go:3:2: undefined: y",
	} {
		o := Of(&testrun.Outcome{Runner: "go test", Result: sandbox.Result{Exit: 1, Stdout: []byte(text)}})
		if got := o.NewNames(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := o.TestsUnbuilt(); got != strings.Contains(text, "_test.go") {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestKilled: a run that is ended from outside is told from a program that crashes.
func TestKilled(t *testing.T) {
	for _, c := range []struct {
		res sandbox.Result
		is  bool
	}{
		{sandbox.Result{Exit: 137, Signal: "SIGKILL"}, true},
		{sandbox.Result{Exit: 143}, true},
		{sandbox.Result{Exit: 1, Reason: "memory"}, true},
		{sandbox.Result{Exit: 1, Stdout: []byte("=== RUN TestA\nsignal: killed\nFAIL\tm/a\t3s\n")}, true},
		{sandbox.Result{Exit: 1, Stdout: []byte(`{"Action":"output","Package":"m","Output":"signal: killed\n"}` + "\n")}, true},
		{sandbox.Result{Exit: 101, Stderr: []byte("process didn't exit successfully: `a` (signal: 9, SIGKILL: kill)\n")}, true},
		{sandbox.Result{Exit: 134, Stderr: []byte("FATAL ERROR: Reached heap limit: JavaScript heap out of memory\n")}, true},
		{sandbox.Result{Exit: 139, Signal: "SIGSEGV"}, false},
		{sandbox.Result{Exit: 1, Stdout: []byte("    a_test.go:3: got signal: killed\n  signal: 'SIGKILL'\n")}, false},
		{sandbox.Result{Stdout: []byte("signal: killed\n")}, false},
	} {
		o := &Outcome{Outcome: &testrun.Outcome{Result: c.res}}
		if got := o.Killed(); (got != "") != c.is {
			t.Errorf("%+v: %q", c.res, got)
		}
	}
}

// TestGrown: a run that was ended for the memory that it took says so, and nothing of which test took it; where that is
// known, it says something.
func TestGrown(t *testing.T) {
	for _, res := range []sandbox.Result{{Exit: 137, Reason: "memory"},
		{Exit: 134, Stderr: []byte("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n")},
		{Exit: 2, Stderr: []byte("fatal error: runtime: out of memory\n")}} {
		o := &Outcome{Outcome: &testrun.Outcome{Runner: "jest", Result: res}}
		if !o.Grown() || o.Late() || o.Killed() == "" {
			t.Errorf("no test is known that takes it, and %+v says something", res)
		}
		if o.Hung, o.Full = []string{"range down"}, true; o.Killed() != "" {
			t.Errorf("ended from outside: %s", o.Killed())
		}
	}
	for _, res := range []sandbox.Result{{Exit: 1}, {Stdout: []byte("JavaScript heap out of memory\n")}} {
		if (&Outcome{Outcome: &testrun.Outcome{Result: res}}).Grown() {
			t.Errorf("%+v was not ended for its memory", res)
		}
	}
}

// TestLacks: what tests need is read out of what compilers and runners say; where they say nothing of it, nothing is.
func TestLacks(t *testing.T) {
	for _, c := range []struct{ runner, text, want string }{
		{"go test", "./a_test.go:3:2: undefined: Next\n./a_test.go:4:2: undefined: toml.Last\n", "Next Last"},
		{"go test", "./a_test.go:3:9: not enough arguments in call to sum.Mean\n\thave (int)\n", "Mean"},
		{"go test", "./a_test.go:3:9: too many arguments in call to Mean\n", "Mean"},
		{"go test", "./a_test.go:3:9: cannot use 3 (untyped int constant) as string value in argument to Mean\n", "Mean"},
		{"go test", "./a_test.go:3:9: assignment mismatch: 2 variables but sum.Mean(1) returns 1 value\n", "Mean"},
		{"go test", "./a_test.go:3:9: assignment mismatch: 2 variables but Mean returns 1 value\n", "Mean"},
		{"go test", "a_test.go:3:2: package m/fresh is not in std (/usr/lib/go/src/m/fresh)\n", "fresh"},
		{"go test", "a_test.go:3:2: no required module provides package e.com/m/fresh; to add it:\n", "fresh"},
		{"go test", "./a_test.go:3:9: expected ';', found x\n", ""},
		{"cargo test", "error[E0061]: this function takes 1 argument but 2 arguments were supplied\n" +
			" --> tests/a.rs:3:5\n  |\n3 |     mean(&[1], 2);\n  |     ^^^^       - unexpected\n  |\n" +
			"note: function defined here\n --> src/lib.rs:1:8\n  |\n" +
			"1 | pub fn mean(a: &[i64]) -> i64 {\n", "mean"},
		{"cargo test", "error[E0277]: can't compare\n", ""},
		{"vitest", "Error: Failed to load url ../src/set (resolved id: ../src/set) in a.spec.ts.\n", "set"},
		{"vitest", "Error: Failed to resolve import \"../src/set.js\" from \"a.spec.ts\".\n", "set"},
		{"jest", "a.test.ts:1:10 - error TS2305: Module '\"./a\"' has no exported member 'next'.\n", "next"},
		{"jest", "a.test.ts:1:10 - error TS2339: Property 'next' does not exist on type 'A'.\n", "next"},
		{"jest", "a.test.ts:1:10 - error TS2554: Expected 2 arguments, but got 1.\n", ""},
		{"pytest", "E   ModuleNotFoundError: No module named 'a.fresh'\n", "fresh"},
		{"pytest", "E   SyntaxError: invalid syntax\n", ""},
	} {
		o := Of(&testrun.Outcome{Runner: c.runner, Result: sandbox.Result{Exit: 1, Stdout: []byte(c.text)}})
		if got := strings.Join(o.Lacks(), " "); got != c.want {
			t.Errorf("%s: %q: %q, want %q", c.runner, c.text, got, c.want)
		}
	}
}
