package footprint

import (
	"strings"
	"testing"

	"cookoff/verify/footprint/demands"
)

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

// TestMovedTests: a file to which tests were moved asks what the program has, and nothing else.
func TestMovedTests(t *testing.T) {
	const ts = "import { expect, it } from 'vitest';\nimport { sum } from '../src/money';\n\n"
	const py = "import unittest\n\nfrom shop.money import add\n\n\nclass MoneyTest(unittest.TestCase):\n" +
		"    def test_add(self):\n"
	for _, c := range []struct {
		name, text string
		hindered   bool
	}{
		{"a.test.ts", ts + "it('sums', () => {\n  expect(sum([1])).toBe(1);\n});\n", false},
		{"a.test.ts", ts + "it.skip('sums', () => {\n  expect(sum([1])).toBe(1);\n});\n", true},
		{"a.test.ts", strings.Replace(ts, "money", "right", 1) + "it('sums', () => expect(sum([1])).toBe(1));\n", true},
		{"a.test.ts", ts + "const total = (n: number[]) => n[0];\nit('sums', () => expect(total([1])).toBe(1));\n", true},
		{"a.test.ts", ts + "vi.mock('../src/money');\nit('sums', () => expect(sum([1])).toBe(1));\n", true},
		{"test_a.py", py + "        self.assertEqual(add([1]), 1)\n", false},
		{"test_a.py", py + "        return\n        self.assertEqual(add([1]), 1)\n", true},
		{"test_a.py", "add = sum\n" + py + "        self.assertEqual(add([1]), 1)\n", true},
		{"test_a.py", strings.Replace(py, "money", "right", 1) + "        self.assertEqual(add([1]), 1)\n", true},
		{"test_a.py", py + "        self.assertEqual((lambda n: 1)([1]), 1)\n", true},
	} {
		if got := demands.Hindered(c.name, c.text, map[string]bool{"money": true}); got != c.hindered {
			t.Errorf("%s: %v\n%s", c.name, got, c.text)
		}
	}
}
