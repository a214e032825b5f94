package control

import (
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// TestMovedExamples: an example of a function that was renamed or moved is not missing; other tests are.
func TestMovedExamples(t *testing.T) {
	required := []string{"src/a/m.py::a.m.half", "src/a/m.py::a.m.sum", "src/a/m.py::a.m", "tests/test_m.py::test_half"}
	for _, c := range []struct{ missing, passed, want []string }{
		{required[:1], nil, required[:1]},
		{required[:1], []string{"src/a/m.py::a.m.halved"}, nil},
		{required[:1], []string{"src/a/r.py::a.r.half"}, nil},
		{required[:1], []string{"src/a/r.py::a.r.other"}, required[:1]},
		{required[:2], []string{"src/a/m.py::a.m.halved"}, required[1:2]},
		{required[:1], []string{"src/a/m.py::a.m.sum"}, required[:1]},
		{required[:1], []string{"tests/test_m.py::test_half_more"}, required[:1]},
		{required[3:], []string{"src/a/m.py::a.m.halved", "tests/test_m.py::test_more"}, required[3:]},
	} {
		if got := unmoved(c.missing, required, c.passed); !slices.Equal(got, c.want) {
			t.Errorf("%q missing, %q passed: %q, want %q", c.missing, c.passed, got, c.want)
		}
	}
}

// TestMovedTests: a test of a program that passed, called as it was, in a file to which tests were moved is not
// missing; one that was in a file of tests is.
func TestMovedTests(t *testing.T) {
	moved := []string{"tests/money.test.ts"}
	for _, c := range []struct{ missing, passed, want string }{
		{"src/money.ts > money > sums", "tests/money.test.ts > money > sums", ""},
		{"src/money.ts > money > sums", "tests/money.test.ts > sums", "src/money.ts > money > sums"},
		{"src/money.ts > money > sums", "tests/more.test.ts > money > sums", "src/money.ts > money > sums"},
		{"tests/old.test.ts > sums", "tests/money.test.ts > sums", "tests/old.test.ts > sums"},
		{"sums", "tests/money.test.ts > sums", "sums"},
	} {
		if got := strings.Join(inMoved([]string{c.missing}, []string{c.passed}, moved), " "); got != c.want {
			t.Errorf("%s missing, %s passed: %q, want %q", c.missing, c.passed, got, c.want)
		}
	}
}

// TestNextOfLong: of a record that was cut no names are learned: which are left out differs from run to run.
func TestNextOfLong(t *testing.T) {
	runner := testrun.Runners()[0]
	run := func(cut int64) *testRun {
		raw := sandbox.Result{Cut: cut, Stdout: []byte(`{"Action":"pass","Package":"m","Test":"TestA"}` + "\n")}
		return &testRun{Run: &testrun.Run{Runner: runner}, results: runner.Read(raw, ""), raw: raw}
	}
	if k := next(nil, run(0), run(0), true); k.Long || !slices.Equal(k.Required, []string{"m TestA"}) {
		t.Errorf("%+v", k)
	}
	if k := next(nil, run(0), run(1), true); !k.Long || !k.Broken || len(k.Required)+len(k.Mended) > 0 {
		t.Errorf("%+v", k)
	}
}
