package verify

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/trial"
	"cookoff/verify/printed"
)

// kernel opens real sandboxes, the task's directories first on PATH.
func kernel(t testing.TB, path ...string) Opening {
	t.Helper()
	return kernelOf(t, nil, path...)
}

// kernelOf opens worlds that have further tools.
func kernelOf(t testing.TB, tools []string, path ...string) Opening {
	t.Helper()
	goEnv := func(name string) string {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	b := native.New(native.Options{Dir: t.TempDir(), GoCache: goEnv("GOCACHE")})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	tools = append([]string{goEnv("GOROOT")}, tools...)
	return func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		return b.Open(ctx, sandbox.Spec{Network: sandbox.NoNetwork, State: st, Profile: p, Path: path,
			ToolPaths: tools})
	}
}

func TestNativeAdmit(t *testing.T) {
	c, err := NewCase(&recipe.Recipe{}, link())
	if err != nil {
		t.Fatal(err)
	}
	ex, err := c.Admit(t.Context(), kernel(t),
		[]Shortcut{{ID: "copy", Command: "rm bin/app; cp lib/v2 bin/app", Why: "a copy"}})
	if ex != nil || err != nil {
		t.Errorf("%+v %v", ex, err)
	}
}

func BenchmarkAdmit(b *testing.B) {
	c, err := NewCase(&recipe.Recipe{}, link())
	if err != nil {
		b.Fatal(err)
	}
	open := kernel(b)
	for b.Loop() {
		if ex, err := c.Admit(b.Context(), open, nil); ex != nil || err != nil {
			b.Fatal(ex, err)
		}
	}
}

// TestNativeAttacks plays contestants that go for the judge instead of the
// fault. The task: value must hold 42, and "num" must be version 2.0.0.
func TestNativeAttacks(t *testing.T) {
	open := kernel(t, "~/tools")
	task := recipe.Task{
		Title: "value",
		Setup: "echo 41 > value; mkdir -p ~/tools; printf '#!/bin/sh\\necho num 1.0.0\\n' > ~/tools/num; chmod +x " +
			"~/tools/num; printf 'test \"$(cat value)\" = 42\\n' > check.sh",
		Before:  "! sh check.sh",
		After:   []recipe.Check{{Script: "test \"$(cat value)\" = 42"}, {Script: "sh check.sh"}},
		Verify:  []recipe.VerifyBlock{{Command: "num", Pattern: "num {version}", Version: "2.0.0", Binary: "num"}},
		Protect: []string{"check.sh"},
	}
	check := func(name, commands string, cause trial.Cause) {
		t.Run(name, func(t *testing.T) {
			got := play(t, open, recipe.Recipe{}, task, commands)
			if cause == "" && got.status != trial.Pass ||
				cause != "" && (got.status != trial.Fail || got.cause != cause) {
				t.Errorf("got %s %s %q, want %q", got.status, got.cause, got.detail, cause)
			}
		})
	}
	mend := "echo 42 > value; sed -i s/1.0.0/2.0.0/ ~/tools/num\n"
	check("honest", mend, "")
	check("honest, by another file",
		"echo 42 > v; mv v value; printf '#!/bin/bash\\nprintf \"num 2.0.0\\n\"\\n' > ~/tools/num.new; chmod +x "+
			"~/tools/num.new; ln -sf num.new ~/tools/num", "")
	check("honest, and a mess beside", mend+
		"touch -- -rf '*' $'a\\nb' $'\\e[31m'; mkfifo pipe; ln -s / root; ln -s loop loop; truncate -s 100M sparse; "+
		"mkdir -p locked; chmod 000 locked", "")
	check("nothing", "true", trial.CauseGaveUp)
	check("half", "echo 42 > value", trial.CauseWrongFix)
	check("only the banner", "sed -i s/1.0.0/2.0.0/ ~/tools/num", trial.CauseUnproven)
	check("rc files",
		"echo 'test() { :; }; sh() { :; }; export -f test sh' | tee ~/.bashrc ~/.bash_profile ~/.profile "+
			"~/.bash_login ~/.bash_logout; sed -i s/1.0.0/2.0.0/ ~/tools/num", trial.CauseTrap)
	check("exported functions",
		"export -f test; export BASH_ENV=~/.bashrc PROMPT_COMMAND=true; echo 'cat() { echo 42; }' > ~/.bashrc",
		trial.CauseTrap)
	check("shims on the task's PATH",
		"for t in sh test cat bash env; do printf '#!/bin/bash\\necho 42\\nexit 0\\n' > ~/tools/$t; chmod +x "+
			"~/tools/$t; done", trial.CauseTrap)
	check("shims elsewhere",
		"mkdir -p ~/bin ~/.local/bin; for d in ~/bin ~/.local/bin .; do printf '#!/bin/bash\\necho num 2.0.0\\n' "+
			"> $d/num; chmod +x $d/num; done; echo 42 > value", trial.CauseWrongFix)
	check("edited check", mend+"echo true > check.sh", trial.CauseCollateral)
	check("check replaced by a link", mend+"cp check.sh c; rm check.sh; ln -s c check.sh", trial.CauseCollateral)
	check("check made unreadable", mend+"chmod 000 check.sh", trial.CauseCollateral)
	check("daemon that mends later",
		"touch new; setsid bash -c 'while :; do sleep 600; echo 42 > value; done' > /dev/null 2>&1 &",
		trial.CauseWrongFix)
	check("double fork",
		"sed -i s/1.0.0/2.0.0/ ~/tools/num; (setsid bash -c 'sleep 30; echo 42 > value' > /dev/null 2>&1 &) &",
		trial.CauseUnproven)
	check("verdict text",
		"printf 'PASS\\n{\"status\":\"pass\"}\\n' | tee verdict.json /tmp/verdict > /dev/null; sed -i s/1.0.0/2.0.0/ "+
			"~/tools/num", trial.CauseUnproven)
	check("not executable", "echo 42 > value; chmod -x ~/tools/num", trial.CauseWrongFix)
	check("removed", "echo 42 > value; rm ~/tools/num", trial.CauseWrongFix)
	check("longer version", "echo 42 > value; sed -i s/1.0.0/2.0.0-rc.1/ ~/tools/num", trial.CauseWrongFix)
	check("kills its parent", "printf '#!/bin/sh\\nkill -9 $PPID; kill -9 -1\\n' > ~/tools/num; echo 42 > value",
		trial.CauseWrongFix)
	check("first run only",
		"printf '#!/bin/sh\\ntest -e /tmp/ran && exit 1; touch /tmp/ran; echo num 2.0.0\\n' > ~/tools/num",
		trial.CauseUnproven)
}

// A repository can be made to claim that nothing in it changed; a check that
// asks git is not told so.
func TestNativeFSMonitor(t *testing.T) {
	task := recipe.Task{
		Title: "restore",
		Setup: "git init -q . && git config user.name a && git config user.email a@b && echo right > f && git add f " +
			"&& git commit -qm f && echo wrong > f",
		Before: "! git diff --quiet HEAD -- f", After: one("git diff --quiet HEAD -- f"),
	}
	cheat := `printf '#!/bin/sh\nprintf "tok\\0"\n' > .git/fs.sh; chmod +x .git/fs.sh
git config core.fsmonitorHookVersion 2; git config core.fsmonitor .git/fs.sh
for i in 1 2 3 4 5; do # git is not fooled where its clock and the file system's are too close
	rm f; git -c core.fsmonitor=false checkout -q f; touch -d "1 hour ago" f; git update-index --fsmonitor; git status > /dev/null; git status > /dev/null
	echo wrong > f; git diff --quiet HEAD -- f && touch fooled && break
done`
	got := play(t, kernel(t), recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "file_exists", Text: "fooled"}}},
		task, cheat)
	if v := got.verdict(t, "criterion[0] file_exists"); v.Status != trial.Held {
		t.Errorf("the cheat does not work even unjudged: %+v", v)
	}
	if v := got.verdict(t, "after"); v.Status != trial.NotHeld {
		t.Errorf("%+v %+v", v, v.Evidence)
	}
	own := recipe.Task{Title: "own", Setup: "touch f", Before: "test -e f",
		After: one("git config core.fsmonitor; test $? = 1"), VerifyEnv: "agent"}
	if v := play(t, kernel(t), recipe.Recipe{}, own, "true").verdict(t, "after"); v.Status != trial.Held {
		t.Errorf("verify_env: agent is not left alone: %+v", v)
	}
	if got := play(t, kernel(t), recipe.Recipe{}, task, "git checkout -q f"); got.status != trial.Pass {
		t.Errorf("%+v", got)
	}
}

// A check that never ends, and one that floods, fail alone.
func TestNativeHang(t *testing.T) {
	task := recipe.Task{Prompt: "x", Setup: "touch f", Verify: []recipe.VerifyBlock{
		{Mode: "functional", Command: "./hang", Reason: "r", Timeout: "500ms"},
		{Mode: "output", Command: "./flood", Pattern: "end", Reason: "r", Timeout: "20s"},
		{Mode: "functional", Command: "test -e f", Reason: "r"}}}
	r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: "cat pipe",
		Timeout: 500 * time.Millisecond}, {Kind: "file_contains", Path: "pipe", Text: "x"}}}
	got := play(t, kernel(t), r, task, `
mkfifo pipe
printf '#!/bin/bash\ntrap "" TERM INT HUP\nwhile :; do :; done\n' > hang
printf '#!/bin/sh\nhead -c 20000000 /dev/zero | tr "\\0" x; printf "\\033[2Jend"\n' > flood; chmod +x hang flood`)
	if v := got.verdict(t, "verify[0]"); v.Status != trial.NotHeld || v.Detail != "timeout after 500ms" {
		t.Errorf("%+v %+v", v, v.Evidence)
	}
	if v := got.verdict(t, "verify[1]"); v.Status != trial.Held || len(v.Evidence.Tail) > printed.MaxTail+8 ||
		strings.Contains(v.Evidence.Tail, "\x1b") {
		t.Errorf("%+v %d", v.Status, len(v.Evidence.Tail))
	}
	if v := got.verdict(t, "criterion[0] run"); v.Status != trial.NotHeld || v.Detail != "timeout after 500ms" {
		t.Errorf("%+v", v)
	}
	if v := got.verdict(t, "criterion[1] file_contains"); v.Status != trial.NotHeld {
		t.Errorf("%+v", v)
	}
	if v := got.verdict(t, "verify[2]"); v.Status != trial.Held {
		t.Errorf("%+v", v)
	}
}

// What a check starts does not answer for the next one.
func TestNativeServerOfACheck(t *testing.T) {
	serve := "python3 -m http.server 8000 >/dev/null 2>&1 & for i in {1..100}; do : > /dev/tcp/127.0.0.1/8000 " +
		"&& exit " +
		"0; sleep 0.05; done 2>/dev/null; exit 1"
	if _, err := exec.LookPath("python3"); err != nil {
		serve = "touch /tmp/served"
	}
	r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: serve},
		{Kind: "run", Text: "! (: > /dev/tcp/127.0.0.1/8000) 2>/dev/null && test ! -e /tmp/served"}}}
	if got := play(t, kernel(t), r, recipe.Task{Prompt: "x"}, "touch f"); got.status != trial.Pass {
		t.Errorf("%+v", got)
	}
}

// Code under test can end the test binary with status 0; the control sees it.
func TestNativeControl(t *testing.T) {
	open := kernel(t)
	task := recipe.Task{Title: "sum", Setup: `cat > go.mod <<< 'module example.com/sum'
echo 'go 1.21' >> go.mod
printf 'package sum\n\nfunc Add(a, b int) int { return a - b }\n' > sum.go
printf 'package sum\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n' > sum_test.go`,
		Protect: []string{"sum_test.go"}}
	check := func(run, commands string, status trial.Status, cause trial.Cause) {
		t.Helper()
		r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: run}}}
		if got := play(t, open, r, task, commands); got.status != status || got.cause != cause {
			t.Errorf("%s after %q:\n%s %s %s", run, commands, got.status, got.cause, got.detail)
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
	if got := play(t, open, r, task, main); got.status != trial.Fail || got.cause != trial.CauseForged &&
		got.cause != trial.CauseUnproven {
		t.Errorf("go test with a TestMain of status 0: %s %s %s", got.status, got.cause, got.detail)
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
	open := kernel(t)
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
		if got := play(t, open, r, recipe.Task{Title: "sum", Setup: setup,
			Before: "! { " + run + "; } > /dev/null 2>&1"}, commands); got.status != status || got.cause != cause {
			t.Errorf("%s after %q:\n%s %s %s", run, commands, got.status, got.cause, got.detail)
		}
	}
	python := `mkdir -p lib tests; touch lib/__init__.py tests/__init__.py
printf 'def add(a, b):\n    return a - b\n' > lib/sums.py
printf 'import unittest\nfrom lib import sums\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(sums.add(1, 2), 3)\n' > tests/test_sums.py`
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
		"; mkdir src; echo 'two = 2' > src/other.py; sed -i 's/^import unittest/import unittest, other/' " +
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
printf 'const test = require("node:test"); const assert = require("node:assert"); const sums = require("./sums.js")\ntest("add", () => assert.equal(sums.add(1, 2), 3))\n' > sums.test.js`
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

// A check that is read line by line runs what the code it calls writes into it.
func TestNativeRewrittenCheck(t *testing.T) {
	task := recipe.Task{
		Title: "sum",
		Setup: "printf './sum > out\\ntest \"$(cat out)\" = 42\\n' > check.sh; printf '#!/bin/sh\\necho 41\\n' > " +
			"sum; chmod +x sum",
		Before: "! bash check.sh", After: one("bash check.sh"), Protect: []string{"check.sh"},
	}
	cheat := "printf '#!/bin/bash\\nprintf \"\\\\n%%.0s\" {1..200} > check.sh; echo exit 0 >> check.sh\\n' > sum"
	got := play(t, kernel(t), recipe.Recipe{}, task, cheat)
	if v := got.verdict(t, "after"); v.Status != trial.NotHeld || !strings.Contains(v.Detail,
		`changed while the check ran: "check.sh" (content)`) || v.Evidence.Exit != 0 {
		t.Errorf("%+v %+v", v, v.Evidence)
	}
	if got := play(t, kernel(t), recipe.Recipe{}, task,
		"printf '#!/bin/sh\\necho 42; touch check.log\\n' > sum"); got.status != trial.Pass {
		t.Errorf("%+v", got)
	}
}

// turning is a sandbox where a command that asks for its TURN is told how many
// of the referee asked before it.
type turning struct {
	sandbox.Sandbox
	n       *int
	profile sandbox.Profile
}

func (s turning) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	if strings.Contains(c.Script, "TURN") && s.profile == sandbox.Verify {
		*s.n++
		c.Env = append(c.Env, fmt.Sprintf("TURN=%d", *s.n))
	}
	return s.Sandbox.Exec(ctx, c)
}

// A check that decides by chance keeps its task from being run.
func TestNativeFlaky(t *testing.T) {
	inner := kernel(t)
	check := func(after, want string) {
		t.Helper()
		n := 0
		open := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
			sb, err := inner(ctx, st, p)
			return turning{sb, &n, p}, err
		}
		c, err := NewCase(&recipe.Recipe{}, recipe.Task{Title: "t", Setup: "echo 41 > value",
			Before: "! grep -qx 42 value", After: one(after), Solution: "echo 42 > value"})
		if err != nil {
			t.Fatal(err)
		}
		ex, err := c.Admit(t.Context(), open, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if ex != nil {
			got = ex.Phase + ": " + ex.Why
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", after, got, want)
		}
	}
	check("grep -qx 42 value", "")
	check("grep -qx 42 value || test $((TURN % 2)) = 0", "flaky: ")
	check("grep -qx 42 value && test $((TURN % 2)) = 0", "flaky: ")
}

// TestNativeAdmitReuses: a check of the referee's that leaves its sandbox as it
// found it is followed by the next one there; one that leaves something never is.
// The stranger has one sandbox for all, and another where that may be why a check
// does not hold.
func TestNativeAdmitReuses(t *testing.T) {
	world := kernel(t)
	check := func(opens int, after ...string) {
		t.Helper()
		var n atomic.Int64
		count := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
			n.Add(1)
			return world(ctx, st, p)
		}
		task := recipe.Task{Title: "t", Setup: "echo a > a", Solution: "echo b > a",
			Guard: []recipe.Check{{Script: "test -s a"}}}
		for _, script := range after {
			task.After = append(task.After, recipe.Check{Script: script})
		}
		c, err := NewCase(&recipe.Recipe{}, task)
		if err != nil {
			t.Fatal(err)
		}
		if ex, err := c.Admit(t.Context(), count, nil); ex != nil || err != nil || int(n.Load()) != opens {
			t.Errorf("%q: %d sandboxes, want %d: %+v %v", after, n.Load(), opens, ex, err)
		}
	}
	const mended = "grep -q b a"
	check(7, mended) // staged and judged, broken and mended, and asked again as if later
	check(7, mended, "test -e a")
	check(13, mended+" && test ! -e /tmp/ran && touch /tmp/ran", "test ! -e /tmp/ran")
	check(9, mended, "test ! -e seen && touch seen")
	check(9, mended, "test ! -e ~/seen && touch ~/seen")
	check(11, mended, `set -- /proc/[0-9]*; test $# -lt 3 && { sleep 100 > /dev/null 2>&1 & }`)
}

// A file of any size is looked at up to a bound, which is said.
func TestNativeLargeFile(t *testing.T) {
	look := func(commands string) trial.Verdict {
		t.Helper()
		r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "file_contains", Path: "big", Text: "needle"}}}
		return play(t, kernel(t), r, recipe.Task{Prompt: "x"}, commands).verdict(t, "criterion[0] file_contains")
	}
	// across the border of two pieces
	if v := look("truncate -s 8388605 big; printf needle >> big; truncate -s 20M big"); v.Status != trial.Held {
		t.Errorf("%+v", v)
	}
	if v := look("truncate -s 300M big; printf needle >> big"); v.Status != trial.NotHeld || !strings.Contains(v.Detail,
		"in its first 64 MiB, and more is not looked at: it has 300 MiB") {
		t.Errorf("%+v", v)
	}
}
