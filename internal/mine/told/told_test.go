package told

import "testing"

// TestMessage: what says that something was changed, and where, says nothing of what was wrong.
func TestMessage(t *testing.T) {
	where := map[string]bool{}
	Words(where, "shop/price.py def discount(total): label(kind) is_member retries")
	for message, want := range map[string]bool{
		"": false, "fix": false, "bugfix": false, "Update price.py": false, "more work on prices": false,
		"Fix bug in price": false, "Improve label": false, "fixes for discounts": false, "refactoring, part 2": false,
		"Fix failing tests": false, "Improve error handling": false, "final changes": false,
		"A name of three letters is a member, too": true, "Fix rounding of totals": true, "Rate of Estonia is 0.224": true,
		"fix `a;;b`": true, "label: total, kind and member": true, "修正解析": true, "retries: 100": true,
		"Handle negative totals": true,
	} {
		if got := Message(message, where); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

// TestName: a sentence says what a test asks for.
func TestName(t *testing.T) {
	for name, want := range map[string]bool{
		"tests/test_more.py::More::test_code": false, "example.org/shop TestRetries": false, "retries": false,
		"tests/test_more.py::More::test_negative_total_is_taken_as_zero": true, "bad label": false,
		"example.org/shop TestEnvEscapedDollar": false, "shop > keeps quoted values": true,
		"example.org/shop TestParse/keeps_quoted_values": true, "a.ShopTest two": false,
		"keeps quoted values": true, "引用符を保つ": true,
	} {
		if got := Name(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// TestOutput: what fails says something where it prints a value, or a word that not every failure has.
func TestOutput(t *testing.T) {
	const name = "tests/test_price.py::test_retries"
	for _, output := range []string{
		"test_retries\nE       assert False", "test_retries\nE       assert not True",
		"test_retries\nE       Failed: DID NOT RAISE ValueError", "test_retries\nE           AssertionError: wrong retries",
		"More.test_retries\nE       AssertionError: False is not true",
		"FAIL: test_retries (test_more.More.test_retries)\nTraceback (most recent call last):\n" +
			"  File \"tests/test_more.py\", line 9, in test_retries\n    self.assertTrue(same)\n    ^^^^^\n" +
			"AssertionError: False is not true",
		"--- FAIL: TestRetries\n    shop_test.go:13: wrong", "--- FAIL: TestRetries\n    shop_test.go:19: unexpected result",
		"not ok 4 - bad\n  error: 'Missing expected exception.'",
		"not ok 2 - x\n  error: |-\n    The expression evaluated to a falsy value:\n\n      assert.ok(same)\n\n" +
			"  expected: true\n  actual: false",
		"not ok 2 - retries",
		"not ok 1 retries\n# (in test file test/a.bats, line 5)\n#   `[ \"$output\" = \"$want\" ]' failed",
		"expected: <true> but was: <false>", "org.opentest4j.AssertionFailedError: expected: <true> but was: <false>",
		"Expected false to be truthy.", "Failed asserting that false is true.", "java.lang.AssertionError",
		"Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: true\nReceived: false",
		"AssertionError: expected false to be true", "thread 'retries' panicked at src/lib.rs:9:5:\nassertion failed: same",
		"---- retries stdout ----\nassertion `left == right` failed\n  left: false\n right: true",
		"#   Failed test 'retries'\n#   at t/a.t line 7.", "retries ***Exception: SegFault",
		"--- FAIL: TestRetries\npanic: assert failed [recovered, repanicked]\n\n\ta_test.go:9",
		"retries ***Exception: Subprocess aborted", "Segmentation fault (core dumped)",
	} {
		if Output(output, name) {
			t.Errorf("%q says something", output)
		}
	}
	for _, output := range []string{
		"test_grade\nE       AssertionError: assert 'B' == 'A'", "E   assert False\nE    +  where False = is_member('_a')",
		"E   KeyError: 'fi'", "E   ZeroDivisionError: division by zero", "E   ValueError: no such code",
		"--- FAIL: TestRetries\n    shop_test.go:13: got 3, want 5", "shop_test.go:13: accepts anonymous names",
		"    The expression evaluated to a falsy value:\n\n      assert.ok(!shop.member('_anonymous'))",
		"    self.assertTrue(discount(total) == 90)", "panic: runtime error: index out of range [3] with length 3",
		"#   `[ \"$output\" = 07 ]' failed", "assertion failed: member(\"_a\")", "TypeError: x.trim is not a function",
		"#          got: '#'\n#     expected: ','", "  left: 3\n right: 5",
	} {
		if !Output(output, name) {
			t.Errorf("%q says nothing", output)
		}
	}
}

// TestShows: a value, or an error of the program, shows what is asked for; words that a test says of itself do not.
func TestShows(t *testing.T) {
	for output, want := range map[string]bool{
		"    kind_test.go:17: wrong name": false, "E       AssertionError: the label is wrong": false,
		"not ok 4 - bad\n  error: 'labels differ'": true, "    kind_test.go:17: got \"b\"": true,
		"E   KeyError: name": true, "E       assert False": false, "retries ***Exception: SegFault": true,
		"panic: assert failed [recovered, repanicked]": false, "panic: no such label": true,
		"panic: assignment to entry in nil map": true,
		"    a_test.go:9: got 3, want 5":        true, "AssertionError: labels are not alike": false,
		"TypeError: x.trim is not a function": true, "Failed asserting that the name is right.": false,
	} {
		if got := Shows(output, "p TestShort"); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}

// TestCrashes: an error of the program ends a test before it prints what it would ask for; that of an assertion does
// not.
func TestCrashes(t *testing.T) {
	for output, want := range map[string]bool{
		"panic: runtime error: index out of range [7] with length 3": true, "E   KeyError: 'fi'": true,
		"TypeError: x.trim is not a function": true, "E       AssertionError: assert 'a' == 'b'": false,
		"    a_test.go:9: got 3, want 5": false, "Segmentation fault (core dumped)": true,
		"panic: assert failed": false,
		"Error: expect(received).toBe(expected)\n\nExpected: 3\nReceived: 4": false,
		"assertion `left == right` failed\n  left: 3\n right: 5":             false,
	} {
		if got := Crashes(output); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}

// TestBody: the lines of a test are found by its name.
func TestBody(t *testing.T) {
	const python = "import x\n\n\nclass More:\n    def test_one(self):\n        x.one()\n\n" +
		"    def test_one_more(self):\n        x.two()\n"
	const golang = "package a\n\nfunc TestOne(t *testing.T) {\n\tone()\n}\n\n" +
		"func TestOneMore(t *testing.T) {\n\ttwo()\n}\n"
	const node = "test('one', () => {\n  one()\n})\ntest('one more', () => {\n  two()\n})\n"
	for _, c := range []struct{ source, name, want string }{
		{python, "t.py::More::test_one[1-2]", "    def test_one(self):\n        x.one()\n"},
		{golang, "example.org/a TestOne/sub", "func TestOne(t *testing.T) {\n\tone()"},
		{node, "suite > one more", "test('one more', () => {\n  two()"},
		{python, "t.py::test_none", ""},
	} {
		if got := Body(c.source, c.name); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
