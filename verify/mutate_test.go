package verify

import (
	"strings"
	"testing"

	"cookoff/recipe"
)

// mutated gives what Mutate finds in a task, one line each.
func mutated(t *testing.T, task recipe.Task, shortcuts ...Shortcut) string {
	t.Helper()
	c, err := NewCase(&recipe.Recipe{}, task)
	if err != nil {
		t.Fatal(err)
	}
	found, err := c.Mutate(t.Context(), kernel(t, "~/tools"), shortcuts)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range found {
		lines = append(lines, f.Key+": "+f.Msg)
	}
	return strings.Join(lines, "\n")
}

func TestMutate(t *testing.T) {
	good := recipe.Task{
		Title: "num", Setup: "echo 41 > value; mkdir -p ~/tools; printf '#!/bin/sh\\necho num 1.0.0\\n' > ~/tools/num; chmod +x ~/tools/num; echo keep > keep",
		Before: "! grep -qx 42 value", After: one("grep -qx 42 value"), Guard: one("grep -qx keep keep"),
		Verify:   []recipe.VerifyBlock{{Command: "num", Pattern: "num {version}", Version: "2.0.0"}},
		Protect:  []string{"keep"},
		Solution: "echo 42 > value\nsed -i s/1.0.0/2.0.0/ ~/tools/num",
	}
	check := func(name, want string, change func(*recipe.Task), shortcuts ...Shortcut) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := good
			change(&task)
			if got := mutated(t, task, shortcuts...); got != want {
				t.Errorf("found\n%s\nwant\n%s", got, want)
			}
		})
	}
	check("nothing", "", func(*recipe.Task) {})
	check("a check of what was never broken", `after[1]: never decides anything: it holds for nothing done, programs that do nothing, the solution without "echo 42 > value", the solution without "sed -i s/1.0.0/2.0.0/ ~/tools/num"`,
		func(t *recipe.Task) { t.After = append(one("grep -qx 42 value"), one("test -e value")...) })
	check("a check that a shortcut meets", "", func(t *recipe.Task) {
		t.After = append(one("grep -qx 42 value"), one("test ! -e wrong")...)
	}, Shortcut{ID: "wrong", Command: "touch wrong"})
	check("an idle guard", "guard[0]: guards nothing: it holds even when every file is deleted",
		func(t *recipe.Task) { t.Guard = one("test -d /usr") })
	check("a check that a stub meets", "after: all checks hold with programs that do nothing and exit 0",
		func(t *recipe.Task) {
			t.Setup, t.Before, t.Guard, t.Protect = "printf '#!/bin/sh\\nexit 1\\n' > tool; chmod +x tool", "! ./tool", nil, nil
			t.After, t.Verify = one("./tool"), nil
			t.Solution = "sed -i 's/exit 1/echo right/' tool"
		})
	check("a statement nobody misses", `solution: no check misses "touch done"`,
		func(t *recipe.Task) { t.Solution += "\ntouch done" })
	check("an idle pattern", "verify[0]: its pattern never decides: every wrong state that was tried prints it too\nverify[0]: holds for another version as well",
		func(t *recipe.Task) {
			t.Verify = []recipe.VerifyBlock{{Command: "grep 2.0.0 /home/agent/tools/num; echo num 2.0.1 2.0.0; grep -q 2.0.0 /home/agent/tools/num", Pattern: "num {version}", Version: "2.0.1"}}
			t.Verify[0].Command = `sh -c 'echo num 2.0.2 num 2.0.1; grep -q 2.0.0 ~/tools/num'`
		})
	check("a check that writes", `after[0]: changes the files that it judges: "keep" (content), "seen" (added)`,
		func(t *recipe.Task) {
			t.Protect, t.After = nil, one("touch ~/.cache/x ~/y /tmp/z; echo more >> keep; touch seen; grep -qx 42 value")
		})
	check("a solution that does not mend it", "after: not fit to be run: after the solution: after: exit status 1",
		func(t *recipe.Task) { t.Solution = "true" })
}

func TestAnother(t *testing.T) {
	check := func(format, version, want string) {
		t.Helper()
		if got := another(format, version); got != want {
			t.Errorf("another(%q, %q) = %q, want %q", format, version, got, want)
		}
	}
	check("raw", "2.0.1", "2.0.2")
	check("semver", "go@1.2.9+b7", "go@1.2.0+b7")
	check(`regex:^v(\d+)`, "v3.1.4", "v4.1.4")
	check("raw", "latest", "")
}
