package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cookoff/internal/cli"
	"cookoff/internal/temporary"
)

func init() { programs["cookoff-cut-name"] = cutAtName }

// cutAtName is the program, which is killed as soon as something has the n-th temporary
// name: COOKOFF_CUT is n, from 1, and the file that the names go to.
func cutAtName() {
	ctx, stop := cli.Interruptible(context.Background())
	var at, seen int
	var list string
	if _, err := fmt.Sscanf(os.Getenv("COOKOFF_CUT"), "%d %s", &at, &list); err != nil {
		panic(err)
	}
	temporary.Made = func(path string) {
		f, err := os.OpenFile(list, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		if err == nil {
			_, err = fmt.Fprintln(f, path)
			err = errors.Join(err, f.Close())
		}
		if seen++; err != nil || seen == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	code := carryOut(ctx, withoutWaiting(nil), os.Args[1:])
	stop()
	os.Exit(code)
}

// TestKilledAtEveryName: wherever a program is killed that has just made something with a
// temporary name, clean removes it, and the next run does.
func TestKilledAtEveryName(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a few dozen programs")
	}
	c := newChaos(t)
	for name, args := range map[string][]string{
		"run":    {"run", "-q", "--parallel", "1", "--models", "baseline/oracle", "-o", "page.html"},
		"plant":  {"plant", "--test", "python3 -m unittest", "--tasks", "1", "--seed", "7"},
		"report": {"report", "--format", "html", "-o", "page.html"},
	} {
		t.Run(name, func(t *testing.T) {
			here := *c
			here.T = t
			d := here.at(name)
			p := filepath.Join(d.root, "p")
			write(t, filepath.Join(p, "recipe.md"), tiny(t))
			write(t, filepath.Join(p, "adds.py"), "def add(a, b):\n    return a + b\n")
			write(t, filepath.Join(p, "test_adds.py"), "import unittest\nfrom adds import add\n\n\n"+
				"class Adds(unittest.TestCase):\n    def test(self):\n        self.assertEqual(add(1, 2), 3)\n")
			if name == "report" {
				cmd, out := d.start("", "cookoff", "run", "-q")
				if err := cmd.Wait(); err != nil {
					t.Logf("run: %v\n%s", err, out)
				}
			}
			for n := 1; ; n++ {
				if !d.killedAtName(n, name == "run" && n%2 == 0, args) {
					t.Logf("%d temporary names", n-1)
					break
				}
			}
		})
	}
}

// killedAtName kills a program at the n-th name, and reports whether it had so many. What
// it leaves is removed by clean, or by the next run.
func (c *chaos) killedAtName(n int, byRun bool, args []string) bool {
	c.Helper()
	list := filepath.Join(c.root, fmt.Sprint("names", n))
	cmd, out := c.start(fmt.Sprint(n, " ", list), "cookoff-cut-name", args...)
	_ = cmd.Wait()
	c.nothingLives()
	killed := cmd.ProcessState.String() == "signal: killed"
	if !killed && cmd.ProcessState.ExitCode() != 0 {
		c.Fatalf("cut off at name %d it ended with %s:\n%s", n, cmd.ProcessState, out)
	}
	next := []string{"clean"}
	if byRun {
		next = []string{"run", "-q", "--parallel", "1", "--models", "baseline/oracle"}
	}
	cmd, out = c.start("", "cookoff", next...)
	if err := cmd.Wait(); err != nil {
		c.Fatalf("%v: %v\n%s", next, err, out)
	}
	names, err := os.ReadFile(list)
	if err != nil && killed {
		c.Fatal(err)
	}
	for _, at := range strings.Fields(string(names)) {
		if _, err := os.Lstat(at); err == nil {
			c.Errorf("%s is left, of %d; then %v said:\n%s", at, n, next, out)
		}
	}
	for _, home := range []string{filepath.Join(c.home, "cache", "cookoff", "temporary"),
		filepath.Join(c.root, "tmp")} {
		err := filepath.WalkDir(home, func(at string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				c.Errorf("after %d names %s is left", n, at)
			}
			return nil
		})
		if err != nil {
			c.Fatal(err)
		}
	}
	return killed
}

// madeByHand are the files that may make names without noting them, and why.
var madeByHand = map[string]string{
	"trial/journal.go":             "what is left of a record that somebody removed is the user's",
	"internal/shootout/config.go":  "what the user writes in an editor is the user's",
	"bench/main.go":                "a tool of developers",
	"sandbox/sandboxtest/whole.go": "a tool of tests",
	"internal/temporary/list.go":   "its own lists, which Left finds",
	"runner/project/linked.go":     "it moves files within the temporary directory of the copy, which is noted",
}

// TestTemporaryNames: whatever makes a temporary name, or gives a file its last one, notes
// it first: who does it otherwise is named here.
func TestTemporaryNames(t *testing.T) {
	root := "../.."
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case e.IsDir() &&
			(strings.HasPrefix(e.Name(), ".") && rel != "." || e.Name() == "testdata" || e.Name() == "examples"):
			return filepath.SkipDir
		case e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			madeByHand[rel] != "":
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		notes := false
		for _, i := range file.Imports {
			notes = notes || i.Path.Value == `"cookoff/internal/temporary"`
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, _ := sel.X.(*ast.Ident)
			fromOS := of != nil && of.Name == "os"
			switch name := sel.Sel.Name; {
			case fromOS && (name == "MkdirTemp" || name == "CreateTemp"):
				t.Errorf("%s calls os.%s: temporary.Dir and temporary.File make what is found after a kill", rel, name)
			case name == "Rename" && (fromOS || of != nil && of.Name == "root") && !notes:
				t.Errorf("%s renames what no list has: make it by temporary.File or temporary.Dir", rel)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
