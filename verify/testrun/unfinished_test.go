package testrun

import (
	"bufio"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/shell"
)

// TestBegun: of a run that was stopped, what its runner said as it went tells which tests it was at.
func TestBegun(t *testing.T) {
	for name, c := range map[string]struct{ runner, text, passed, failed, begun string }{
		"a test and one inside it, another that waits": {"go test",
			`{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"pass","Package":"m","Test":"TestA"}
{"Action":"run","Package":"m","Test":"TestLater"}
{"Action":"pause","Package":"m","Test":"TestLater"}
{"Action":"run","Package":"m","Test":"TestB"}
{"Action":"run","Package":"m","Test":"TestB/one"}
`, "m TestA", "", "m TestB, m TestB/one"},
		"one that goes on after it waited": {"go test", `{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"pause","Package":"m","Test":"TestA"}
{"Action":"cont","Package":"m","Test":"TestA"}
`, "", "", "m TestA"},
		"the last one that pytest names": {"pytest", "collecting ... collected 4 items\n\n" +
			"a_test.py::test_a PASSED                    [ 25%]\na_test.py::test_b[x y] FAILED           [ 50%]\n" +
			"a_test.py::T::test_c printed\nPASSED\na_test.py::T::test_d[1] ",
			"a_test.py::test_a", "a_test.py::test_b[x y]", "a_test.py::T::test_d[1]"},
		"several processes of pytest": {"pytest", "a.py::test_a \na.py::test_b \na.py::test_c \n" +
			"[gw1] [ 25%] PASSED a.py::test_b \n[gw0] [ 50%] FAILED a.py::test_a \na.py::test_d \n" +
			"[gw0] [ 75%] PASSED a.py::test_d \n", "a.py::test_b, a.py::test_d", "a.py::test_a", "a.py::test_c"},
		"all ended":                    {"pytest", "a.py::test_a PASSED [100%]\n\n", "a.py::test_a", "", ""},
		"unittest":                     {"unittest", "\nW begin t.A.one\n\nW pass t.A.one\n\nW end t.A.one\n\nW begin t.A.two\nnoise", "t.A.one", "", "t.A.two"},
		"a subtest that failed before": {"unittest", "\nW begin t.A.one\n\nW fail t.A.one\n", "", "t.A.one", "t.A.one"},
		"node": {"node --test", "\nW begin /p/a.test.js\n\nW begin one\n\nW pass one\n\nW end one\n\nW begin a group\n\nW begin two b\n",
			"one", "", "a group, two b"},
		"mocha": {"mocha", "\nW begin steps up\n\nW pass steps up\n\nW end steps up\n\nW begin steps down  1\n",
			"steps up", "",
			"steps down  1"},
		"jest":                    {"jest", "\nW begin up\n\nW fail up\n\nW end up\n\nW begin down\n", "", "up", "down"},
		"cargo":                   {"cargo test", "running 2 tests\ntest m::a ... ok\ntest m::b ... ", "m::a", "", "m::b"},
		"cargo, with what panics": {"cargo test", "running 1 test\ntest m::b - should panic ... ", "", "", "m::b"},
	} {
		runner := Runners()[slices.IndexFunc(Runners(), func(r *Runner) bool { return r.Name == c.runner })]
		got := runner.readAsItGoes(sandbox.Result{Stdout: []byte(c.text)}, "W")
		failed := map[string]bool{}
		for n, r := range got.Tests {
			if r.Failed > 0 {
				failed[n] = true
			}
		}
		list := func(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), ", ") }
		if list(got.PassedNames()) != c.passed || list(failed) != c.failed || list(got.unfinished) != c.begun {
			t.Errorf("%s: passed %q, failed %q, begun %q", name, list(got.PassedNames()), list(failed), list(got.unfinished))
		}
	}
}

// TestNodeLoops: a loop that never waits keeps node from saying by itself which test it is at.
func TestNodeLoops(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node on this machine")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.test.js")
	if err := os.WriteFile(file, []byte("const { test } = require('node:test'), { existsSync } = require('fs');\n"+
		"test('up', () => {});\n"+
		"test('down  below', () => { for (let i = 0; !existsSync('seen'); i++) if (i > 1e6) throw Error('unseen'); });\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	argv := []string{"node", "--test", file}
	runner, _ := runnerOf(argv)
	script, err := shell.Quote(runner.asItGoes(argv, runner.loud(argv, "W"), "W"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(script, goingFile("W"), dir+"/w.cjs"))
	cmd.Dir = dir
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		out = append(append(out, lines.Bytes()...), '\n')
		if lines.Text() != "W begin down  below" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "seen"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	got := runner.readAsItGoes(sandbox.Result{Stdout: out}, "W")
	if want := map[string]bool{"up": true, "down  below": true}; !maps.Equal(got.PassedNames(), want) ||
		len(got.unfinished) > 0 {
		t.Errorf("%v, %v: %s", got.PassedNames(), got.unfinished, out)
	}
}

// TestPytestErrors: a test has failed of which only what is set up for it, or taken down after it, did; a file that can't
// be imported is no test.
func TestPytestErrors(t *testing.T) {
	got := readPytest(sandbox.Result{Stdout: []byte("PASSED t.py::good\nPASSED t.py::late\nERROR t.py::set - locale.Error: unsupported\n" +
		"ERROR t.py::late - OSError\nERROR u.py - ImportError: a::b\n")}, "")
	want := map[string][3]int{"t.py::good": {1, 0, 0}, "t.py::late": {1, 1, 0}, "t.py::set": {0, 1, 0}}
	if !maps.Equal(became(got), want) {
		t.Errorf("%v, want %v", became(got), want)
	}
}
