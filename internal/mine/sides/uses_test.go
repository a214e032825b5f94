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
		{"a.json", "", "{\"stripped\": 1}\n", true},
	} {
		pairs := []Pair{{Path: c.path, Was: c.was, Now: c.now}}
		if got := UsedBy(pairs, map[string]bool{"stripped": true})["stripped"]; got != c.want {
			t.Errorf("%s: %q: %v", c.path, c.now, got)
		}
	}
}
