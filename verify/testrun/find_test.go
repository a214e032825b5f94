package testrun

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// here is a world that is a directory of this machine.
type here struct {
	sandbox.Sandbox
	dir string
}

func (h here) Exec(_ context.Context, cmd sandbox.Cmd) (sandbox.Result, error) {
	c := exec.Command("bash", "--noprofile", "--norc", "-c", cmd.Script)
	c.Dir = h.dir
	out, err := c.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return sandbox.Result{Exit: failed.ExitCode(), Stdout: out}, nil
	}
	return sandbox.Result{Stdout: out}, err
}

// TestFindBehindOthers: a script that calls others runs the tests of the first that has some.
func TestFindBehindOthers(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skipf("no make on this machine: %v", err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"all.sh":   "sh lint.sh && sh unit.sh\n",
		"lint.sh":  "true style\n",
		"unit.sh":  "cd . && X=1 npx c8 mocha test\n",
		"none.sh":  "sh lint.sh && sh lint.sh\n",
		"Makefile": "test:\n\t@sh lint.sh\n\t@sh unit.sh\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for script, want := range map[string]string{"sh all.sh": "mocha", "make test": "mocha", "sh none.sh": PrintedTests,
		"sh unit.sh": "mocha"} {
		run, err := Find(context.Background(), here{dir: dir}, sandbox.Cmd{Script: script}, 0)
		got := ""
		if run != nil {
			got = run.Runner.Name
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", script, got, err, want)
		}
	}
}

// TestFindBehindScripts: a script finds its own directory by its name, and knows what it is told.
func TestFindBehindScripts(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"ci", "api/x", "api/y"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"ci/test.sh":   "cd \"$(dirname \"$0\")/../api\"\nfor m in x y; do (cd $m && go test ./...) || exit 1; done\n",
		"ci/source.sh": "#!/bin/bash\ncd \"$(dirname \"${BASH_SOURCE[0]}\")/../api/$1\"\ngo test ./...\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for script, want := range map[string]string{"ci/test.sh": "api/x", "./ci/test.sh": "api/x", "sh ci/test.sh": "api/x",
		"bash ci/source.sh y": "api/y", "cd ci && ./source.sh x": "api/x"} {
		run, err := Find(context.Background(), here{dir: dir}, sandbox.Cmd{Script: script}, 0)
		if err != nil || run == nil || run.Runner.Name != "go test" || run.Dir != want {
			t.Errorf("%s: %+v, %v, want go test in %s", script, run, err, want)
		}
	}
}

// TestFindBehindJust: the recipes of just are asked for as it prints them. This just knows two.
func TestFindBehindJust(t *testing.T) {
	dir := t.TempDir()
	const just = `#!/bin/sh
[ "$1" = --dry-run ] || exit 1
case $2 in
test) printf 'echo building\ncd api && go test -v ./...\n' >&2 ;;
check) printf '#!/usr/bin/env bash\nset -e\necho all\n' >&2 ;;
*) exit 1 ;;
esac
`
	if err := os.MkdirAll(filepath.Join(dir, "api"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "just"), []byte(just), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for script, want := range map[string]string{"just test": "go test in api", "just check": PrintedTests + " in ",
		"just nothing-to-test": "", "just": ""} {
		run, err := Find(context.Background(), here{dir: dir}, sandbox.Cmd{Script: script}, 0)
		got := ""
		if run != nil {
			got = run.Runner.Name + " in " + run.Dir
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", script, got, err, want)
		}
	}
}

// TestFindBehindNyc: no flag of a runner stands where nyc reads its own.
func TestFindBehindNyc(t *testing.T) {
	for script, want := range map[string]string{
		"nyc --silent mocha test/*.js": "mocha", "npx nyc ava": "ava", "nyc node --test": "node --test"} {
		run, err := Find(context.Background(), here{dir: t.TempDir()}, sandbox.Cmd{Script: script}, 0)
		if err != nil || run == nil || run.Runner.Name != want {
			t.Fatalf("%s: %+v, %v", script, run, err)
		}
		if _, own, is := strings.Cut(run.Loud, "nyc "); !is ||
			!strings.HasPrefix(strings.TrimPrefix(own, "--silent "), "bash -c ") {
			t.Errorf("%s: %s", script, run.Loud)
		}
	}
}

// TestHandedOn: what npm is given for a script stands behind it.
func TestHandedOn(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node on this machine")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"scripts": {"test": "mocha t"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run, err := Find(context.Background(), here{dir: dir}, sandbox.Cmd{Script: "npm test -- --grep '^(a b)$' --invert"}, 0)
	if err != nil || run == nil || !strings.Contains(run.Loud, "mocha t --grep '^(a b)$' --invert --no-bail") {
		t.Errorf("%+v, %v", run, err)
	}
}

// TestFindWithin: what a command leads to runs in the environment of a project in which that runs.
func TestFindWithin(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skipf("no make on this machine: %v", err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"uv":       "#!/bin/sh\nshift\nIN=1 exec \"$@\"\n",
		"Makefile": "ifdef IN\ntest:\n\tsh unit.sh\nendif\n",
		"unit.sh":  "hatch run pytest a\n", "other.sh": "cd . && pytest b\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for script, want := range map[string]string{"uv run make test": "hatch run pytest", "uv run sh other.sh": "uv run pytest",
		"uv run pytest": "uv run pytest", "timeout 9 uv run ./other.sh": "uv run pytest"} {
		run, err := Find(context.Background(), here{dir: dir}, sandbox.Cmd{Script: script}, 0)
		if err != nil || run == nil || run.Runner.Name != "pytest" || !strings.Contains(run.Loud, want) ||
			strings.Count(run.Loud, "uv run") > 1 {
			t.Errorf("%s: %+v, %v, want %s", script, run, err, want)
		}
	}
}
