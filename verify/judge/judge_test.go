package judge

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

func TestCauses(t *testing.T) {
	check := func(commands string, status trial.Status, cause trial.Cause, detail string) {
		t.Helper()
		got := verifytest.Play(t, verifytest.Dirs(t), recipe.Recipe{}, verifytest.Link(), commands)
		if got.Status != status || got.Cause != cause || !strings.Contains(got.Detail, detail) {
			t.Errorf("%s:\n got %s %s %q\nwant %s %s %q", commands, got.Status, got.Cause, got.Detail,
				status, cause, detail)
		}
	}
	check("ln -sfn ../lib/v2 bin/app", trial.Pass, "", "")
	check("ln -sfn ../lib/v2 bin/app; chmod 700 lib/v1", trial.Fail, trial.CauseCollateral,
		`footprint: changed, though no solution of the task does: "lib/v1" (mode)`)
	check("rm bin/app; ln lib/v2 bin/app", trial.Pass, "", "")
	check("true", trial.Fail, trial.CauseGaveUp, "after: exit status 1")
	check("mkdir -p ~/.cache/x; touch ~/.cache/x/y", trial.Fail, trial.CauseGaveUp, "")
	check("touch new", trial.Fail, trial.CauseWrongFix, "after: exit status 1")
	check("rm bin/app; printf '#!/bin/sh\\necho app 2.0.0\\n' > bin/app; chmod +x bin/app", trial.Fail,
		trial.CauseUnproven, "verify holds, but after: exit status 1")
	check("ln -sfn ../lib/v2 bin/app; echo 1.0.0 > want", trial.Fail, trial.CauseCollateral,
		`protect: protected, but changed: "want" (content)`)
	check("ln -sfn ../lib/v2 bin/app; rm lib/v1", trial.Fail, trial.CauseCollateral, `"lib/v1" (removed)`)
	check("ln -sfn ../lib/v2 bin/app; touch lib/conftest.py", trial.Fail, trial.CauseCollateral,
		`"lib/conftest.py" (added)`)
	check("cp -a lib lib2; rm -r lib; ln -s lib2 lib; ln -sfn ../lib/v2 bin/app", trial.Fail, trial.CauseCollateral,
		`"lib" (type)`)
	check("cp lib/v2 lib/v1", trial.Fail, trial.CauseCollateral, `"lib/v1" (content)`)
	check("ln -sfn ../lib/v2 bin/app; echo x > notes", trial.Fail, trial.CauseCollateral, "guard: exit status 1")
	// same content again
	check("cp lib/v1 /dev/null; cp want w; mv w want; ln -sfn ../lib/v2 bin/app", trial.Pass, "", "")
}

func TestStagingErrors(t *testing.T) {
	check := func(want string, edit func(*recipe.Task)) {
		t.Helper()
		task := verifytest.Link()
		edit(&task)
		c, err := verify.NewCase(&recipe.Recipe{}, task)
		if err != nil {
			t.Fatal(err)
		}
		w, err := verifytest.Dirs(t)(t.Context(), nil, sandbox.Agent)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Stage(t.Context(), w)
		var st *verify.StagingError
		if !errors.As(err, &st) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	check("staging: setup: exit status 3: no such luck",
		func(t *recipe.Task) { t.Setup = "echo no such luck >&2; exit 3" })
	check("staging: before: the environment is not broken: exit status 1", func(t *recipe.Task) { t.Before = "false" })
	check("staging: before: the environment is not broken: killed by killed",
		func(t *recipe.Task) { t.Before = "kill -9 $$" })
	check("staging: guard: does not hold at the start: exit status 1",
		func(t *recipe.Task) { t.Guard = verifytest.One("test -e nothing") })
	check("staging: verify[0].version_command: exit status 1: cat: nothing: No such file or directory",
		func(t *recipe.Task) { t.Verify[0].VersionCommand = "cat nothing" })
	check(`staging: verify[0].version_command: version "a b" has ' ' at byte 1: letters, digits and ._+-@/ are allowed`,
		func(t *recipe.Task) { t.Verify[0].VersionCommand = "echo a b" })
}

// A sandbox that fails is nobody's verdict.
func TestSandboxErrors(t *testing.T) {
	c, err := verify.NewCase(&recipe.Recipe{}, verifytest.Link())
	if err != nil {
		t.Fatal(err)
	}
	w, _ := verifytest.Dirs(t)(t.Context(), nil, sandbox.Agent)
	w.Close()
	var st *verify.StagingError
	if _, err := c.Stage(t.Context(), w); !errors.Is(err, sandbox.ErrUnavailable) || errors.As(err, &st) {
		t.Errorf("Stage: %v", err)
	}
}

// A check that waits for ever fails, and the others still run.
func TestCheckTimeout(t *testing.T) {
	task := verifytest.Link()
	task.Verify[0].Timeout = "1"
	task.Verify = append(task.Verify, recipe.VerifyBlock{Mode: "functional", Command: "cat notes", Pattern: "keep",
		Reason: "r"})
	got := verifytest.Play(t, verifytest.Dirs(t), recipe.Recipe{}, task,
		"rm bin/app; printf '#!/bin/sh\\nsleep 100\\n' > bin/app; chmod +x bin/app")
	if v := got.Verdict(t, "verify[0]"); v.Status != trial.NotHeld || v.Detail != "timeout after 1s" ||
		v.Evidence.Reason != "timeout" {
		t.Errorf("%+v", v)
	}
	if v := got.Verdict(t, "verify[1]"); v.Status != trial.Held {
		t.Errorf("%+v", v)
	}
}

// A tool that a check needs and nobody took away makes no failure; one that
// the contestant removed does, and so does one that a proved task is about.
func TestMissingTool(t *testing.T) {
	check := func(task recipe.Task, commands string, status trial.Status, detail string) {
		t.Helper()
		got := verifytest.Play(t, verifytest.Dirs(t), recipe.Recipe{}, task, commands)
		if got.Status != status || !strings.Contains(got.Detail, detail) {
			t.Errorf("got %s %s %q", got.Status, got.Cause, got.Detail)
		}
	}
	bullet := recipe.Task{Prompt: "x", After: verifytest.One("no-such-tool --check")}
	check(bullet, "true", trial.Void, `"no-such-tool" is not there, neither at the start nor at the end`)
	check(bullet, "mkdir -p ~/bin; printf '#!/bin/sh\\nexit 1\\n' > ~/bin/no-such-tool; chmod +x ~/bin/no-such-tool",
		trial.Fail, "after: exit status 1")
	check(bullet, "mkdir -p ~/bin; printf '#!/bin/sh\\n' > ~/bin/no-such-tool; chmod +x ~/bin/no-such-tool", trial.Pass,
		"")
	check(recipe.Task{Prompt: "x", Setup: toolStage, After: verifytest.One("tool --version")}, "rm ~/bin/tool",
		trial.Fail,
		"after: exit status 127")
	broken := recipe.Task{Prompt: "x", Before: "! command -v no-such-tool", After: verifytest.One("no-such-tool")}
	check(broken, "true", trial.Void, "neither at the start") // that it can fail is no proof that it can hold
	broken.Solution = "true"
	check(broken, "true", trial.Fail, "after: exit status 127")
	check(recipe.Task{Prompt: "x", After: verifytest.One("f() { return 127; }; f")}, "true", trial.Fail,
		"after: exit status 127")
	block := recipe.VerifyBlock{Mode: "functional", Command: "no-such-tool", Reason: "r"}
	check(recipe.Task{Prompt: "x", Verify: []recipe.VerifyBlock{block}}, "true", trial.Void, "neither at the start")
}

func TestCriteria(t *testing.T) {
	usd := 0.5
	check := func(want trial.VerdictStatus, c recipe.Criterion, commands string, loop verify.Loop) {
		t.Helper()
		r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{c}}
		task := recipe.Task{Prompt: "x", Setup: "mkdir d; echo one > d/f; echo pin > pin"}
		got := verifytest.PlayLoop(t, verifytest.Dirs(t), r, task, commands, loop)
		if v := got.Verdict(t, "criterion[0] "+c.Kind); v.Status != want || (v.Detail == "") != (want == trial.Held) {
			t.Errorf("%+v after %q: %+v, want %s", c, commands, v, want)
		}
	}
	yes, no := trial.Held, trial.NotHeld
	c := func(kind, text string) recipe.Criterion { return recipe.Criterion{Kind: kind, Text: text} }
	n := func(kind string, limit float64) recipe.Criterion { return recipe.Criterion{Kind: kind, Limit: limit} }
	check(yes, c("no_errors", ""), "", verify.Loop{})
	check(no, c("no_errors", ""), "", verify.Loop{ToolErrors: 1})
	check(yes, c("has_writes", ""), "echo two > d/f", verify.Loop{})
	check(no, c("has_writes", ""), "cat d/f; mkdir empty", verify.Loop{Wrote: 1})
	check(yes, n("files_written", 2), "echo two > d/f; echo x > new", verify.Loop{})
	check(no, n("files_written", 2), "echo x > new; rm pin", verify.Loop{})
	check(yes, c("contains", "done."), "", verify.Loop{Answer: "All is done."})
	check(no, c("contains", "Done"), "", verify.Loop{Answer: "All is done."})
	check(yes, c("run", "grep -q two d/f"), "echo two > d/f", verify.Loop{})
	check(no, c("run", "grep -q two d/f"), "", verify.Loop{})
	check(no, recipe.Criterion{Kind: "run", Text: "sleep 100", Timeout: 30 * time.Millisecond}, "", verify.Loop{})
	check(yes, c("file_exists", "d/*.txt"), "touch d/a.txt", verify.Loop{})
	check(no, c("file_exists", "d/*.txt"), "ln -s nowhere d/a.txt", verify.Loop{})
	check(yes, c("file_exists", "d/*.txt"), "ln -s f d/a.txt", verify.Loop{})
	check(yes, c("file_exists", "d/*.txt"), "ln -s . d/a.txt", verify.Loop{})
	check(no, c("file_exists", "d/*.txt"), "ln -s f/g d/a.txt", verify.Loop{}) // d/f is no directory
	check(yes, c("file_exists", "~/made"), "mkdir ~/made", verify.Loop{})
	check(no, c("file_exists", "d/*.txt"), "touch a.txt", verify.Loop{})
	fc := recipe.Criterion{Kind: "file_contains", Path: "d/f", Text: "ne\n"}
	check(yes, fc, "", verify.Loop{})
	check(no, fc, "echo two > d/f", verify.Loop{})
	check(no, fc, "rm d/f; mkfifo d/f", verify.Loop{})
	check(yes, fc, "head -c 1048575 /dev/zero > d/f; printf 'one\\n' >> d/f", verify.Loop{}) // across a read
	check(yes, c("tool_used", "bash"), "", verify.Loop{Tools: map[string]int{"bash": 1}})
	check(no, c("tool_used", "bash"), "", verify.Loop{Tools: map[string]int{"read_file": 1}})
	check(yes, n("max_tool_calls", 3), "", verify.Loop{Tools: map[string]int{"bash": 1, "read_file": 2}})
	check(no, n("max_tool_calls", 2), "", verify.Loop{Tools: map[string]int{"bash": 1, "read_file": 2}})
	check(yes, n("max_cost", 0.5), "", verify.Loop{CostUSD: &usd})
	check(no, n("max_cost", 0.4), "", verify.Loop{CostUSD: &usd})
	check(trial.Undecided, n("max_cost", 0.4), "", verify.Loop{})
	check(yes, n("max_latency", 1500), "", verify.Loop{Latency: 1500 * time.Millisecond})
	check(no, n("max_latency", 1500), "", verify.Loop{Latency: 1501 * time.Millisecond})
	check(yes, c("protected", "pin"), "chmod 600 pin", verify.Loop{})
	check(no, c("protected", "p*"), "echo x > pin", verify.Loop{})
	check(no, c("protected", "/work/pin"), "rm pin", verify.Loop{})
}

// What one check does, the next does not see.
func TestChecksAreApart(t *testing.T) {
	task := recipe.Task{Prompt: "x", Setup: "touch f",
		After: []recipe.Check{{Script: "test ! -e g && touch g"}, {Script: "test ! -e g && FOO=1"},
			{Script: `test ! -e g && test -z "$FOO"`}}}
	if got := verifytest.Play(t, verifytest.Dirs(t), recipe.Recipe{}, task, ""); got.Status != trial.Pass {
		t.Errorf("%+v", got)
	}
}

// One Case serves many trials at once.
func TestCaseIsShared(t *testing.T) {
	c, err := verify.NewCase(&recipe.Recipe{}, verifytest.Link())
	if err != nil {
		t.Fatal(err)
	}
	open := verifytest.Dirs(t)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			ex, err := c.Admit(t.Context(), open, nil)
			if ex != nil || err != nil {
				t.Errorf("%d: %+v %v", i, ex, err)
			}
		})
	}
	wg.Wait()
}

// TestOrder wants verdicts in the order in which checks are to be read: what
// broke something first, the criteria of the recipe last.
func TestOrder(t *testing.T) {
	task := verifytest.Link()
	task.Guard = append(task.Guard, verifytest.One("true")...)
	r := recipe.Recipe{Verify: []recipe.VerifyBlock{{Mode: "functional", Command: "true", Reason: "r"}},
		SuccessCriteria: []recipe.Criterion{{Kind: "protected", Text: "lib/**"}, {Kind: "run", Text: "true"}}}
	var got []string
	for _, v := range verifytest.Play(t, verifytest.Dirs(t), r, task, "ln -sfn ../lib/v2 bin/app").Verdicts {
		got = append(got, v.Check+" "+string(v.Status))
	}
	want := "guard[0] pass, guard[1] pass, protect pass, after pass, verify[0] pass, recipe.verify[0] pass, " +
		"criterion[0] protected pass, criterion[1] run pass"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got %s\nwant %s", s, want)
	}
}
