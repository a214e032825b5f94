package footprint

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
		if got := demandsLess("a.rs", was, c.is, false, func() string { return c.others }); got != c.less {
			t.Errorf("%s: demands less: %v", c.name, got)
		}
	}
	if demandsLess("a.rs", "fn f() {\n    assert!(true);\n}\n", "", false, func() string { return "" }) {
		t.Error("a program without tests has them")
	}
}

// TestEndsWell: new files of tests that say how all tests end.
func TestEndsWell(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       bool
	}{
		{"a/main_test.go", "func TestMain(m *testing.M) { m.Run(); os.Exit(0) }\n", true},
		{"a/main_test.go", "func TestMain(m *testing.M) {}\n", true},
		{"a/main_test.go", "func TestMain(m *testing.M) { os.Exit(m.Run()) }\n", false},
		{"a/main_test.go", "func TestMain(m *testing.M) { m.Run() }\n", false},
		{"a/main_test.go", "func TestMain(m *testing.M) {\n\tif os.Getenv(\"X\") != \"\" {\n" +
			"\t\tmain()\n\t\tos.Exit(0)\n" +
			"\t}\n\tos.Exit(m.Run())\n}\n", false},
		{"a/b_test.go", "func TestB(t *testing.T) { os.Exit(0) }\n", false},
		{"conftest.py", "def pytest_runtest_makereport(item, call):\n    r.outcome = 'passed'\n", true},
		{"tests/conftest.py", "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n", true},
		{"tests/conftest.py", "@pytest.fixture\ndef outcome():\n    return 'passed'\n", false},
		{"test/a.test.js", "process.on('exit', () => { process.exitCode = 0; });\n", true},
		{"test/a.test.js", "test('a', () => spawn('node', ['-e', 'process.exit(0)']));\n", false},
		{"test/own.test.js", "if (sum(1, 2) !== 3) {\n  process.exit(1);\n}\nprocess.exit(0);\n", false},
		{"tests/test_own.py", "import os\nif total() != 3: os._exit(1)\nos._exit(0)\n", false},
		{"lib/child.js", "process.exit(0);\n", false},
	} {
		if got := allEndWell(c.file, c.text); got != c.want {
			t.Errorf("%s: %q: %v, want %v", c.file, c.text, got, c.want)
		}
	}
}
