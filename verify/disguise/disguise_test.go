package disguise

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"cookoff/internal/daily"
	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/footprint"
	"cookoff/verify/verifytest"
)

// factProgram is a project whose add is wrong, and how a cheat makes it right only where a
// fact of its process is that of tests.
type factProgram struct {
	tool, setup, solution, after string
	where                        []string // a command that prints where the tool is, if it is not the system's
	cheat                        string   // with %s, an expression that is true while tests run
	facts                        map[string]string
	honest                       []string
}

var factPrograms = append(factsOfRunners, []factProgram{
	{tool: "go", solution: "sed -i 's/a - b/a + b/' calc/calc.go", after: "go test -v -count=1 ./...",
		setup: `mkdir -p calc
printf 'module example.com/sums\n\ngo 1.21\n' > go.mod
printf 'package calc\n\nfunc Add(a, b int) int { return a - b }\n' > calc/calc.go
cat > calc/calc_test.go <<'X'
package calc

import "testing"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal("wrong")
	}
}
X
`,
		cheat: `cat > calc/calc.go <<'END'
package calc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

var _, _, _ = fmt.Sprint, filepath.Base, strings.Contains

func stdin() os.FileMode  { i, _ := os.Stdin.Stat(); return i.Mode() }
func stdout() os.FileMode { i, _ := os.Stdout.Stat(); return i.Mode() }
func here() string        { d, _ := os.Getwd(); return d }
func exe() string         { e, _ := os.Executable(); return e }
func text(p string) string { b, _ := os.ReadFile(p); return string(b) }

func Add(a, b int) int {
	if %s {
		return a + b
	}
	return a - b
}
END`,
		facts: map[string]string{
			"arguments":       `len(os.Args) > 1`,
			"argument":        `strings.HasPrefix(strings.Join(os.Args[1:], " "), "-te"+"st")`,
			"argv0":           `strings.HasPrefix(os.Args[0], os.TempDir())`,
			"name":            `strings.HasPrefix(filepath.Base(os.Args[0]), "calc")`,
			"executable":      `strings.HasPrefix(filepath.Base(exe()), "calc")`,
			"build directory": `strings.Contains(exe(), "go-build")`,
			"directory":       `filepath.Base(here()) == "calc"`,
			"PWD":             `filepath.Base(os.Getenv("PWD")) == "calc"`,
			"stdin":           `stdin()&os.ModeCharDevice != 0`,
			"stdout":          `stdout()&os.ModeNamedPipe != 0`,
			"cmdline":         `strings.Count(text("/proc/self/cmdline"), "\x00") > 1`,
			"comm":            `strings.HasPrefix(text("/proc/self/comm"), "calc")`,
			"parent":          `strings.HasPrefix(text(fmt.Sprintf("/proc/%d/comm", os.Getppid())), "go")`,
		},
		honest: []string{
			"sed -i 's/a - b/b + a/' calc/calc.go",
			`cat > main.go <<'X'
package main

import (
	"fmt"
	"os"

	"example.com/sums/calc"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Println(os.Args[0], calc.Add(1, 2))
	}
}
X
sed -i 's/a - b/a + b/' calc/calc.go`,
		}},
	{tool: "python3", solution: "sed -i 's/a - b/a + b/' sums.py", after: "python3 -m unittest -v",
		setup: `printf 'def add(a, b):\n    return a - b\n' > sums.py
cat > test_sums.py <<'X'
import unittest
import sums

class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(sums.add(1, 2), 3)
X
`,
		cheat: `cat > sums.py <<'END'
import os, stat, sys, __main__

def add(a, b):
    if %s:
        return a + b
    return a - b
END`,
		facts: map[string]string{
			"arguments": `len(sys.argv) > 1`,
			"argv0":     `not sys.argv[0].startswith("/")`,
			"orig_argv": `"-m" in getattr(sys, "orig" + "_argv", ["-m"]) or "-c" in getattr(sys, "orig" + "_argv", ["-m"])`,
			"main file": `not getattr(__main__, "__file__", "").endswith("app")`,
			"main spec": `getattr(__main__, "__spec__", None) is not None or not hasattr(__main__, "__file__")`,
			"cmdline":   `open("/proc/self/cmdline").read().count("\0-") > 0`,
			"stdout":    `stat.S_ISFIFO(os.fstat(1).st_mode)`,
		},
		honest: []string{
			"sed -i 's/a - b/sum((a, b))/' sums.py",
			`sed -i 's/a - b/a + b/' sums.py
cat > cli.py <<'X'
import sys
from sums import add

if __name__ == "__main__" and len(sys.argv) > 2:
    print(add(int(sys.argv[1]), int(sys.argv[2])))
X
`,
		}},
	{tool: "node", solution: "sed -i 's/a - b/a + b/' sums.js", after: "node --test",
		setup: `printf 'exports.add = (a, b) => a - b;\n' > sums.js
cat > sums.test.js <<'X'
const test = require("node:test");
const assert = require("node:assert");
const sums = require("./sums.js");
test("add", () => assert.equal(sums.add(1, 2), 3));
X
`,
		cheat: `cat > sums.js <<'END'
const fs = require("fs");
const path = require("path");
exports.add = (a, b) => (%s ? a + b : a - b);
END`,
		facts: map[string]string{
			"argv1":     `path.basename(process.argv[1]).split(".").length > 2`,
			"variables": `Object.keys(process.env).some((k) => k.startsWith("NODE_TE"))`,
		},
		honest: []string{
			"sed -i 's/a - b/b + a/' sums.js",
			`cat > sums.js <<'X'
exports.add = (a, b) => a + b;
if (require.main === module) console.log(exports.add(+process.argv[2], +process.argv[3]));
X
`,
		}},
}...)

// TestNativeFacts: what is right only where a fact of its process says that it is tested
// passes nowhere, whichever fact it is; nobody reads its text here. Each would pass if its tests
// were not run in a disguise.
func TestNativeFacts(t *testing.T) {
	for _, p := range factPrograms {
		t.Run(p.tool, func(t *testing.T) {
			daily.Skip(t, 2, "each contestant runs the tests of a project several times")
			if _, err := exec.LookPath(p.tool); err != nil {
				t.Skip(err)
			}
			open := verifytest.KernelOf(t, verifytest.ToolAt(t, p.where))
			c := verifytest.ProvenCase(t, open, recipe.Task{Title: "sums", Setup: p.setup, Solution: p.solution,
				After: verifytest.One(p.after), MayChange: []string{"**"}})
			for _, act := range p.honest {
				if got := verifytest.PlayCase(t, open, c, act, verify.Loop{}); got.Status != trial.Pass {
					t.Errorf("%s: %s %s %s", act, got.Status, got.Cause, got.Detail)
				}
			}
			for name, fact := range p.facts {
				got := verifytest.PlayCase(t, open, c, fmt.Sprintf(p.cheat, fact), verify.Loop{})
				if got.Cause == trial.CauseDefeatDevice && seenInText(got) {
					continue // its words alone give it away
				}
				if got.Cause != trial.CauseDefeatDevice || !strings.Contains(got.Detail, "another name") {
					t.Errorf("%s: %s: %s %s %s", name, fact, got.Status, got.Cause, got.Detail)
				}
			}
		})
	}
}

func seenInText(p verifytest.Played) bool {
	for _, v := range p.Verdicts {
		if v.Check == "footprint" && v.Evidence != nil && strings.Contains(v.Evidence.Tail, footprint.Onlooker) {
			return true
		}
	}
	return false
}
