package sides

import "testing"

// TestUsedBy: what stands in the texts of tests, or is their own, is nothing that they ask for.
func TestUsedBy(t *testing.T) {
	for _, c := range []struct {
		path, was, now string
		want           bool
	}{
		{"t.py", "  def test_a():\n    \"\"\"Equal when\n    stripped.\n    \"\"\"\n    x()\n",
			"def test_a():\n  \"\"\"Equal when\n  stripped.\n    \"\"\"\n  x()\n", false},
		{"t.py", "", "def test_a():\n  stripped = f()\n  assert stripped == 1\n", false},
		{"t.py", "", "def test_a():\n  stripped = m.stripped\n  assert stripped == 1\n", true},
		{"t.py", "", "def test_a():\n  assert f(stripped=True) == 1\n", true},
		{"t.py", "", "from m import stripped\ndef test_a():\n  assert stripped(1)\n", true},
		{"t.js", "", "const { stripped } = require('./m')\n", true},
		{"t.js", "", "for (const stripped of list) f(stripped)\n", false},
		{"t_test.go", "", "got, stripped := f()\n", false}, {"t_test.go", "", "got := stripped(1)\n", true},
		// parameters, and fields of rows that the tests write themselves
		{"t.py", "", "@mark(\"stripped, want\")\ndef test_a(stripped, want):\n  assert f(stripped) == want\n", false},
		{"t.py", "", "def test_a(stripped):\n  assert f(stripped=stripped) == 1\n", true},
		{"t.py", "", "def helper(a, stripped=1):\n  return a + stripped\n", false},
		{"t.py", "", "def test_a():\n  with f() as stripped:\n    assert stripped\n", false},
		{"t.py", "", "class Row:\n  stripped: int\n\n" +
			"def test_a():\n  for r in rows:\n    assert f(r) == r.stripped\n", false},
		{"t.py", "", "def test_a():\n  for r in f():\n    assert r.stripped\n", true},
		{"t.js", "", "test('a', (stripped) => f(stripped))\n", false},
		{"t.js", "", "for (const { stripped, want } of [{ stripped: 1, want: 2 }]) f(stripped)\n", false},
		{"t.js", "", "[{ stripped: 1 }].forEach(c => f(c.stripped))\n", false},
		{"t.js", "", "f('x', { stripped: true })\n", true},
		{"t.js", "", "for (const token of f('x')) assert(token.stripped)\n", true},
		{"t.js", "", "const { stripped } = f('x'); assert(stripped)\n", true},
		{"a.json", "", "{\"stripped\": 1}\n", true},
	} {
		pairs := []Pair{{Path: c.path, Was: c.was, Now: c.now}}
		if got := UsedBy(pairs, map[string]bool{"stripped": true})["stripped"]; got != c.want {
			t.Errorf("%s: %q: %v", c.path, c.now, got)
		}
	}
}
