package outcome

import (
	"testing"

	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// TestExcerptOfRuby: of each framework's failing tests what differs is shown, and neither what passes, times,
// stacks nor
// the source of tests.
func TestExcerptOfRuby(t *testing.T) {
	check := func(stdout, name, want string) {
		t.Helper()
		o := &Outcome{Outcome: &testrun.Outcome{Runner: testrun.Ruby, Result: sandbox.Result{Stdout: []byte(stdout)}}}
		if got := o.Excerpt([]string{name}, nil); got != want {
			t.Errorf("%s\n got %q\nwant %q", name, got, want)
		}
	}
	minitest := "Run options: --seed 60958\n\n# Running:\n\nFE\n\nFinished in 0.001045s, 1913.6 runs/s.\n\n" +
		"  1) Failure:\n" +
		"TestA#test_a [test/m_test.rb:4]:\nExpected: 1\n  Actual: 2\n\n  2) Error:\nTestA#test_c:\n" +
		"RuntimeError: x\n" +
		"    test/m_test.rb:7:in `test_c'\n\n2 runs, 1 assertions, 1 failures, 1 errors, 0 skips\n"
	check(minitest, "TestA#test_a", "1) Failure:\nTestA#test_a [test/m_test.rb:4]:\nExpected: 1\n  Actual: 2")
	check(minitest, "TestA#test_c", "2) Error:\nTestA#test_c:\nRuntimeError: x")
	unit := "Loaded suite test/t_test\nStarted\nF\n====================\nFailure: test_a(TestA)\n" +
		"test/t_test.rb:4:in `test_a'\n" +
		"     2: class TestA < Test::Unit::TestCase\n  => 4:     assert_equal 1, 2\n<1> expected but was\n<2>\n" +
		"====================\n.E\n====================\nError: test_c(TestA): RuntimeError: x\n" +
		"test/t_test.rb:10:in `test_c'\n" +
		"  => 10:     raise \"x\"\n====================\n\nFinished in 0.0128 seconds.\n"
	check(unit, "TestA#test_a", "Failure: test_a(TestA)\n<1> expected but was\n<2>")
	check(unit, "TestA#test_c", "Error: test_c(TestA): RuntimeError: x")
	spec := "F.F\n\nFailures:\n\n  1) ledger adds\n     Failure/Error: expect(1 + 1).to eq(3)\n\n" +
		"       expected: 3\n" +
		"            got: 2\n\n     # ./spec/a_spec.rb:3:in `block'\n\n  2) ledger raises\n" +
		"     Failure/Error: raise \"boom\"\n\n" +
		"     RuntimeError:\n       boom\n\nFinished in 0.04789 seconds (files took 0.23573 seconds to load)\n" +
		"3 examples\n\n" +
		"Failed examples:\n\nrspec ./spec/a_spec.rb:2 # ledger adds\n"
	check(spec, "ledger adds", "1) ledger adds\n\n       expected: 3\n            got: 2")
	check(spec, "ledger raises", "2) ledger raises\n\n     RuntimeError:\n       boom")
}
