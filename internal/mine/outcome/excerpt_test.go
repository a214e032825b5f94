package outcome

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// TestExcerptOfMany: what a failing test says is shown of every runner that names tests, however many
// tests pass before it.
func TestExcerptOfMany(t *testing.T) {
	many := func(line string) string {
		var b strings.Builder
		for i := range 60 {
			fmt.Fprintf(&b, line+"\n", i+1, i+1)
		}
		return b.String()
	}
	check := func(o *testrun.Outcome, want string, names ...string) {
		t.Helper()
		if got := (&Outcome{Outcome: o}).Excerpt(names, nil); got != want {
			t.Errorf("%s\n got %q\nwant %q", o.Runner, got, want)
		}
	}
	says := func(runner, stdout, stderr string) *testrun.Outcome {
		return &testrun.Outcome{Runner: runner,
			Result: sandbox.Result{Stdout: []byte(stdout), Stderr: []byte(stderr)}}
	}
	check(says("cargo test", "running 61 tests\n"+many("test sum_%d ... ok // %d")+
		"test pads ... FAILED\n\nsuccesses:\n\n---- sum_1 stdout ----\nnoise\n\nsuccesses:\n    sum_1\n\nfailures:\n\n"+
		"---- pads stdout ----\n\nthread 'pads' (282) panicked at src/a.rs:9:5:\nassertion `left == right` failed\n"+
		"  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1` environment variable\n\n\nfailures:\n    pads\n\n"+
		"test result: FAILED.\n", ""),
		"---- pads stdout ----\nthread 'pads' panicked at src/a.rs:9:5:\nassertion `left == right` failed\n  left: 1\n right: 2",
		"pads")
	check(says("mocha", many("ok %d num sum %d")+"not ok 61 num pads\n  Expected values to be equal:\n  \n  ' 7' !== '07'\n"+
		"      at Context.<anonymous> (test/num.test.js:54:40)\n      at process.processImmediate (node:internal/timers:483:21)\n"+
		"ok 62 num more\n# tests 62\n1..62\n", ""),
		"not ok 61 num pads\n  Expected values to be equal:\n\n  ' 7' !== '07'", "num pads")
	check(says("ava", "TAP version 13\n"+many("ok %d - sum %d")+"not ok 61 - pads\n  ---\n    name: AssertionError\n"+
		"    assertion: t.is()\n    details:\n      'Difference (- actual, + expected):': |-\n        - ' 7'\n        + '07'\n"+
		"    message: ''\n    at: >-\n      Ex.is\n      (file:///x/assert.js:309:16)\n  ...\nok 62 - b\n", ""),
		"not ok 61 - pads\n  assertion: t.is()\n  details:\n    'Difference (- actual, + expected):': |-\n"+
			"      - ' 7'\n      + '07'", "pads")
	check(says("tap", "TAP version 14\n# Subtest: test/a.js\n"+many("    # Subtest: %d\n        ok %d - equal\n        1..1")+
		"    # Subtest: pads\n        not ok 1 - equal\n          ---\n          compare: ===\n          at:\n"+
		"            fileName: test/a.js\n          source: >\n            t.equal(pad(7), '07');\n          \n"+
		"            more\n          diff: |\n            --- expected\n            +++ actual\n            -07\n            + 7\n"+
		"          ...\n        \n        1..1\n    not ok 61 - pads # time=14.098ms\n      ---\n      at:\n"+
		"        fileName: test/a.js\n      ...\n    \n    1..61\nnot ok 1 - test/a.js # time=1052.1ms\n", ""),
		"not ok 1 - equal\n  diff: |\n    --- expected\n    +++ actual\n    -07\n    + 7\n\nnot ok 61 - pads",
		"test/a.js > pads > equal")
	check(says("node --test", "TAP version 13\n"+many("    ok %d - sum %d")+
		"    not ok 61 - pads\n      ---\n      duration_ms: 0.5\n      error: |-\n        ' 7' !== '07'\n        name: x\n"+
		"      stack: |-\n        at x\n      ...\n    1..61\nnot ok 1 - num\n  ---\n  type: 'suite'\n"+
		"  failureType: 'subtestsFailed'\n  error: '1 subtest failed'\n  ...\n1..1\n# tests 61\n# fail 1\n", ""),
		"not ok 61 - pads\n  error: |-\n    ' 7' !== '07'\n    name: x", "pads")
	check(says("prove", "t/a.t ..\n"+many("ok %d - sum %d")+"not ok 61 - pads\n1..61\nFailed 1/61 subtests\n",
		"#   Failed test 'pads'\n#          got: ' 7'\n#     expected: '07'\n"),
		"not ok 61 - pads\n#   Failed test 'pads'\n#          got: ' 7'\n#     expected: '07'", "pads")
	check(says("TAP", "1..61\n"+many("ok %d sum %d")+"not ok 61 pads\n# (in test file a.bats, line 5)\n#   `[ \"$x\" = 07 ]' failed\n", ""),
		"not ok 61 pads\n# (in test file a.bats, line 5)\n#   `[ \"$x\" = 07 ]' failed", "pads")
	check(says("", "  ✓ sum 1 (3 ms)\nPASS a\nFAIL b\nPASSED t.py\nPasses nothing\n", ""), "FAIL b\nPasses nothing")

	told := says("jest", `{"numFailedTests":1}`, "")
	told.Why = map[string]string{"num pads": "Error: \x1b[2mexpect(\x1b[22mreceived)\n\nExpected: \"07\"\nReceived: \" 7\"\n" +
		"    at Object.toBe (/work/test/num.test.js:52:51)\n    at new Promise (<anonymous>)", "other": "x"}
	check(told, "num pads\n  Error: expect(received)\n\n  Expected: \"07\"\n  Received: \" 7\"", "num pads")
	told = says("junit", "[INFO] much\n", "")
	told.Why = map[string]string{"a.B two": "java.lang.AssertionError: expected 2\n\tat a.B.two(B.java:9)\n\t... 23 more\n"}
	check(told, "a.B two\n  java.lang.AssertionError: expected 2", "a.B two")
}

// TestExcerptOfThrow: of a program of tape's that ended in a test the prompt shows that test, and what was thrown.
func TestExcerptOfThrow(t *testing.T) {
	o := &Outcome{Outcome: &testrun.Outcome{Runner: "TAP", Unfinished: []string{"two"}, Result: sandbox.Result{Exit: 1,
		Stdout: []byte("TAP version 13\n# one\nok 1 a\n# two\nok 2 b\n"),
		Stderr: []byte("TypeError: no\n    at x (/work/x.js:1:2)\n")}}}
	if got, want := o.Excerpt([]string{"two"}, nil), "# two\n\nTypeError: no"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	o.Stderr = []byte("/work/x.js:8\ncov_1vmdrj().s[145]++;p.catch(noop);cov_1vmdrj().s[146]++;" + "return p;\n" +
		strings.Repeat(" ", 400) + "^\nTypeError: no\n")
	if got, want := o.Excerpt([]string{"two"}, nil), "# two\n\nx.js:8\nTypeError: no"; got != want {
		t.Errorf("code that is measured: %q, want %q", got, want)
	}
}

// TestExcerptOfGo: what a test of Go says stands below its name, as go test shows it, in the order in which tests
// begin; one whose parts tell why it fails is not named beside them.
func TestExcerptOfGo(t *testing.T) {
	var b strings.Builder
	event := func(test, action, output string) {
		fmt.Fprintf(&b, `{"Action":%q,"Package":"m","Test":%q,"Output":%q}`+"\n", action, test, output)
	}
	for _, name := range []string{"TestA", "TestA/x", "TestA/y", "TestB"} {
		event(name, "run", "")
		event(name, "output", "=== RUN   "+name+"\n")
	}
	event("TestA/y", "output", "    a_test.go:9: y is wrong\n")
	event("TestA/x", "output", "    a_test.go:9: x is wrong\n")
	event("TestA/x", "output", "    --- FAIL: TestA/x (0.00s)\n")
	event("TestA/y", "output", "    --- FAIL: TestA/y (0.00s)\n")
	event("TestA", "output", "--- FAIL: TestA (0.00s)\n")
	event("TestB", "output", "    b_test.go:9: B is wrong\n        in two lines\n")
	event("TestB", "output", "--- FAIL: TestB (0.00s)\n")
	o := &Outcome{Outcome: &testrun.Outcome{Runner: "go test", Result: sandbox.Result{Stdout: []byte(b.String())}}}
	want := `--- FAIL: TestA/x
    a_test.go:9: x is wrong
--- FAIL: TestA/y
    a_test.go:9: y is wrong
--- FAIL: TestB
    b_test.go:9: B is wrong
        in two lines`
	if got := o.Excerpt([]string{"m TestA", "m TestA/x", "m TestA/y", "m TestB"}, nil); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestScrub: what differs between runs is no part of a prompt; a time that a test is about is.
func TestScrub(t *testing.T) {
	run := func(now string) *Outcome {
		return &Outcome{Outcome: &testrun.Outcome{Runner: "pytest", Result: sandbox.Result{Exit: 1, Stdout: []byte(
			"____ test_a ____\nE   - {'V': '2000-01-01T12:34:56+01:00', 'in': '250 ms'}\n" +
				"E   at <A 0x7f00" + now + "21ffff>, it is 2026-11-27 12:00:" +
				now + ".123Z, after " + now + "ms, 0x7f00ffffffff\n")}}}
	}
	o := run("01")
	names := []string{"t.py::test_a"}
	if got, want := o.Excerpt(names, nil), "test_a\nE   - {'V': '…', 'in': '…'}\n"+
		"E   at <A 0x…>, it is …, after …, 0x…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	o.Other = run("17")
	if got, want := o.Excerpt(names, nil), "test_a\nE   - {'V': '2000-01-01T12:34:56+01:00', 'in': '250 ms'}\n"+
		"E   at <A 0x…>, it is …, after …, 0x…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestExcerptOfFile: of a file of tests is said what in it fails, and what the runner says of the file
// where that is all.
func TestExcerptOfFile(t *testing.T) {
	const file = "not ok 1 - test/index.js # time=30ms\n  ---\n  timeout: 30000\n  exitCode: 1\n  ...\n"
	for stdout, want := range map[string]string{
		file: "not ok 1 - test/index.js\n  timeout: 30000\n  exitCode: 1",
		"# Subtest: test/index.js\n    # Subtest: a circle\n" +
			"        not ok 1 - Maximum call stack size exceeded\n          ---\n" +
			"          tapCaught: returnedPromiseRejection\n          test: a circle\n          ...\n" +
			"    not ok 1 - a circle # time=1ms\n" +
			file: "not ok 1 - Maximum call stack size exceeded\n  test: a circle\nnot ok 1 - a circle",
	} {
		o := &Outcome{Outcome: &testrun.Outcome{Runner: "tap", Result: sandbox.Result{Stdout: []byte(stdout)}}}
		if got := o.Excerpt(nil, nil); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestExcerptOfSeveral: of several test commands each says what of it fails, as its runner does.
func TestExcerptOfSeveral(t *testing.T) {
	part := func(runner, failed, says string) *testrun.Outcome {
		return &testrun.Outcome{Runner: runner, Failed: []string{failed}, Result: sandbox.Result{Exit: 1, Stdout: []byte(says)}}
	}
	all := *part("mocha", "sum", "")
	all.Failed = append(all.Failed, "label")
	all.Parts = []*testrun.Outcome{part("mocha", "sum", "not ok 1 sum\n  1 == 2\n"), {Runner: "pytest"},
		{Runner: "x", Failed: []string{"label"}, Why: map[string]string{"label": "1 items, want 1 item"}}}
	got := (&Outcome{Outcome: &all}).Excerpt(all.Failed, nil)
	if !strings.Contains(got, "1 == 2") || !strings.Contains(got, "1 items, want 1 item") {
		t.Errorf("%q", got)
	}
}

// TestExcerptOfCTest: of a failing test of CTest is said how it ended and what it printed, and nothing of what was
// built.
func TestExcerptOfCTest(t *testing.T) {
	const stdout = "-- The C compiler identification is GNU 14.2.0\n[100%] Built target split\n" +
		"Test project /work/build\n" +
		"1/4 Test #1: join ..........................   Passed    0.01 sec\n" +
		"2/4 Test #2: split text ....................***Exception: SegFault  0.00 sec\n\n" +
		"3/4 Test #3: late ..........................Subprocess aborted***Exception:   0.10 sec\n" +
		"4/4 Test #4: wide ..........................***Failed    0.12 sec\nwide.c:9: got 3\n\n" +
		"25% tests passed, 3 tests failed out of 4\n"
	o := &Outcome{Outcome: &testrun.Outcome{Runner: "ctest", Result: sandbox.Result{Exit: 8, Stdout: []byte(stdout)},
		Failed: []string{"split text", "late", "wide"}}}
	if got, want := o.Excerpt([]string{"split text"}, nil), "split text ***Exception: SegFault"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	o.Why = map[string]string{"wide": "\n  wide.c:9: got 3\n"}
	if got, want := o.Excerpt(o.Failed, nil), "split text ***Exception: SegFault\nlate ***Exception: Subprocess aborted\n"+
		"wide ***Failed\n    wide.c:9: got 3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestExcerptOfUnittest: of each failing test is said what it prints, and nothing of others.
func TestExcerptOfUnittest(t *testing.T) {
	const rule, dashes = "======================================================================\n",
		"----------------------------------------------------------------------\n"
	const text = "FE.\n" + rule + "FAIL: test_a (test_x.X.test_a)\n" + dashes + "AssertionError: 1 != 2\n\n" +
		rule + "ERROR: test_b (test_x.X)\n" + dashes + "NameError: name 'b' is not defined\n\n" + dashes +
		"Ran 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n"
	o := &Outcome{Outcome: &testrun.Outcome{Runner: "unittest", Result: sandbox.Result{Exit: 1, Stderr: []byte(text)}}}
	const a = "FAIL: test_a (test_x.X.test_a)\nAssertionError: 1 != 2"
	const b = "ERROR: test_b (test_x.X)\nNameError: name 'b' is not defined"
	for name, want := range map[string]string{"test_x.X.test_a": a, "test_x.X.test_b": b, "other": a + "\n\n" + b} {
		if got := o.Excerpt([]string{name}, nil); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestExcerptOfPanic: of the stack of a panic the places in the project are shown, and neither addresses nor the
// runner's.
func TestExcerptOfPanic(t *testing.T) {
	var b strings.Builder
	for _, l := range []string{"=== RUN   TestDig", "--- FAIL: TestDig (0.00s)",
		"panic: assert failed [recovered, repanicked]",
		"", "goroutine 9 [running]:", "testing.tRunner.func1.2({0x5c0700, 0x6102a0})",
		"\t/usr/local/go/src/testing/testing.go:1974 +0x232", "panic({0x5c0700?, 0x6102a0?})",
		"\t/usr/local/go/src/runtime/panic.go:860 +0x13a", "example.org/m.assert(...)", "\t/work/m_test.go:664",
		"created by testing.(*T).Run in goroutine 1", "\t/usr/local/go/src/testing/testing.go:2101 +0x4c5", "", "dug 3"} {
		text, err := json.Marshal(map[string]string{"Action": "output", "Package": "m", "Test": "TestDig",
			"Output": l + "\n"})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	o := &Outcome{Outcome: &testrun.Outcome{Runner: "go test",
		Result: sandbox.Result{Exit: 1, Stdout: []byte(b.String())}}}
	const want = "--- FAIL: TestDig\npanic: assert failed [recovered, repanicked]\n\n\tm_test.go:664\n\ndug 3"
	if got := o.Excerpt([]string{"m TestDig"}, nil); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestExcerptOfCoverage: how much of the code was run says nothing of a failing test.
func TestExcerptOfCoverage(t *testing.T) {
	const report = "=============================== Coverage summary ===============================\n" +
		"Statements   : 93.87% ( 306/326 )\nLines        : 94.21% ( 293/311 )\n" +
		"================================================================================\n" +
		"-----------------|----------|----------|----------|----------|----------------|\n" +
		"File             |  % Stmts | % Branch |  % Funcs |  % Lines |Uncovered Lines |\n" +
		"All files        |    93.87 |     89.5 |    94.59 |    94.21 |                |\n" +
		" index.js        |    93.85 |     89.5 |    94.59 |    94.19 |... 516,517,526 |\n"
	o := &Outcome{Outcome: &testrun.Outcome{Runner: "TAP", Result: sandbox.Result{Exit: 1,
		Stdout: []byte("not ok 1 sum\n  a | b | 3\n" + report),
		Stderr: []byte(report + "index.js:6\nvar n=(++cov_ck3ww.s[100],f(a));\n")}}}
	if got, want := o.Excerpt(nil, nil), "not ok 1 sum\n  a | b | 3\nindex.js:6"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
