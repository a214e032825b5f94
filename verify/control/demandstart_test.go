package control

import (
	"testing"

	"cookoff/verify/lessons"
)

// TestOther: a line that expects a value not to be another may hold with both values.
func TestOther(t *testing.T) {
	for _, c := range []struct {
		file, line string
		want       bool
	}{
		{"a.test.js", "test('nothing', () => assert.strictEqual(total([]), 0));", false},
		{"a.test.js", "expect(total([])).not.toBe(0);", true},
		{"a.test.js", "assert.notStrictEqual(total([]), 0);", true},
		{"test_a.py", "assert total([]) == 0", false},
		{"test_a.py", "assert a == 0 or b == 1", true},
		{"test_a.py", "self.assertNotEqual(a, 0)", true},
		{"a_test.go", "if got := Total(nil); got != 0 {", false},
		{"a_test.go", "if got == 0 {", true},
		{"a.sh", `[ "$a" -ne 3 ]`, true},
	} {
		if got := other(lessons.Demand{File: c.file, Old: c.line}); got != c.want {
			t.Errorf("%s: %v", c.line, got)
		}
	}
}

// TestOneFails: a demand decides where a test fails that passed, and no other is lost.
func TestOneFails(t *testing.T) {
	of := func(names string) map[string]bool {
		m := map[string]bool{}
		for _, c := range names {
			m[string(c)] = true
		}
		return m
	}
	for _, c := range []struct {
		ran, passes string
		want        bool
	}{{"abc", "ab", false}, {"abc", "a", true}, {"abc", "", true}, {"c", "", false}, {"bc", "b", false}} {
		if got := oneFails(of("ab"), of(c.ran), of(c.passes)); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}
