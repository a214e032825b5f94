package needs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

func TestNeeds(t *testing.T) {
	check := func(script string, want ...string) {
		t.Helper()
		var got []string
		for _, n := range scriptNeeds(script) {
			got = append(got, n.What)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
	check("cd a && timeout 5 rg x", `no program "cd"`, `no program "rg"`)
	check("python3 -X dev -m pytest.main -q", `no program "python3"`, `no module "pytest" of python3`)
	check("npx --yes eslint .", `no program "npx"`, `no program "eslint" for npx`)
	check("./own/python3 -m app", `no module "app" of ./own/python3`)
	check("rg x || grep x f")
	check("! rogue")
	check("if command -v rg; then rg x; fi; command -v fd && fd x")
	check("f() { :; }; f", `no program ":"`)
	check("[ -e x ]", `no program "["`)
}

// What is installed for a Python that the check does not call is not there for it,
// and where it is is said.
func TestEnvironments(t *testing.T) {
	files := sandbox.Manifest{{Path: ".venv/bin/pytest"}, {Path: ".venv/bin/python"},
		{Path: ".venv/lib/python3.12/site-packages/pytest/__init__.py"},
		{Path: ".venv/lib/python3.12/site-packages/six.py"}, {Path: "lib/mine.py"}, {Path: "yarn.lock"},
		{Path: "bin/mill.sh"}}
	check := func(name string, has bool, want string) {
		t.Helper()
		if got := HasFile(files, name); got != has {
			t.Errorf("hasFile %q: %v", name, got)
		}
		if got := remedyOf(files, name); !strings.HasPrefix(got, want) {
			t.Errorf("remedy of %q: %q", name, got)
		}
	}
	check("pytest", false, "the project has it: call it as .venv/bin/pytest")
	check("yarn", false, "") // a file of its settings is no program
	check("mill", true, "")
	check("six", false, "the project's own environment has it: call it by .venv/bin/python in place of python3")
	check("mine", true, "put tool_paths")
	check("nowhere", false, "put tool_paths")
}

// What the project names, and one command gets, is got by prepare:.
func TestFetching(t *testing.T) {
	check := func(output, want string, paths ...string) {
		t.Helper()
		var files sandbox.Manifest
		for _, p := range paths {
			files = append(files, sandbox.File{Path: p})
		}
		if got := Fetching(files, output); got != want {
			t.Errorf("%q with %v: %q, want %q", output, paths, got, want)
		}
	}
	const noModule = "a.go:3:8: module lookup disabled by GOPROXY=off"
	check(noModule, "prepare: go mod download gets it", "go.mod", "a.go")
	check(noModule, "", "a.go")
	check(noModule, "", "go.mod", "vendor/modules.txt")
	check(noModule, "", "go.mod", "~/go/pkg/mod/example.com/a@v1.0.0/a.go")
	check(noModule, "prepare: go mod download gets it", "go.mod", "~/go/pkg/mod/cache/lock")
	check("sh: 1: mocha: not found", "prepare: npm ci gets it", "package.json", "package-lock.json")
	check("Error: Cannot find module 'ms'", "prepare: npm install --no-package-lock gets it", "package.json")
	check("Error: Cannot find module 'ms'", "", "package.json", "node_modules/other/package.json")
	check("/usr/bin/python3: No module named pytest",
		"prepare: python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt pytest gets it, with checks "+
			"that call .venv/bin/python",
		"requirements.txt")
	check("No module named six", "", "a.py")
}

// A module is missed that the project names, and not one of the project's own name.
func TestProbe(t *testing.T) {
	dir := t.TempDir()
	text := "[project]\nname = \"my-shop\"\ndependencies = [\"left-pad\"]\n"
	if err := os.WriteFile(filepath.Join(dir, "pyproject.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, there := range map[string]bool{"left_pad": false, "lfet_pad": true, "my_shop": true} {
		script, ok := probe(name, true, nil)
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir = dir
		if err := cmd.Run(); !ok || (err == nil) != there {
			t.Errorf("%s: %v %v", name, ok, err)
		}
	}
}

func TestInstalling(t *testing.T) {
	check := func(output, script, want string) {
		t.Helper()
		if got := Installing("freezegun", output, "true", script); got != want {
			t.Errorf("%q of %q: %q, want %q", output, script, got, want)
		}
	}
	noModule := "ModuleNotFoundError: No module named 'freezegun'"
	check(noModule, "PYTHONPATH=src .venv/bin/python -m pytest", ".venv/bin/python -m pip install freezegun")
	check(noModule, "cd api && ../venv/bin/pytest -q", "cd api && ../venv/bin/python -m pip install freezegun")
	check(noModule, "(cd api && .venv/bin/pytest)", "cd api && .venv/bin/python -m pip install freezegun")
	check(noModule, "(env/bin/python -m unittest)", "env/bin/python -m pip install freezegun")
	check(noModule, "python3 -m pytest", "")
	check(noModule, "/usr/bin/env python3 -m pytest", "")
	check("sh: 1: freezegun: not found", ".venv/bin/python -m pytest", "")
}

func TestMissedIn(t *testing.T) {
	check := func(tail, want string) {
		t.Helper()
		if got, _ := MissedIn(tail, nil); got != want {
			t.Errorf("%q: %q, want %q", tail, got, want)
		}
	}
	check("bash: line 1: jest: command not found", "jest")
	check("sh: 1: jest: not found", "jest")
	check("make: pytest: No such file or directory\nmake: *** [x] Error 127", "pytest")
	check("/usr/bin/python3: No module named pytest", "pytest")
	check("ModuleNotFoundError: No module named 'requests.adapters'", "requests")
	check("Error: Cannot find module 'left-pad'", "left-pad")
	check("Error: Cannot find module './own'", "")
	check("exec: \"gofumpt\": executable file not found in $PATH", "gofumpt")
	check("env: 'ruby': No such file or directory", "ruby")
	check("error: no such command: `nextest`", "nextest")
	check("/bin/sh: 1: ruff: not found", "ruff")
	check("sh: ruff: not found", "ruff")
	check("./test.sh: line 3: ruff: command not found", "ruff")
	check("error: user bob: not found", "")
	check("bob: not found", "")
	check("key not found: the answer was not found", "")
}
