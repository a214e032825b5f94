package cheat

import (
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/verify"
)

// mutated gives what Mutate finds in a task, one line each.
func mutated(t *testing.T, task recipe.Task, shortcuts ...verify.Shortcut) string {
	t.Helper()
	c, err := verify.NewCase(&recipe.Recipe{}, task)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Mutate(t.Context(), c, kernel(t, "~/tools"), shortcuts)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range found {
		lines = append(lines, f.Key+": "+f.Msg)
	}
	return strings.Join(lines, "\n")
}

// makes has make decide about a task, by a stand-in that reads what make does.
func makes(t *recipe.Task) {
	t.Setup = "echo wrong > f; printf 'test:\\n\\tgrep -q right f\\n' > Makefile\n" + `cat > tools-make <<'E'
#!/bin/bash
# Runs the one recipe of the first file that is there.
f=; for n in GNUmakefile makefile Makefile; do [ -e $n ] && f=$n && break; done
grep -q '@:' $f || eval "$(sed -n 's/^\t//p' $f)"
E
mkdir -p ~/tools; mv tools-make ~/tools/make; chmod 755 ~/tools/make`
	t.Before, t.After, t.Guard, t.Verify = "grep -q wrong f", one("make -s test"), nil, nil
	t.Protect, t.Solution = []string{"Makefile"}, "echo right > f"
}

// npms has a package's script decide, by a stand-in that looks for programs
// where npm does.
func npms(t *recipe.Task) {
	t.Setup = `echo wrong > f; echo '{"scripts": {"test": "grep -q right f"}}' > package.json; cat > npm <<'E'
#!/bin/bash
PATH=$PWD/node_modules/.bin:$PATH sh -c "$(sed 's/.*"test": "//; s/".*//' package.json)"
E
chmod 755 npm`
	t.Before, t.After, t.Guard, t.Verify = "grep -q wrong f", one("./npm test"), nil, nil
	t.Protect, t.Solution = []string{"npm", "package.json"}, "echo right > f"
}

func TestMutate(t *testing.T) {
	good := recipe.Task{
		Title: "num",
		Setup: "echo 41 > value; mkdir -p ~/tools; printf '#!/bin/sh\\necho num 1.0.0\\n' > ~/tools/num; chmod +x " +
			"~/tools/num; echo keep > keep",
		Before: "! grep -qx 42 value", After: one("grep -qx 42 value"), Guard: one("grep -qx keep keep"),
		Verify:   []recipe.VerifyBlock{{Command: "num", Pattern: "num {version}", Version: "2.0.0"}},
		Protect:  []string{"keep"},
		Solution: "echo 42 > value\nsed -i s/1.0.0/2.0.0/ ~/tools/num",
	}
	check := func(name, want string, change func(*recipe.Task), shortcuts ...verify.Shortcut) {
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
	check("a check of what was never broken",
		`after[1]: never decides anything: it holds for nothing done, programs that do nothing, the solution without "echo 42 > value", the solution without "sed -i s/1.0.0/2.0.0/ ~/tools/num"`,
		func(t *recipe.Task) { t.After = append(one("grep -qx 42 value"), one("test -e value")...) })
	check("a check that a shortcut meets", "", func(t *recipe.Task) {
		t.After = append(one("grep -qx 42 value"), one("test ! -e wrong")...)
	}, verify.Shortcut{ID: "wrong", Command: "touch wrong"})
	check("an idle guard", "guard[0]: guards nothing: it holds even when every file is deleted",
		func(t *recipe.Task) { t.Guard = one("test -d /usr") })
	check("a check that a stub meets", "after: all checks hold with programs that do nothing and exit 0",
		func(t *recipe.Task) {
			t.Setup, t.Before, t.Guard, t.Protect = "printf '#!/bin/sh\\nexit 1\\n' > tool; chmod "+
				"+x tool", "! ./tool", nil, nil
			t.After, t.Verify = one("./tool"), nil
			t.Solution = "sed -i 's/exit 1/echo right/' tool"
		})
	check("a statement nobody misses", `solution: no check misses "touch done"`,
		func(t *recipe.Task) { t.Solution += "\ntouch done" })
	check("an idle pattern",
		"verify[0]: its pattern never decides: every wrong state that was tried prints it too\n"+
			"verify[0]: holds for another version as well",
		func(t *recipe.Task) {
			t.Verify = []recipe.VerifyBlock{{Command: "grep 2.0.0 /home/agent/tools/num; echo num 2.0.1 2.0.0; grep " +
				"-q 2.0.0 /home/agent/tools/num", Pattern: "num {version}", Version: "2.0.1"}}
			t.Verify[0].Command = `sh -c 'echo num 2.0.2 num 2.0.1; grep -q 2.0.0 ~/tools/num'`
		})
	check("a check that writes", `after[0]: changes the files that it judges: "keep" (content), "seen" (added)`,
		func(t *recipe.Task) {
			t.Protect, t.After = nil, one("touch ~/.cache/x ~/y /tmp/z; echo more >> keep; touch seen; "+
				"grep -qx 42 value")
		})
	check("a make that another file leads", "protect: all checks hold with a GNUmakefile that does nothing", makes)
	check("a make whose files are protected", "", func(t *recipe.Task) {
		makes(t)
		t.Protect = []string{"Makefile", "GNUmakefile", "makefile"}
	})
	check("a make of a named file", "", func(t *recipe.Task) {
		makes(t)
		t.After = one("make -s -f Makefile test")
	})
	check("a package whose programs come from elsewhere",
		"protect: all checks hold with programs in node_modules/.bin that do nothing", npms)
	check("a package whose programs are protected", "", func(t *recipe.Task) {
		npms(t)
		t.Protect = []string{"npm", "package.json", "node_modules/.bin/**"}
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
