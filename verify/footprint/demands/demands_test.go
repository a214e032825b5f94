package demands

import (
	"strings"
	"testing"
)

// TestDemands: who changes what tests demand is told from who writes the same otherwise, renames something,
// moves a test or demands more.
func TestDemands(t *testing.T) {
	const was = `/// Half.
///
/// assert_eq!(crate::half(4), 2);
pub fn half(n: i64) -> i64 {
    n / 2 // not assert!(n > 0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn halves() {
        assert_eq!(super::half(4), 2);
        assert_eq!(super::quote::<'static>('"', '\\''), 1);
        assert!(super::half(5) == 2, "of \"5)\"");
    }

    #[rstest]
    #[case(8, 4)]
    fn more_halves(#[case] n: i64, #[case] half: i64) {}

    #[test]
    #[should_panic(expected = "odd")]
    fn odd() {
        super::half(3);
    }
}
`
	for _, c := range []struct {
		name, is, others string
		less             bool
	}{
		{"as it was", was, "", false},
		{"formatted", strings.ReplaceAll(was, "(super::half(4), 2)", "(\n            super::half(4),\n            2,\n        )"), "",
			false},
		{"renamed", strings.ReplaceAll(was, "half", "halved"), "", false},
		{"one more", strings.Replace(was, "fn odd", "fn more() {\n        assert!(true);\n    }\n\n    #[test]\n    fn odd", 1), "",
			false},
		{"moved", was[:strings.Index(was, "#[cfg")], was[strings.Index(was, "#[cfg"):], false},
		{"another value", strings.Replace(was, "(super::half(4), 2)", "(super::half(4), 3)", 1), "", true},
		{"another one in its documentation", strings.Replace(was, "(crate::half(4), 2)", "(crate::half(4), 3)", 1), "", true},
		{"another value of a case", strings.Replace(was, "case(8, 4)", "case(8, 5)", 1), "", true},
		{"turned round", strings.Replace(was, "== 2", "!= 2", 1), "", true},
		{"another text", strings.Replace(was, `"odd"`, `""`, 1), "", true},
		{"in a comment", strings.Replace(was, "        assert!(super", "        // assert!(super", 1), "", true},
		{"gone", was[:strings.Index(was, "#[cfg")], "", true},
	} {
		if got := Less("a.rs", was, c.is, false, func() string { return c.others }); got != c.less {
			t.Errorf("%s: demands less: %v", c.name, got)
		}
	}
	if Less("a.rs", "fn f() {\n    assert!(true);\n}\n", "", false, func() string { return "" }) {
		t.Error("a program without tests has them")
	}
}

// TestDemandsOfModules: who changes what tests within a module of Python demand, or keeps them from asking, is
// told from who writes the same otherwise, renames something, moves a test or demands more.
func TestDemandsOfModules(t *testing.T) {
	const was = `"""Money.

>>> half(8)
4
"""
import unittest


def half(n):
    """Half.

    >>> half(4)
    2
    >>> half('a')
    Traceback (most recent call last):
        ...
    TypeError: a
    """
    return n // 2


class HalfTest(unittest.TestCase):
    def test_half(self):
        for n, want in [(8, 4), (6, 3)]:
            self.assertEqual(half(n), want)  # 3 # 4

    def test_odd(self):
        with self.assertRaises(ValueError):
            half(3)


if __name__ == "__main__":
    unittest.main()
`
	tests := was[strings.Index(was, "class"):strings.Index(was, "if __name__")]
	for _, c := range []struct {
		name, was, is, others string
		less                  bool
	}{
		{"as it was", "", "", "", false},
		{"renamed", "half(", "halved(", "", false},
		{"formatted", "[(8, 4), (6, 3)]:", "[\n            (8, 4),\n            (6, 3),\n        ]:", "", false},
		{"one more row", "(6, 3)]", "(6, 3), (2, 1)]", "", false},
		{"one more test", "    def test_odd", "    @unittest.skip('x')\n" +
			"    def test_more(self):\n        self.assertEqual(1, 1)\n\n    def test_odd",
			"", false},
		{"its documentation", "    def test_odd(self):",
			"    def test_odd(self):\n        \"\"\"What is odd.\"\"\"", "", false},
		{"one more example", "    >>> half(4)", "    >>> half(2)\n    1\n    >>> half( 4 )  # even", "", false},
		{"moved", tests, "", tests, false},
		{"gone", tests, "", "", true},
		{"another example", "    2\n", "    3\n", "", true},
		{"an example that is skipped", "half(4)", "half(4)  # doctest: +SKIP", "", true},
		{"no example", ">>> half(8)", "half(8)", "", true},
		{"a value", "    \"\"\"Half", "    _ = \"\"\"Half", "", true},
		{"behind another text", "    \"\"\"Half", "    ''; \"\"\"Half", "", true},
		{"another error", "TypeError: a", "ValueError: a", "", true},
		{"another row", "(6, 3)", "(6, 2)", "", true},
		{"another error of a test", "ValueError", "Exception", "", false},
		{"nearly", "assertEqual", "assertAlmostEqual", "", true},
		{"skipped", "    def test_half", "    @unittest.skip('x')\n    def test_half", "", true},
		{"the class is skipped", "class H", "@unittest.skip('x')\nclass H", "", true},
		{"expected to fail", "    def test_half", "    @unittest.expectedFailure\n    def test_half", "", true},
		{"ended", "test_half(self):\n", "test_half(self):\n        return\n", "", true},
		{"no test any more", "def test_half", "def check_half", "", true},
		{"no case any more", "(unittest.TestCase)", "", "", true},
		{"an own comparison", "    def test_half", "    def assertEqual(self, a, b):\n        pass\n\n    def test_half", "",
			true},
		{"not run", "unittest.main()", "print()", "", true},
		{"run for nothing", "unittest.main()", "unittest.main(exit=False)", "", true},
	} {
		is := strings.ReplaceAll(was, c.was, c.is)
		if c.was == "" {
			is = was
		}
		if got := Less("a.py", was, is, true, func() string { return c.others }); got != c.less {
			t.Errorf("%s: demands less: %v", c.name, got)
		}
	}
	if Less("a.py", was, strings.Replace(was, "    2\n", "    3\n", 1), false, func() string { return "" }) {
		t.Error("examples that nobody runs are held")
	}
}

// TestDemandsInSource: the same of tests that vitest finds in a program.
func TestDemandsInSource(t *testing.T) {
	const was = "export const half = (n: number) => n / 2;\n" + `
if (import.meta.vitest) {
  const { it, expect } = import.meta.vitest;
  it('halves', () => {
    expect(half(4)).toBe(2); // not 3
    expect(half(8)).not.toEqual({ n: 3 });
    expect(String(half(1))).toMatchInlineSnapshot('"0.5 {"');
  });
  it.each([
    [8, 4],
    [6, 3],
  ])('half of %i', (n, want) => expect(half(n)).toBe(want));
}
`
	tests := was[strings.Index(was, "if ("):]
	for _, c := range []struct {
		name, was, is, others string
		less                  bool
	}{
		{"as it was", "", "", "", false},
		{"renamed", "half", "halved", "", false},
		{"formatted", "(2); // not 3", `(
      2,
    )`, "", false},
		{"one more", "  it('halves'", "  it('more', () => {\n    expect(half(0)).toBe(0);\n  });\n  it('halves'", "", false},
		{"moved", tests, "", tests, false},
		{"gone", tests, "", "", true},
		{"another value", "toBe(2)", "toBe(3)", "", true},
		{"another matcher", ".toBe(2)", ".toBeDefined()", "", true},
		{"turned round", "not.toEqual", "toEqual", "", true},
		{"another snapshot", "0.5", "1", "", true},
		{"another row", "[6, 3]", "[6, 2]", "", true},
		{"skipped", "it('halves'", "it.skip('halves'", "", true},
		{"never", "import.meta.vitest)", "import.meta.vitest && false)", "", true},
		{"ended", "=> {\n", "=> {\n    return;\n", "", true},
		{"in a comment", "    expect(half(4)", "    // expect(half(4)", "", true},
	} {
		is := strings.ReplaceAll(was, c.was, c.is)
		if c.was == "" {
			is = was
		}
		if got := Less("a.ts", was, is, false, func() string { return c.others }); got != c.less {
			t.Errorf("%s: demands less: %v", c.name, got)
		}
	}
}
