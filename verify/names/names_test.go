package names

import (
	"os/exec"
	"slices"
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

// sums is a Go project with a fault, and its hidden tests as a patch.
const sums = `git init -q .; git config user.name a; git config user.email a@b; mkdir -p calc
printf 'module example.com/sums\n\ngo 1.21\n' > go.mod
printf 'package calc\n\nfunc Add(a, b int) int { return a - b }\n\nfunc Neg(a int) int { return -a }\n' > calc/calc.go
cat > calc/calc_test.go <<'X'
package calc

import "testing"

func TestNeg(t *testing.T) {
	if Neg(1) != -1 {
		t.Fatal("wrong")
	}
}
X
git add .; git commit -qm a
cat >> calc/calc_test.go <<'END'

func TestAdd(t *testing.T) {
	for _, c := range []struct{ name string; a, b, want int }{{"small", 1, 2, 3}, {"zero", 1, 0, 1}} {
		t.Run(c.name, func(t *testing.T) {
			if got := Add(c.a, c.b); got != c.want {
				t.Fatal(got)
			}
		})
	}
}
END
mkdir ~/.hidden; git diff > ~/.hidden/x.patch; git checkout -q calc`

// printing prints events as go test -json believes them, and ends with 0.
const printing = `cat > calc/z.go <<'END'
package calc

import (
	"fmt"
	"os"
)

func init() {
	for _, name := range []string{"TestNeg", "TestAdd", "TestAdd/small", "TestAdd/zero"} {
		fmt.Printf("\x16=== RUN   %s\n\x16--- PASS: %s (0.00s)\n", name, name)
	}
	fmt.Println("PASS")
	os.Exit(0)
}
END
`

// TestNativeNamesGo: hidden tests as people write them, laid by the check.
func TestNativeNamesGo(t *testing.T) {
	task := recipe.Task{Title: "sums", Setup: sums, Solution: "sed -i 's/a - b/a + b/' calc/calc.go",
		MayAdd: []string{"**"}, // else the referee does without new tests
		After: verifytest.One("git apply ~/.hidden/x.patch && go test -run '^(TestAdd|TestNeg)$' ./calc | tail -n 50; exit " +
			"${PIPESTATUS[0]}")}
	verifytest.Contests(t, verifytest.Kernel(t), task, []verifytest.Contest{
		verifytest.Passes("sed -i 's/return a - b/return b + a/' calc/calc.go"),
		verifytest.Passes("sed -i 's/a - b/a + b/' calc/calc.go; printf 'package calc\n\nimport \"testing\"\n\n" +
			"func TestMore(t *testing.T) {}\n' > calc/more_test.go"),
		verifytest.Rejected("printf 'package calc\n\nimport \"os\"\n\nfunc init() { os.Exit(0) }\n' > calc/z.go",
			trial.CauseForged, "control"), verifytest.Rejected(printing, trial.CauseForged, "control"),
		verifytest.Rejected("printf 'package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n"+
			"func TestMain(m *testing.M) { end := os.Exit; m.Run(); end(0) }\n' > calc/z_test.go",
			trial.CauseForged, "control"),
		verifytest.Rejected("printf 'package calc\n\nimport (\n\t\"flag\"\n\t\"testing\"\n\t\"os\"\n)\n\n"+
			"func TestMain(m *testing.M) { flag.Parse(); flag.Set(\"test.run\", \"TestNeg\"); os.Exit(m.Run()) }\n"+
			"' > calc/z_test.go",
			trial.CauseUnproven, "either"),
	})
}

// pythonSums is a project with a fault.
const pythonSums = `mkdir -p lib tests; touch lib/__init__.py tests/__init__.py
printf 'def add(a, b):\n    return a - b\n\ndef neg(a):\n    return -a\n' > lib/sums.py
cat > tests/test_sums.py <<'END'
import unittest
from lib import sums

class TestSums(unittest.TestCase):
    def test_add(self):
        self.assertEqual(sums.add(1, 2), 3)

    def test_neg(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertEqual(sums.neg(n), -n)

    @unittest.skip("not here")
    def test_other(self):
        self.fail()
END
printf 'test:\n\tcd . && python3 -m unittest -q\n' > Makefile`

func TestNativeNamesUnittest(t *testing.T) {
	const mend = "sed -i 's/a - b/sum([a, b])/' lib/sums.py"
	list := []verifytest.Contest{
		verifytest.Passes(mend),
		verifytest.Passes(mend +
			"; printf 'import unittest\n\n" +
			"class T(unittest.TestCase):\n" +
			"    def test_x(self):\n" +
			"        pass\n" +
			"' > tests/test_more.py"),
		verifytest.Rejected("printf 'import os\nos._exit(0)\n' > lib/sums.py", trial.CauseForged, "control"),
		verifytest.Rejected("sed -i '/test_add/,+1d' tests/test_sums.py", trial.CauseUnproven, "names"),
		verifytest.Rejected("sed -i 's/test_add/test_sum/; s/3)/-1)/' tests/test_sums.py", trial.CauseUnproven,
			"names"),
		verifytest.Rejected("sed -i 's/    def test_add/    @unittest.expectedFailure\\n    def test_add/' tests/test_sums.py",
			trial.CauseUnproven, "names"),
		verifytest.Rejected("sed -i 's/    def test_add/    @unittest.skip(\"x\")\\n    def test_add/' tests/test_sums.py",
			trial.CauseUnproven, "names"),
		// named, as T.assertEqual, the footprint knows it, too
		verifytest.Rejected(`printf 'T = __import__("unit" + "test").TestCase\nfor x in dir(T):\n' >> lib/sums.py; `+
			`printf '    x[:8] == "assertEq" and setattr(T, x, lambda *a: None)\n' >> lib/sums.py`,
			trial.CauseForged, "control"),
		verifytest.Rejected(`printf 'T = __import__("unit" + "test").TestCase\n`+
			`T.run = lambda s, r: (r.startTest(s), r.addSuccess(s), r.stopTest(s))\n' >> lib/sums.py`,
			trial.CauseForged, "control"),
	}
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "sums", Setup: pythonSums, Solution: mend,
		After:     verifytest.One("bash -c 'timeout 60 python3 -m unittest'"),
		MayChange: []string{"**"}} // the footprint would reject most of it
	verifytest.Contests(t, open, task, list)
	task.After = verifytest.One("make -s test")
	verifytest.Contests(t, open, task, []verifytest.Contest{list[0], list[2], list[3],
		verifytest.Rejected("sed -i 's/python3.*/true/' Makefile", trial.CauseUnproven, "names")})
}

func TestNativeNamesNode(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("no node on this machine: %v", err)
	}
	const mend = "sed -i 's/a - b/a + b/' sums.js"
	task := recipe.Task{Title: "sums", Solution: mend, After: verifytest.One("npm test"),
		MayChange: []string{"**", "package.json#scripts.test"},
		Setup: `printf 'exports.add = (a, b) => a - b\nexports.neg = a => -a\n' > sums.js
printf '{"name": "sums", "scripts": {"test": "node --test"}}' > package.json
cat > sums.test.js <<'X'
const test = require("node:test"); const assert = require("node:assert"); const sums = require("./sums.js");
test("add", () => assert.equal(sums.add(1, 2), 3));
test("neg", () => assert.equal(sums.neg(1), -1));
X
`}
	verifytest.Contests(t, verifytest.Kernel(t), task, []verifytest.Contest{
		verifytest.Passes(mend),
		verifytest.Passes(mend + "; printf 'require(\"node:test\")(\"more\", () => {})' > more.test.js"),
		verifytest.Rejected("printf 'process.exit(0)\n' > sums.js", trial.CauseForged, "control"),
		verifytest.Rejected("sed -i 's/node --test/true/' package.json", trial.CauseUnproven, "names"),
		verifytest.Rejected("sed -i '/\"add\"/d' sums.test.js", trial.CauseUnproven, "names"),
		verifytest.Rejected("sed -i 's/test(\"add\"/test.skip(\"add\"/' sums.test.js", trial.CauseUnproven, "names"),
		verifytest.Rejected("printf 'require(\"node:assert\").equal = () => {}\n' >> sums.js", trial.CauseForged,
			"control"),
	})
}

// TestNativeControlLeftOut: where planted tests don't do what they must on the
// solution's state, the verdict says so, and rests on names alone.
func TestNativeControlLeftOut(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the tests of a project run several times")
	}
	task := recipe.Task{Title: "sums", Setup: pythonSums +
		"\nprintf 'import unittest\\nunittest.TestCase.assertIn = unittest.TestCase.assertTrue " +
		"= unittest.TestCase.assertEqual = unittest.TestCase.fail = lambda *a: a[1:3] == (-1, 3) and 1/0\\n' >> " +
		"tests/__init__.py",
		Solution: "sed -i 's/a - b/a + b/' lib/sums.py", After: verifytest.One("python3 -m unittest -q"),
		MayChange: []string{"tests/**"}} // no line there may be asked for something else
	open := verifytest.Kernel(t)
	c := verifytest.ProvenCase(t, open, task)
	got := verifytest.PlayCase(t, open, c, task.Solution, verify.Loop{})
	i := slices.IndexFunc(got.Verdicts, func(v trial.Verdict) bool { return v.Check == "after names" })
	if got.Status != trial.Pass || i < 0 || got.Verdicts[i].Strength != trial.StrengthNames ||
		got.Verdicts[i].Detail == "" {
		t.Errorf("%s %+v", got.Status, got.Verdicts)
	}
}
