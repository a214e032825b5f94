package propose

import (
	"slices"
	"strings"
	"testing"
)

// TestOtherRunners: what tests projects of deno, just, Ruby and the shell.
func TestOtherRunners(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"deno.json", `{"tasks": {"lint": "x", "test": "deno test -A"}}`}, "deno task test"},
		{[]string{"deno.jsonc", "{ // none\n}"}, "deno test"},
		{[]string{"justfile", "lint:\n    x\n@test *args: lint\n    sh t.sh\n"}, "just test"},
		{[]string{"justfile", "test := 'x'\n"}, ""},
		{[]string{"Taskfile.yml", "tasks:\n  build: go build\n  test: [go test]\n"}, "task test"},
		{[]string{"Taskfile.yml", "tasks: {build: go build}\n"}, ""}, {[]string{"Taskfile.yml", "a: [\n"}, ""},
		{[]string{"Rakefile", "Rake::TestTask.new(:test)\n"}, "rake test"},
		{[]string{"Rakefile", "Rake::TestTask.new do |t|\nend\n", "Gemfile", ""}, "bundle exec rake test"},
		{[]string{"Rakefile", "RSpec::Core::RakeTask.new(:spec)\n"}, "rake spec"},
		{[]string{"Rakefile", "task :build\n", ".rspec", ""}, "rspec"},
		{[]string{"test.sh", "#!/bin/sh\n"}, "sh test.sh"},
		{[]string{"tests/run.sh", "echo\n"}, "bash tests/run.sh"},
		{[]string{"test/a.bats", "", "test.sh", ""}, "bats test"},
	} {
		var got []string
		for _, p := range Commands(tree(t, c.files...)) {
			got = append(got, p.Text)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%v: %q, want %q", c.files, got, c.want)
		}
	}
}

// TestTogether: several projects without one above them are tested one after the other,
// and what decides is protected in each.
func TestTogether(t *testing.T) {
	c, ok := Together(Below(tree(t, "a b/go.mod", "", "c/d/package.json", `{"scripts":{"test":"jest"}}`)))
	const want = "(cd 'a b' && go test ./...) && (cd c/d && npm test)"
	if !ok || c.Text != want {
		t.Errorf("%+v %v", c, ok)
	}
	if got := OneByOne(want); got != "(cd 'a b' && go test ./...)\n(cd c/d && npm test)" {
		t.Errorf("one by one: %q", got)
	}
	globs := Protect(want)
	for _, g := range []string{"c/d/go.mod", "a b/package.json"} {
		if slices.Contains(globs, g) {
			t.Errorf("%s is of another project", g)
		}
	}
	for _, g := range []string{"**/*_test.go", "a b/go.mod", "c/d/package.json", "c/d/jest.config.*"} {
		if !slices.Contains(globs, g) {
			t.Errorf("%s is not among %q", g, globs)
		}
	}
	if _, ok := Together(Below(tree(t, "a/go.mod", ""))); ok {
		t.Error("one project is not several")
	}
	var many []string
	for _, d := range strings.Split("abcdefghi", "") {
		many = append(many, d+"/go.mod", "")
	}
	if _, ok := Together(Below(tree(t, many...))); ok {
		t.Error("there may be more than were looked at")
	}
}

// TestPrepareTogether: several projects get what each needs, once the first of them missed something.
func TestPrepareTogether(t *testing.T) {
	all := func(string) bool { return true }
	files := []string{"api/pyproject.toml", "[project]\n", "api/tests/test_a.py", "def test_a(): pass\n",
		"web/package.json", `{"scripts":{"test":"vitest run"}}`, "web/package-lock.json", ""}
	dir := tree(t, files...)
	got := PrepareTogether(dir, Below(dir), "No module named pytest", all)
	want := Preparation{
		Command: "(cd api && python3 -m venv .venv && .venv/bin/pip install -q -e . pytest) && (cd web && npm ci)",
		Test:    "(cd api && .venv/bin/python -m pytest) && (cd web && npm test)"}
	if got != want {
		t.Errorf("%+v", got)
	}
	if got = PrepareTogether(dir, Below(dir), "1 test failed", all); got.Command != "" {
		t.Errorf("nothing is missing: %+v", got)
	}
	dir = tree(t, append(files, "web/node_modules/a/a.js", "", "api/.venv/bin/python", "")...)
	if got = PrepareTogether(dir, Below(dir), "No module named pytest", all); got.Command != "" {
		t.Errorf("all is there: %+v", got)
	}
}

// TestPrepareBelow: what a test command misses in a directory below the project is got there.
func TestPrepareBelow(t *testing.T) {
	all := func(string) bool { return true }
	dir := tree(t, "api/pyproject.toml", "[project]\n", "api/tests/test_a.py", "def test_a(): pass\n",
		"web/package.json", `{"scripts":{"test":"vitest run"}}`, "web/package-lock.json", "", "notes/a.txt", "")
	const python = "(cd api && python3 -m venv .venv && .venv/bin/pip install -q -e . pytest)"
	for _, c := range []struct{ test, said, command, as string }{
		{"cd web && npm test", "sh: 1: vitest: not found", "(cd web && npm ci)", "cd web && npm test"},
		{"npm --prefix web test", "sh: 1: vitest: not found", "(cd web && npm ci)", "npm --prefix web test"},
		{"cd api && python3 -m pytest", "No module named pytest", python, "cd api && .venv/bin/python -m pytest"},
		{"(cd api; python3 -m pytest)", "No module named pytest", "", ""}, // its Python can't be named there
		{"cd notes && ./check.sh", "No module named pytest", "", ""},
		{"cd ../web && npm test", "sh: 1: vitest: not found", "", ""},
		{"npm test", "sh: 1: vitest: not found", "", ""},
		{"cd web && npm test", "1 test failed", "", ""},
	} {
		if got, want := PrepareBelow(dir, c.test, c.said, all), (Preparation{Command: c.command, Test: c.as}); got != want {
			t.Errorf("%s: %+v, want %+v", c.test, got, want)
		}
	}
}

// TestShellFaults: in scripts by their ending or their first line, and not in what sets up.
func TestShellFaults(t *testing.T) {
	text := "#!/bin/sh\nset -eu -o x == 1\nif [ $# -lt 3 ]; then # 1 == 1\n  echo few\nfi\n"
	for _, name := range []string{"count.sh", "count"} {
		list := Faults(tree(t, name, text), nil)
		if len(list) == 0 || list[0].Line != 3 || list[0].New != "if ! [ $# -lt 3 ]; then # 1 == 1" {
			t.Errorf("%s: %+v", name, list)
		}
	}
	if list := Faults(tree(t, "count", "no program: 1 == 1\n"), nil); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}

// TestJustCalls: what a recipe of just calls is protected, as with make.
func TestJustCalls(t *testing.T) {
	got := Judges(tree(t, "justfile", "test: one\n    ./check.sh\none:\n    diff out expected.txt\n", "check.sh", "",
		"expected.txt", ""), "just test")
	slices.Sort(got)
	if !slices.Equal(got, []string{"check.sh", "expected.txt"}) {
		t.Errorf("%q", got)
	}
}

// TestDecides: what decides for a command that a file of the project leads to is protected as if it were called itself.
func TestDecides(t *testing.T) {
	for _, c := range []struct {
		files []string
		test  string
		want  string
	}{
		{[]string{"Makefile", "test:\n\tgo test ./...\n"}, "make test", "Makefile go.mod"},
		{[]string{"Taskfile.yml", "tasks:\n  test: {dir: api, deps: [all], cmds: [go test ./...]}\n  all: ./check.sh\n",
			"check.sh", "", "api/go.mod", "", "api/test/x", ""}, "task test", "Taskfile.y*ml api/go.mod check.sh api/test/**"},
		{[]string{"composer.json", `{"scripts": {"test": ["@unit", "php tests.php"], "unit": "phpunit"}}`, "tests.php", ""},
			"composer test", "composer.json phpunit.* tests.php"},
		{[]string{"pyproject.toml", ""}, "poe test", "pyproject.toml poe_tasks.toml"},
		{[]string{"Pipfile", ""}, "pipenv run test", "Pipfile"},
		{[]string{"script/test", "#!/bin/sh\ncd web\nnpm test\n", "web/package.json", "{}"}, "script/test",
			"script/test web/package.json"},
	} {
		got := Decides(tree(t, c.files...), c.test)
		for _, want := range strings.Fields(c.want) {
			if !slices.Contains(got, want) {
				t.Errorf("%s: no %s in %q", c.test, want, got)
			}
		}
	}
}
