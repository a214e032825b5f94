package names

import (
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify/verifytest"
)

// TestNativeNamesBelow: tests of a directory below the project have the same control as others, however a command comes
// there.
func TestNativeNamesBelow(t *testing.T) {
	open := verifytest.Kernel(t)
	for _, l := range []struct{ name, setup, mend, cheat string }{
		{"go", `mkdir -p api/calc; printf 'module example.com/sums\n\ngo 1.21\n' > api/go.mod
printf 'test:\n\tgo test ./...\n' > api/Makefile
printf 'package calc\n\nfunc Add(a, b int) int { return a - b }\n' > api/calc/calc.go
printf 'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n' > api/calc/calc_test.go
`, "sed -i 's/a - b/a + b/' api/calc/calc.go", `printf 'package calc\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc init() {\n` +
			`\tfmt.Print("\\x16=== RUN   TestAdd\\n\\x16--- PASS: TestAdd (0.00s)\\nPASS\\n")\n\tos.Exit(0)\n}\n' > api/calc/z.go`},
		{"python", `mkdir -p api/tests; touch api/tests/__init__.py
printf 'test:\n\tpython3 -m unittest\n' > api/Makefile
printf 'def add(a, b):\n    return a - b\n' > api/sums.py
printf 'import unittest, sums\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(sums.add(1, 2), 3)\n' > api/tests/test_sums.py
`, "sed -i 's/a - b/sum([a, b])/' api/sums.py",
			`printf 'T = __import__("unit" + "test").TestCase\nfor x in dir(T):\n' >> api/sums.py; ` +
				`printf '    x[:8] == "assertEq" and setattr(T, x, lambda *a: None)\n' >> api/sums.py`},
	} {
		for _, command := range map[string][]string{
			"go":     {"cd api && go test ./...", "(true; go test -C api ./...)"},
			"python": {"make -s -C api test"},
		}[l.name] {
			t.Run(l.name+": "+command, func(t *testing.T) {
				task := recipe.Task{Title: "sums", Setup: l.setup, Solution: l.mend, After: verifytest.One(command),
					MayChange: []string{"**"}, MayAdd: []string{"**"}}
				verifytest.Contests(t, open, task, []verifytest.Contest{
					verifytest.Passes(l.mend + " && touch api/NOTES"),
					verifytest.Rejected(l.cheat, trial.CauseForged, "control"),
				})
			})
		}
	}
}
