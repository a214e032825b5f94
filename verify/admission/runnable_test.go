package admission

import (
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

// TestAdmitNeeds: a task whose check can't be shown ever to hold is not run.
func TestAdmitNeeds(t *testing.T) {
	check := func(task recipe.Task, want ...string) {
		t.Helper()
		task.Title = "t"
		got := verifytest.Admitted(t, recipe.Recipe{}, task)
		for _, w := range want {
			if !strings.Contains(got, w) || w == "" && got != "" {
				t.Errorf("got %q, want %q", got, w)
			}
		}
	}
	lacking := recipe.Task{Before: "! no-such-tool --run", After: verifytest.One("no-such-tool --run")}
	check(lacking,
		`checks: can't hold here: the sandbox has no program "no-such-tool"; put tool_paths = ["DIR"] below [sandbox]`,
		"path: DIR", "solution")
	beneath := recipe.Task{Setup: "printf 'no-such-tool\\n' > check.sh", Before: "! sh check.sh",
		After: verifytest.One("sh check.sh")}
	check(beneath, `after: can't hold here: there is no "no-such-tool": after: exit status 127`)
	made := beneath
	made.Solution = "mkdir -p ~/bin; printf '#!/bin/sh\\n' > ~/bin/no-such-tool; chmod +x ~/bin/no-such-tool"
	check(made, "")
	made.Solution = "touch solved"
	check(made, "after: after the solution: after: exit status 127", "tool_paths")
	check(recipe.Task{Setup: "mkdir -p opt; printf '#!/bin/sh\\n' > opt/no-such-tool",
		After: verifytest.One("no-such-tool")},
		"") // to be put in its place
	check(recipe.Task{Setup: "true", After: verifytest.One("PATH=/nowhere; ls; exit $?")}, "")
	check(recipe.Task{After: verifytest.One("python3 -m no_such_module")}, `no module "no_such_module" of python3`)
	check(recipe.Task{Setup: "mkdir app; touch app/own.py",
		After: verifytest.One("cd app && python3 -m own && test -e done")}, "")
	// Programs that a check calls from where it has gone to are looked for there.
	venv := "mkdir -p 'my app/bin'; ln -s $(type -P python3) 'my app/bin/python'; ln -s 'my app' app"
	check(recipe.Task{Setup: venv, After: verifytest.One("cd 'my app' && bin/python -m unittest -h && test -e done")}, "")
	check(recipe.Task{Setup: venv, After: verifytest.One("(cd app && ./bin/python -m unittest -h) && test -e done")}, "")
	check(recipe.Task{Setup: venv + "; d=app",
		After: verifytest.One("d=app; cd $d && bin/python -m unittest -h; test -e done")}, "")
	check(recipe.Task{Setup: venv, After: verifytest.One("cd app && bin/python -m no_such_module")},
		`no module "no_such_module" of bin/python`)
	check(recipe.Task{Setup: venv, After: verifytest.One("cd app && no/python -m unittest")},
		`no program "app/no/python" that runs`)
}

// TestLacking looks at a world that nothing was run in.
func TestLacking(t *testing.T) {
	check := func(task recipe.Task, want string) {
		t.Helper()
		task.Title = "t"
		c, err := verify.NewCase(&recipe.Recipe{}, task)
		if err != nil {
			t.Fatal(err)
		}
		found, err := c.Lacking(t.Context(), verifytest.Dirs(t))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Key+": "+f.Msg)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check(recipe.Task{Setup: "exit 1", After: verifytest.One("no-such-tool")},
		`after[0]: the sandbox has no program "no-such-tool"`)
	check(recipe.Task{Setup: "make no-such-tool", After: verifytest.One("no-such-tool")}, "")
	check(recipe.Task{After: verifytest.One("ls x")}, "")
}
