package admission

import (
	"context"
	"errors"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

func TestAdmit(t *testing.T) {
	check := func(want string, edit func(*recipe.Task), shortcuts ...verify.Shortcut) {
		t.Helper()
		task := verifytest.Link()
		edit(&task)
		if got := verifytest.Admitted(t, recipe.Recipe{}, task, shortcuts...); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	fake := verify.Shortcut{ID: "banner", Command: "rm bin/app; cp lib/v2 bin/app", Why: "a copy of the program"}
	check("", func(*recipe.Task) {}, fake)
	check("setup: exit status 1", func(t *recipe.Task) { t.Setup += "; false" })
	check("before: the environment is not broken: exit status 1", func(t *recipe.Task) { t.Before = "! " + t.Before })
	check("guard: does not hold at the start: exit status 1",
		func(t *recipe.Task) { t.Guard = verifytest.One("false") })
	check("after: holds on the broken state already: after",
		func(t *recipe.Task) { t.After = verifytest.One("test -e bin/app") })
	check("verify: holds on the broken state already: verify[0]",
		func(t *recipe.Task) { t.Verify[0].VersionCommand = "echo 1.0.0" })
	check("verify: can't be decided: verify[0]: version_format \"calver\" finds nothing in \"2.0.0\"",
		func(t *recipe.Task) { t.Verify[0].VersionFormat = "calver" })
	check("solution: exit status 4", func(t *recipe.Task) { t.Solution += "; exit 4" })
	check("after: after the solution: after: exit status 1",
		func(t *recipe.Task) { t.Solution = "rm bin/app; cp lib/v2 bin/app" })
	check("verify: after the solution: verify[0]: \"app 2.0.1\" is not in stdout",
		func(t *recipe.Task) { t.Verify[0].VersionCommand = "echo 2.0.1" })
	check("guard: after the solution: guard: exit status 1", func(t *recipe.Task) { t.Solution += "; echo x > notes" })
	check("protect: after the solution: protect: protected, but changed: \"want\" (removed)",
		func(t *recipe.Task) { t.Solution += "; rm -f want" })
	check("again: exit status 1: ln: failed to create symbolic link 'bin/app': File exists", func(t *recipe.Task) {
		t.Solution = "test -e gone || { rm bin/app; touch gone; }; ln -s ../lib/v2 bin/app"
	})
	check(`again: the solution's second run drifts: "log" (content)`,
		func(t *recipe.Task) { t.Solution += "; echo done >> log" })
	check("again: the solution's second run drifts: \"bin/app\" (content)", func(t *recipe.Task) {
		t.Solution = "test -L bin/app -a ! -e ran && ln -sfn ../lib/v2 bin/app || ln -sfn ../lib/v1 bin/app; touch ran"
	})
	check("", func(t *recipe.Task) { t.Solution += "; mkdir -p ~/.cache; echo done >> ~/.cache/log" })
	check("shortcut banner: is not rejected (a copy of the program)",
		func(t *recipe.Task) { t.After = verifytest.One("bin/app | grep -q 2") }, fake)
	check("after: holds on the broken state already: after",
		func(t *recipe.Task) { t.Solution, t.After = "", verifytest.One("true") })
	check("", func(t *recipe.Task) { t.Solution = "" }, fake)
}

// A task is admitted on what judges it: its own checks, the recipe's, or
// success criteria alone; nothing at all judges nothing.
func TestAdmitBullets(t *testing.T) {
	bullet := recipe.Task{Prompt: "make the tests pass"}
	if got := verifytest.Admitted(t, recipe.Recipe{}, bullet); !strings.HasPrefix(got,
		"checks: nothing judges this task") {
		t.Errorf("got %q", got)
	}
	r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: "true"}}}
	if got := verifytest.Admitted(t, r, bullet); got != "" {
		t.Errorf("got %q", got)
	}
	solved := verifytest.Link()
	if got := verifytest.Admitted(t, recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run",
		Text: "test -e nothing"},
		{Kind: "contains", Text: "done"}}},
		solved); got != "criterion[0] run: after the solution: criterion[0] run: exit status 1" {
		t.Errorf("got %q", got)
	}
	holds := recipe.Recipe{Verify: []recipe.VerifyBlock{{Mode: "functional", Command: "cat notes", Reason: "r"}}}
	if got := verifytest.Admitted(t, holds, solved); got != "" {
		t.Errorf("a recipe's own block may hold all along: %q", got)
	}
	solved.After, solved.Verify = nil, nil
	if got := verifytest.Admitted(t, holds,
		solved); got != "verify: holds on the broken state already: recipe.verify[0]" {
		t.Errorf("got %q", got)
	}
}

func TestAdmitLive(t *testing.T) {
	// What a shell has just forked shows the shell's own command line, which names sleep as
	// well, and then none until it is sleep. So its name is waited for first.
	const up = "until grep -q sleep /proc/$!/comm && grep -q sleep /proc/$!/cmdline; do :; done"
	task := recipe.Task{
		Title: "server", Setup: "echo 1 > port", Before: "! test -e pid",
		After:    []recipe.Check{{Script: "grep -q sleep /proc/$(cat pid)/cmdline", Live: true}},
		Solution: "test -e pid || { sleep 1000 > /dev/null 2>&1 & echo $! > pid; " + up + "; }",
	}
	if got := verifytest.Admitted(t, recipe.Recipe{}, task,
		verify.Shortcut{ID: "pidfile", Command: "echo 999999999 > pid", Why: "no process"}); got != "" {
		t.Errorf("got %q", got)
	}
	task.After[0].Live = false
	if got := verifytest.Admitted(t, recipe.Recipe{}, task); !strings.HasPrefix(got,
		"after: after the solution: after: exit status ") {
		t.Errorf("sealing ends the process that is judged: %q", got)
	}
}

func TestAdmitSandboxError(t *testing.T) {
	c, err := verify.NewCase(&recipe.Recipe{}, verifytest.Link())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	broken := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		if n++; n > 4 {
			return nil, sandbox.ErrUnavailable
		}
		return verifytest.Dirs(t)(ctx, st, p)
	}
	if ex, err := c.Admit(t.Context(), broken, nil); ex != nil || !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("%+v %v", ex, err)
	}
}
