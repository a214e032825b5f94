package admission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verdict"
	"cookoff/verify/verifytest"
)

// askedTask is a task whose check says each time that it is asked; asked tells how often
// since the last time. Its check sees date as PATH has it.
func askedTask(t *testing.T) (task recipe.Task, asked func() int) {
	said := filepath.Join(t.TempDir(), "said")
	task = recipe.Task{Title: "t", Setup: "touch f", Before: "! test -e done",
		After: verifytest.One(`echo x >> ` + said + `; test -e done && [ "$(date)" != fooled ]`),
		Solution: "touch done; mkdir -p ~/bin; printf '#!/bin/sh\\nexec /bin/date\\n' > ~/bin/date; " +
			"chmod +x ~/bin/date"}
	return task, func() int {
		text, _ := os.ReadFile(said) // none: nobody asked
		_ = os.Remove(said)
		return strings.Count(string(text), "x")
	}
}

// What nobody did anything about is judged by one witness, as long as that says no.
func TestIdle(t *testing.T) {
	task, asked := askedTask(t)
	check := func(what, commands string, idle bool, want int, status trial.Status, cause trial.Cause) {
		t.Helper()
		c, err := verify.NewCase(&recipe.Recipe{}, task)
		if err != nil {
			t.Fatal(err)
		}
		w, s, sc := ended(t, verifytest.Dirs(t), c, commands)
		defer w.Close()
		defer sc.State.Release()
		asked()
		sc.Idle = idle
		j, err := c.Judge(t.Context(), sc, s, verify.Loop{})
		if err != nil {
			t.Fatal(err)
		}
		got, why, _ := verdict.Decide(j.Verdicts, j.Changed, trial.StopDone)
		if n := asked(); n != want || got != status || why != cause {
			t.Errorf("%s: asked %d times, %s %s; want %d, %s %s", what, n, got, why, want, status, cause)
		}
	}
	check("nothing done", "true", true, 1, trial.Fail, trial.CauseGaveUp)
	check("a call that does nothing", "true", false, 3, trial.Fail, trial.CauseGaveUp)
	check("something changed by itself", "echo x > f", true, 4, trial.Fail, trial.CauseCollateral)
	check("mended by itself", task.Solution, true, 4, trial.Pass, "")
}

// ended is a world that a contestant's commands ended in.
func ended(t *testing.T, open verify.Opening, c *verify.Case, commands string) (sandbox.Sandbox, *verify.Start,
	verify.Scene) {
	t.Helper()
	w, err := open(t.Context(), nil, sandbox.Agent)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Stage(t.Context(), w)
	if err == nil {
		_, err = w.Exec(t.Context(), sandbox.Cmd{Script: commands})
	}
	if err != nil {
		t.Fatal(err)
	}
	sc, _, err := c.End(t.Context(), w, s, open)
	if err != nil {
		t.Fatal(err)
	}
	return w, s, sc
}

// A wrong repair is rejected by one witness, or else by any of them.
func TestRefused(t *testing.T) {
	task, asked := askedTask(t)
	check := func(command string, want int, phase string) {
		t.Helper()
		c, err := verify.NewCase(&recipe.Recipe{}, task)
		if err != nil {
			t.Fatal(err)
		}
		admit := func(shortcuts ...verify.Shortcut) string {
			t.Helper()
			asked()
			x, err := c.Admit(t.Context(), verifytest.Dirs(t), shortcuts)
			if err != nil {
				t.Fatal(err)
			}
			if x == nil {
				return ""
			}
			return x.Phase + ": " + x.Why
		}
		if got := admit(); got != "" {
			t.Fatal(got)
		}
		without := asked()
		got := admit(verify.Shortcut{ID: "1", Command: command})
		if n := asked() - without; got != phase || n < want || want == 1 && n > 1 {
			t.Errorf("%s: %q, asked %d times; want %q, %d", command, got, n, phase, want)
		}
	}
	check("touch nearly", 1, "")
	fooled := strings.ReplaceAll(task.Solution, "exec /bin/date", "echo fooled")
	check(fooled, 4, "")
	check(task.Solution, 4, "shortcut 1: is not rejected (it passes every check)")
}
