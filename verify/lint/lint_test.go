package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/shell"
)

// told gives the one line a finding would be shown as.
func told(fs []Finding) string {
	var lines []string
	for _, f := range fs {
		level := "error "
		if f.Warning {
			level = "warning "
		}
		lines = append(lines, level+f.Key+": "+f.Msg)
	}
	return strings.Join(lines, "\n")
}

func good() recipe.VerifyBlock {
	return recipe.VerifyBlock{Command: "node --version", Pattern: "v{version}", Version: "20.10.0"}
}

func TestLintBlock(t *testing.T) {
	check := func(want string, edit func(b *recipe.VerifyBlock)) {
		t.Helper()
		b := good()
		edit(&b)
		if got := told(Block(b)); got != want {
			t.Errorf("%+v:\n got %s\nwant %s", b, got, want)
		}
	}
	n := func(i int) *int { return &i }
	check("", func(b *recipe.VerifyBlock) {})
	check("error command: no command", func(b *recipe.VerifyBlock) { b.Command = " " })
	check("error command: no command: only comments", func(b *recipe.VerifyBlock) { b.Command = "# node" })
	check(`error mode: unknown mode "verison"`, func(b *recipe.VerifyBlock) { b.Mode = "verison" })
	check("error patterns: pattern and patterns are both set",
		func(b *recipe.VerifyBlock) { b.Patterns = []string{"x"} })
	check("error patterns: patterns is empty", func(b *recipe.VerifyBlock) { b.Pattern, b.Patterns = "", []string{} })
	check("error patterns[1]: an empty pattern matches everything",
		func(b *recipe.VerifyBlock) { b.Pattern, b.Patterns = "", []string{"{version}", ""} })
	check("error pattern: mode version needs a pattern with {version}", func(b *recipe.VerifyBlock) { b.Pattern = "" })
	check("error pattern: mode version needs {version} in the pattern",
		func(b *recipe.VerifyBlock) { b.Pattern = "v20" })
	check(`error version_format: unknown version_format "semvr"`,
		func(b *recipe.VerifyBlock) { b.VersionFormat = "semvr" })
	check(`error version: version_format "calver" finds nothing in "20.13"`,
		func(b *recipe.VerifyBlock) { b.Version, b.VersionFormat = "20.13", "calver" })
	check(`error version: version "20.10.0 " has ' ' at byte 7: letters, digits and ._+-@/ are allowed`,
		func(b *recipe.VerifyBlock) { b.Version = "20.10.0 " })
	check("error version_command: version and version_command are both set",
		func(b *recipe.VerifyBlock) { b.VersionCommand = "cat .nvmrc" })
	check(`error stream: unknown stream "std"`, func(b *recipe.VerifyBlock) { b.Stream = "std" })
	check("error exit_code: 256 is no exit status: 0 to 255", func(b *recipe.VerifyBlock) { b.ExitCode = n(256) })
	check(`error timeout: "soon" is no duration`, func(b *recipe.VerifyBlock) { b.Timeout = "soon" })
	check(`error timeout: "0s" leaves no time`, func(b *recipe.VerifyBlock) { b.Timeout = "0s" })
	check("", func(b *recipe.VerifyBlock) { b.Timeout = "90" })
	check(`error binary: "bin/node" is no bare program name`, func(b *recipe.VerifyBlock) { b.Binary = "bin/node" })
	check(
		"error additional[0].command: no command\n"+
			"error additional[0].pattern: mode version needs a pattern with {version}",
		func(b *recipe.VerifyBlock) { b.Additional = []recipe.VerifyExtra{{}} })
	check("error command: parsing shell: 1:1: reached EOF without closing quote `'`",
		func(b *recipe.VerifyBlock) { b.Command = "'node" })
}

func TestLintModes(t *testing.T) {
	check := func(want string, b recipe.VerifyBlock) {
		t.Helper()
		b.Command = "tool info"
		if got := told(Block(b)); got != want {
			t.Errorf("%+v:\n got %s\nwant %s", b, got, want)
		}
	}
	check("", recipe.VerifyBlock{Mode: "functional", Reason: "no flag"})
	check("error reason: mode functional needs a reason", recipe.VerifyBlock{Mode: "functional"})
	check("error pattern: {version} is not expanded in mode functional",
		recipe.VerifyBlock{Mode: "functional", Reason: "r", Pattern: "{version}"})
	check("", recipe.VerifyBlock{Mode: "output", Reason: "r", Pattern: "ok"})
	check("error reason: mode output needs a reason", recipe.VerifyBlock{Mode: "output", Pattern: "ok"})
	check("error pattern: mode output needs a pattern", recipe.VerifyBlock{Mode: "output", Reason: "r"})
	check(`error pattern: pattern "." says too little: at least 2 letters or digits`,
		recipe.VerifyBlock{Mode: "output", Reason: "r", Pattern: "."})
	check("error pattern: {version} is not expanded in mode output",
		recipe.VerifyBlock{Mode: "output", Reason: "r", Pattern: "v{version}"})
	check("warning version: a version decides nothing in mode output",
		recipe.VerifyBlock{Mode: "output", Reason: "r", Pattern: "ok", Version: "1"})
}

func TestLintShell(t *testing.T) {
	check := func(command, want string) {
		t.Helper()
		b := good()
		b.Command = command
		if got := told(Block(b)); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s:\n got %s\nwant %s", command, got, want)
		}
	}
	check("node --version 2>/dev/null", "")
	check("tool | grep x", "")
	check("tool | shasum", "")
	check("tool | awk '{print $2}'", "")
	check("tool | python3 -c 'import sys'", "")
	check("kubectl exec pod -- node", "")
	check("git rebase --exec x", "")
	check("echo $((1+1)) | grep 2", "")
	check("ls rm", "")
	check("tool 2>&1", "")
	check("tool > out.txt", "")
	check("a || b", `"||" hides a failure at 1:3`)
	check("a && b", `"&&" joins two checks at 1:3`)
	check("a; b", `only the last command's exit status counts, before this one at 1:4`)
	check("a & b", `in the background is not judged at 1:3`)
	check("curl x | sh", `"| sh" runs whatever text comes at 1:8`)
	check("x | sudo bash -s", `"| bash" runs`)
	check("x | /usr/bin/python3", `"| python3" runs`)
	check("a;eval b", `"eval" runs text as a command at 1:3`)
	check("sh -c 'eval x'", `"eval" runs text`)
	check("env A=1 exec b", `"exec" replaces the shell`)
	check("echo $( id )", `"$(…)"`)
	check("echo `id`", "\"`…`\"")
	check("diff <(a) <(b)", "process substitution")
	check("/bin/rm -rf /x", `"rm" destroys at 1:1`)
	check("sudo -n rm x", `"rm" destroys`)
	check(`\rm x`, `"rm" destroys`)
	check("find . -delete", `"find -delete" destroys`)
	check("find . -exec rm {} +", `"rm" destroys`)
	check("find . -exec ls {} +", "")
	check(`find . -exec ls {} \; -exec rm {} \;`, `"rm" destroys`)
	check("dd if=/dev/zero of=/dev/sda", `"dd" destroys`)
	check("mkfs.ext4 /dev/sda", `"mkfs.ext4" destroys`)
	check("a >/etc/passwd", `redirection to "/etc/passwd", outside the project`)
	check("a >> ../x", `redirection to "../x"`)
	check("a > ~/.bashrc", `redirection to "~/.bashrc"`)
	check(`a > "$HOME/.bashrc"`, `redirection to "$HOME"`)
	check("a > /work/../etc/x", "outside the project")
	check("a > /work/x", "")
	check("true", `"true" can't fail`)
	check(":", `":" can't fail`)
	check("echo 20.10.0", `"echo" can't fail`)
	check("if a; then b; fi", `"if": no simple command`)
	check("(a)", "subshell: no simple command")
}

func TestLintTask(t *testing.T) {
	check := func(want string, task recipe.Task) {
		t.Helper()
		if got := told(Task(task)); got != want {
			t.Errorf("%+v:\n got %s\nwant %s", task, got, want)
		}
	}
	is := func(s string) []recipe.Check { return []recipe.Check{{Script: s}} }
	check("", recipe.Task{Prompt: "mend it"})
	check("", recipe.Task{Setup: "rm -f f", Before: "! test -f f", After: is("cmp f g"), Solution: "touch f"})
	check("error setup: parsing shell: 1:1: `if <cond>` must be followed by `then`", recipe.Task{Setup: "if x"})
	check("warning before: this check can't fail: it ends in \"|| true\"",
		recipe.Task{Before: "test ! -f f || true", After: is("cmp f g")})
	check("warning after[0]: this check can't fail: it ends in \"exit 0\"", recipe.Task{After: is("cmp f g; exit 0")})
	check("error guard[0]: no command", recipe.Task{Guard: is("# nothing")})
	check("warning before: before without after: proved broken, then judged by the recipe's criteria alone",
		recipe.Task{Before: "! test -f f"})
	check("warning before: nothing proves that setup breaks the environment\n"+
		"warning solution: nothing proves that this task can be solved",
		recipe.Task{Setup: "rm f", After: is("cmp f g")})
	check("error verify[0].version: mode version needs to know which version was asked for",
		recipe.Task{Verify: []recipe.VerifyBlock{{Command: "node --version", Pattern: "{version}"}}})
	check("error verify[0].pattern: mode version needs {version} in the pattern",
		recipe.Task{Verify: []recipe.VerifyBlock{{Command: "node --version", Pattern: "v", Version: "1"}}})
	check(`error protect[0]: invalid glob "a["`, recipe.Task{Protect: []string{"a["}})
	check(`warning protect[0]: "test/** Makefile" is one glob, with a blank in it`,
		recipe.Task{Protect: []string{"test/** Makefile"}})
	for _, g := range []string{"/etc/passwd", "../x", "~/../x", "/work/../x", "/home/agentx/y"} {
		check(fmt.Sprintf("error protect[0]: %q lies neither in the project nor in HOME, and matches nothing", g),
			recipe.Task{Protect: []string{g}})
		check(fmt.Sprintf("error hidden[0]: %q lies neither in the project nor in HOME, and matches nothing", g),
			recipe.Task{Hidden: []string{g}})
	}
	check(`error hidden[0]: "~/x" lies in HOME: nothing can be hidden there`, recipe.Task{Hidden: []string{"~/x"}})
	for _, d := range []string{"../x", "a/../../b", "~/../x"} {
		check(fmt.Sprintf("error path[0]: %q lies neither in the project nor in HOME", d),
			recipe.Task{Path: []string{d}})
	}
	check(`error path[1]: "a:b": a colon ends a directory on PATH`, recipe.Task{Path: []string{"a", "a:b"}})
	check("", recipe.Task{Path: []string{"bin", "./a/../b", "a[b", "~", ".", "~/bin", "/opt/x/bin", "/work/bin"}})
	check("", recipe.Task{Hidden: []string{"./a", "/work/b/", "c/**"}, Protect: []string{"./a", "/work/b/", "~/c"}})
}

func TestLintRecipe(t *testing.T) {
	r := &recipe.Recipe{
		Tasks:           []recipe.Task{{Prompt: "mend it"}},
		SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: "go test ./... || true"}},
		Verify:          []recipe.VerifyBlock{{Command: "x", Pattern: "{version}", VersionCommand: "echo 1"}},
	}
	if got, want := told(Recipe(r)), `warning success_criteria[0]: this check can't fail: it ends in "|| true"
warning success_criteria[0]: nothing keeps the tests from being rewritten`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	r.SuccessCriteria, r.Verify = nil, nil
	if got, want := told(Recipe(r)), "warning tasks[0]: nothing judges this task"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Tests that decide are to be protected.
func TestLintOpenTests(t *testing.T) {
	check := func(want string, r recipe.Recipe) {
		t.Helper()
		if got := told(Recipe(&r)); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	after := recipe.Task{After: oneCheck("cd a && go test ./...")}
	check("warning tasks[0].after[0]: nothing keeps the tests from being rewritten",
		recipe.Recipe{Tasks: []recipe.Task{after}})
	planted := after
	planted.Plant = "go test ./..."
	check("", recipe.Recipe{Tasks: []recipe.Task{planted}})
	solved := after
	solved.Solution, solved.MayChange = "git apply fix.patch", []string{"src/**"}
	check("", recipe.Recipe{Tasks: []recipe.Task{solved}})
	solved.MayChange = []string{"**/*.go"}
	check("warning tasks[0].after[0]: nothing keeps the tests from being rewritten",
		recipe.Recipe{Tasks: []recipe.Task{solved}})
	solved.MayChange, solved.Others = nil, []string{"sed -i s/1/2/ a/x_test.go"}
	check("warning tasks[0].after[0]: nothing keeps the tests from being rewritten",
		recipe.Recipe{Tasks: []recipe.Task{solved}})
	guarded := after
	guarded.Protect = []string{"**/*_test.go"}
	run := recipe.Criterion{Kind: "run", Text: "python3 -m unittest"}
	check("", recipe.Recipe{Tasks: []recipe.Task{guarded}, SuccessCriteria: []recipe.Criterion{run}})
	check("warning success_criteria[0]: nothing keeps the tests from being rewritten",
		recipe.Recipe{Tasks: []recipe.Task{guarded, {Prompt: "x"}}, SuccessCriteria: []recipe.Criterion{run}})
	check("", recipe.Recipe{Tasks: []recipe.Task{after},
		SuccessCriteria: []recipe.Criterion{run, {Kind: "protected", Text: "tests/**"}}})
	check("", recipe.Recipe{Tasks: []recipe.Task{{After: oneCheck("go vet ./...")}}})
}

// What is looked for before a protected file is to be protected, too.
func TestLintFronts(t *testing.T) {
	check := func(want, script string, protect ...string) {
		t.Helper()
		task := recipe.Task{After: oneCheck(script), Protect: protect}
		if got := told(Recipe(&recipe.Recipe{Tasks: []recipe.Task{task}})); got != want {
			t.Errorf("%s, %q:\n got %s\nwant %s", script, protect, got, want)
		}
		run := recipe.Recipe{Tasks: []recipe.Task{{Prompt: "x", Protect: protect}},
			SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: script}}}
		controlled := func(f Finding) bool { return f.Rule == "no-control" }
		if got := told(slices.DeleteFunc(Recipe(&run), controlled)); got != want {
			t.Errorf("criterion %s, %q:\n got %s\nwant %s", script, protect, got, want)
		}
		for _, g := range []string{"**/GNUmakefile", "**/makefile", "**/node_modules/.bin/**"} {
			run.SuccessCriteria = append(run.SuccessCriteria, recipe.Criterion{Kind: "protected", Text: g})
		}
		if got := told(slices.DeleteFunc(Recipe(&run), controlled)); got != "" {
			t.Errorf("criterion %s, %q, protected: %s", script, protect, got)
		}
	}
	check("warning tasks[0].protect[0]: make looks for GNUmakefile and makefile first, which nothing protects",
		"make -s test", "Makefile")
	check("warning tasks[0].protect[1]: make looks for sub/GNUmakefile first, which nothing protects",
		"env X=1 make -C sub", "a", "./sub/Makefile", "sub/makefile")
	check("warning tasks[0].protect[0]: make looks for GNUmakefile first, which nothing protects", "cd x && make",
		"makefile")
	check("warning tasks[0].protect[0]: npm looks for node_modules/.bin/** first, which nothing protects", "npx mocha",
		"package.json", "tests/**")
	check("", "make -f Makefile test", "Makefile")
	check("", "make", "src/**")
	check("", "make", "**")
	check("", "make", "**/Makefile", "**/GNUmakefile", "**/makefile")
	check("", "npm test", "package.json", "node_modules/**")
	check("", "./make.sh; echo make > f; grep -q make f", "Makefile")
}

// TestProgramsOfAnyScript: what only the parser takes for shell names none, and
// a script's own functions are no programs.
func TestProgramsOfAnyScript(t *testing.T) {
	for script, want := range map[string][]string{
		" ()0":                  {"0"},
		"f() { jq . x; }; f; g": {"jq", "g"},
		"./run && /bin/true":    nil,
		"if then":               nil,
	} {
		if got := shell.Programs(script); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

// oneCheck is a list of one check.
func oneCheck(script string) []recipe.Check { return []recipe.Check{{Script: script}} }
