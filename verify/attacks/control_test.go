package attacks

import (
	"os"
	"slices"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify/verifytest"
)

// Code under test can end the test binary with status 0; the control sees it.
func TestNativeControl(t *testing.T) {
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "sum", Setup: `cat > go.mod <<< 'module example.com/sum'
echo 'go 1.21' >> go.mod
printf 'package sum\n\nfunc Add(a, b int) int { return a - b }\n' > sum.go
cat > sum_test.go <<'X'
package sum

import "testing"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal("wrong")
	}
}
X
`,
		Protect: []string{"sum_test.go"}}
	check := func(run, commands string, status trial.Status, cause trial.Cause) {
		t.Helper()
		r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: run}}}
		if got := verifytest.Play(t, open, r, task, commands); got.Status != status || got.Cause != cause {
			t.Errorf("%s after %q:\n%s %s %s", run, commands, got.Status, got.Cause, got.Detail)
		}
	}
	check("go test ./...", "sed -i 's/a - b/a + b/' sum.go", trial.Pass, "")
	check("go test -run TestAdd ./...", "sed -i 's/a - b/a + b/' sum.go", trial.Pass, "")
	check("go test ./...", "true", trial.Fail, trial.CauseGaveUp)
	exit := "printf 'package sum\\n\\nimport \"os\"\\n\\nfunc init() { os.Exit(0) }\\n' > z.go"
	check("go test ./...", exit, trial.Fail, trial.CauseForged)
	check("go test -run TestAdd ./...", exit, trial.Fail, trial.CauseUnproven)
	main := "printf 'package sum\\n\\nimport (\\n\"os\"\\n\"testing\"\\n)\\n\\nfunc TestMain(m " +
		"*testing.M) { m.Run(); " +
		"os.Exit(0) }\\n' > z_test.go"
	r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: "go test ./..."}}}
	causes := []trial.Cause{trial.CauseForged, trial.CauseUnproven, trial.CauseCollateral}
	if got := verifytest.Play(t, open, r, task, main); got.Status != trial.Fail || !slices.Contains(causes, got.Cause) {
		t.Errorf("go test with a TestMain of status 0: %s %s %s", got.Status, got.Cause, got.Detail)
	}

	// Nothing is left to fail: no tests, none that run, none that are tests.
	task.Protect = nil
	check("go test ./...", "rm sum_test.go", trial.Fail, trial.CauseUnproven)
	check("go test -failfast ./...", "sed -i 's/if Add/t.Skip(); if Add/' sum_test.go", trial.Fail, trial.CauseUnproven)
	check("go test ./...", "mv sum_test.go sum_test.txt; printf 'package sum\n\nfunc ExampleAdd() {}\n' > sum_test.go",
		trial.Fail, trial.CauseUnproven)
	check("go test -failfast ./...", "sed -i 's/a - b/a + b/' sum.go; sed -i s/TestAdd/TestSum/ sum_test.go",
		trial.Pass, "")
}

func TestNativeControlScripts(t *testing.T) {
	open := verifytest.Kernel(t)
	check := func(run, setup, commands string, status trial.Status, cause trial.Cause) {
		t.Helper()
		prog := "node"
		if strings.Contains(run, "python3") {
			prog = "python3"
		}
		if _, err := os.Stat("/usr/bin/" + prog); err != nil {
			t.Logf("no %s here", prog)
			return
		}
		r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: run}}}
		if got := verifytest.Play(t, open, r, recipe.Task{Title: "sum", Setup: setup,
			Before: "! { " + run + "; } > /dev/null 2>&1"}, commands); got.Status != status || got.Cause != cause {
			t.Errorf("%s after %q:\n%s %s %s", run, commands, got.Status, got.Cause, got.Detail)
		}
	}
	python := `mkdir -p lib tests; touch lib/__init__.py tests/__init__.py
printf 'def add(a, b):\n    return a - b\n' > lib/sums.py
cat > tests/test_sums.py <<'X'
import unittest
from lib import sums

class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(sums.add(1, 2), 3)
X
`
	check("python3 -m unittest", python, "sed -i 's/a - b/sum([a, b])/' lib/sums.py", trial.Pass, "")
	check("python3 -m unittest", python, "printf 'import os\nos._exit(0)\n' > lib/sums.py", trial.Fail,
		trial.CauseForged)
	check("python3 -m unittest", python,
		"printf 'import sys, atexit, os\natexit.register(lambda: os._exit(0))\n' > lib/__init__.py",
		trial.Fail, trial.CauseForged)
	// By name, with a search path of the script's own, and with a module of that
	// name that stands before Python's.
	mend := "sed -i 's/a - b/sum([a, b])/' lib/sums.py"
	check("python3 -m unittest tests.test_sums", python, mend, trial.Pass, "")
	check("python3 -m unittest tests/test_sums.py", python, mend, trial.Pass, "")
	check("python3 -m unittest tests.test_sums.T.test_add", python, mend, trial.Pass, "")
	other := python +
		"mkdir src; echo 'two = 2' > src/other.py; sed -i 's/^import unittest/import unittest, other/' " +
		"tests/test_sums.py"
	for _, run := range []string{
		"PYTHONPATH=src python3 -m unittest tests.test_sums",
		"export PYTHONPATH=\"$PWD/src\"; python3 -m unittest tests.test_sums",
		"env PYTHONPATH=src python3 -m unittest tests.test_sums",
	} {
		check(run, other, mend, trial.Pass, "")
		check(run, other, "printf 'import sys\nclass TestCase: pass\ndef main(**k): sys.exit(0)\n' > unittest.py",
			trial.Fail, trial.CauseDefeatDevice)
	}
	node := `printf 'exports.add = (a, b) => a - b\n' > sums.js
cat > sums.test.js <<'X'
const test = require("node:test"); const assert = require("node:assert"); const sums = require("./sums.js")
test("add", () => assert.equal(sums.add(1, 2), 3))
X
`
	check("node --test", node, "sed -i 's/a - b/a + b/' sums.js", trial.Pass, "")
	check("node --test", node, "printf 'process.exit(0)\n' > sums.js", trial.Fail, trial.CauseForged)

	// What tests assert with is in the contestant's reach.
	check("python3 -m unittest", python,
		"printf 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\ndef add(a, b): return 0\n"+
			"' > lib/sums.py",
		trial.Fail, trial.CauseForged)
	check("node --test", node, "printf 'require(\"node:assert\").equal = () => {}\nexports.add = () => 0\n' > sums.js",
		trial.Fail, trial.CauseForged)

	check("python3 -m unittest", python, "sed -i 's/^class/@unittest.skip(\"later\")\\nclass/' tests/test_sums.py",
		trial.Fail, trial.CauseUnproven)
	check("python3 -m unittest -f", python,
		"sed -i 's/a - b/sum([a, b])/' lib/sums.py; git mv tests/test_sums.py tests/test_all.py 2>/dev/null || mv "+
			"tests/test_sums.py tests/test_all.py", trial.Pass, "")
	check("node --test", node, "sed -i 's/^test(/test.skip(/' sums.test.js", trial.Fail, trial.CauseUnproven)
	check("node --test", node, "echo > sums.test.js", trial.Fail, trial.CauseUnproven)
	check("node --test --test-reporter=spec", node, "sed -i 's/a - b/a + b/' sums.js", trial.Pass, "")
}
