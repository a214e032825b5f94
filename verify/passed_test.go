package verify

import (
	"testing"

	"cookoff/sandbox"
)

// TestPassed counts what test runners print, as they print it.
func TestPassed(t *testing.T) {
	check := func(run, stdout, stderr string, want int) {
		t.Helper()
		r := testRunOf(run)
		if r == nil {
			t.Fatalf("%s runs no tests", run)
		}
		if got := len(r.passed(sandbox.Result{Stdout: []byte(stdout), Stderr: []byte(stderr)})); got != want {
			t.Errorf("%s: %d of %q, want %d", run, got, stdout+stderr, want)
		}
	}
	check("go test ./...", `{"Action":"run","Package":"a","Test":"TestA"}
{"Action":"output","Package":"a","Test":"TestA","Output":"{\"Action\":\"pass\",\"Test\":\"x\"}\n"}
{"Action":"pass","Package":"a","Test":"TestA"}
{"Action":"skip","Package":"a","Test":"TestB"}
not JSON
{"Action":"pass","Package":"a"}
`, "", 1)
	check("go test ./...", `{"Action":"skip","Package":"a"}`, "", 0)
	check("pytest -q", "..\nPASSED tests/test_a.py::test_one\nSKIPPED [1] x\n", "", 1)
	check("python3 -m pytest", "1 skipped\n", "", 0)
	check("python3 -m unittest", "", "test_a (t.T.test_a) ... ok\ntest_b (t.T.test_b)\nSays more. ... ok\ntest_c (t.T.test_c) ... noise\nok\ntest_d (t.T.test_d) ... skipped 'x'\n\nRan 4 tests\n\nOK (skipped=1)\n", 3)
	check("node --test", "TAP version 13\n# Subtest: add\nok 1 - add\n  ---\n  ...\n    ok 2 - inner\nok 3 - later # SKIP\nok 4 - /work/sums.test.js\nnot ok 5 - x\n1..4\n", "", 2)
}

func TestLoud(t *testing.T) {
	check := func(run, want string) {
		t.Helper()
		if got := testRunOf(run); got == nil || got.loud != want {
			t.Errorf("%s becomes %+v, want %s", run, got, want)
		}
	}
	check("cd sub && X=1 go test -race ./... && echo done", "cd sub && X=1 go test -json -race ./... && echo done")
	check("python3 -m unittest discover -q", "python3 -m unittest discover -q -v")
	check("timeout 5 pytest", "timeout 5 pytest -rA")
	check("python -m pytest --tb='short'", "python -m pytest --tb='short' -rA")
	check("node --test --test-concurrency=1", "node --test --test-reporter=tap --test-concurrency=1")
	check("node --test --test-reporter=dot", "node --test --test-reporter=dot")
}
