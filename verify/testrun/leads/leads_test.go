package leads

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScripts: a call of a program leads to the script that does the same. What the program prints is printed by a
// program of its name here, where a machine seldom has it.
func TestScripts(t *testing.T) {
	const pyproject = `[tool.poe.tasks]
test = "pytest -q tests"
unit-test = {cmd = "python -m unittest", env = {A = "b c"}, cwd = "sub"}
shell-test = {shell = "cd sub && pytest"}
all-tests = ["test", "unit-test"]
seq-test = {sequence = ["test", {cmd = "pytest x"}]}
[tool.pdm.scripts]
test = "pytest {args:tests}"
t2-test = {composite = ["test", "pytest -x"]}
call-test = {call = "a:b"}
[tool.rye.scripts]
test = {cmd = ["pytest", "a b"]}
[tool.hatch.envs.default.scripts]
test = "pytest {args:tests}"
cov-test = ["coverage run -m pytest", "test -k x"]
[tool.hatch.envs.dev.scripts]
test = "pytest dev"
`
	const composer = `{"scripts": {
"test": ["@putenv A=b", "@unit", "@php more.php", "Some\\Class::test", "@composer validate"],
"unit": "phpunit", "other": "x"}}`
	const task = `#!/bin/sh
[ "$1 $2" = "--dry --force" ] || exit 1
printf 'task: [build] go build ./...\ntask: [test] cd x\ngo test\n' >&2
printf 'task: Task "z" is up to date\ntask: [lib:test] go vet\n' >&2`
	const taskfile = "env: {A: 'b', B: '{{.X}}'}\nincludes: {lib: {taskfile: lib, dir: lib}}\ntasks:\n" +
		"  build: go build\n  test: {dir: api, env: {C: d}, cmds: [x]}\n"
	const tox = `#!/bin/sh
echo "$*" > told
printf '[testenv:py]\ncommands =\n  pytest tests\n  - python -c '"'a b'"'\nchange_dir = /x y\n\n'
printf '[testenv:lint]\ncommands = ruff .\n'`
	for _, c := range []struct {
		needs, call, want string
		files             map[string]string
	}{
		{"python3", "poe test -x", "pytest -q tests -x", nil},
		{"python3", "poetry run poe -q test", "poetry run pytest -q tests", nil},
		{"python3", "poe unit-test", "cd sub || exit|export A='b c'|python -m unittest", nil},
		{"python3", "poe shell-test", "bash -c 'cd sub && pytest'", nil},
		{"python3", "poe all-tests", "pytest -q tests|cd sub || exit|export A='b c'|python -m unittest", nil},
		{"python3", "uv run poe seq-test", "uv run pytest -q tests|uv run pytest x", nil},
		{"python3", "pdm run test a", "pdm run pytest a", nil},
		{"python3", "pdm run t2-test", "pdm run pytest tests|pdm run pytest -x", nil},
		{"python3", "pdm run call-test", "", nil},
		{"python3", "pdm run no-test", "", nil},
		{"python3", "rye run test -v", "rye run pytest 'a b' -v", nil},
		{"python3", "hatch run test", "hatch run pytest tests", nil},
		{"python3", "hatch run dev:test", "hatch run pytest dev", nil},
		{"python3", "hatch run cov-test", "hatch run coverage run -m pytest|hatch run pytest -k x", nil},
		{"php", "composer test", "PATH=$PWD/vendor/bin:$PATH|export A='b'|phpunit|php more.php|composer validate", nil},
		{"php", "composer run-script unit -- --filter 'a b'", "PATH=$PWD/vendor/bin:$PATH|phpunit --filter 'a b'", nil},
		{"sh", "task test", "export A=b|go build ./...|cd api || exit|export A=b|export C=d|cd x|go test|cd lib || exit|" +
			"export A=b|go vet", map[string]string{"task": task, "Taskfile.yml": taskfile}},
		{"sh", "tox", "cd '/x y' || exit|tox exec -q -epy -- pytest tests|cd '/x y' || exit|" +
			"tox exec -q -epy -- python -c 'a b'|tox exec -q -elint -- ruff .", map[string]string{"tox": tox}},
		{"sh", "bin/test a", "BASH_ARGV0=bin/test; set -- a|#!/usr/bin/env bash|go test $1",
			map[string]string{"bin/test": "#!/usr/bin/env bash\ngo test $1\n"}},
		{"sh", "script/ci", "", map[string]string{"script/ci": "#!/usr/bin/env python3\nimport os\n"}},
	} {
		dir := t.TempDir()
		if c.files == nil {
			c.files = map[string]string{"pyproject.toml": pyproject, "composer.json": composer}
		}
		for name, text := range c.files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := exec.LookPath(c.needs); err != nil {
			t.Logf("%s is not tried: no %s on this machine", c.call, c.needs)
			continue
		}
		words := strings.Fields(strings.ReplaceAll(c.call, "'a b'", "a_b"))
		for i, w := range words {
			words[i] = strings.ReplaceAll(w, "_", " ")
		}
		behind := 0
		if len(words) > 2 && words[1] == "run" {
			behind = 2
		}
		p, argv := Of(words[:behind], words[behind:])
		if p == nil {
			t.Errorf("%s: leads nowhere", c.call)
			continue
		}
		ask := exec.CommandContext(t.Context(), "bash", "-c", "PATH=$PWD:$PATH; "+p.Ask(words[:behind], argv))
		ask.Dir, ask.Stderr = dir, os.Stderr
		out, err := ask.Output()
		if err != nil {
			t.Errorf("%s: %v", c.call, err)
		}
		var got []string
		for line := range strings.Lines(p.Script(argv, string(out))) {
			if line = strings.TrimSpace(line); line != "(" && line != ")" {
				got = append(got, line)
			}
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.call, s, c.want)
		}
	}
}

// TestToxIsTold: of what tox is told its choice of environments is kept, and what is handed on.
func TestToxIsTold(t *testing.T) {
	for call, want := range map[string]string{
		"tox":                       "tox config -q -k commands change_dir",
		"tox -e py -p auto -- -k x": "tox config -q -k commands change_dir -e py -- -k x",
		"tox run -epy,lint -q":      "tox config -q -k commands change_dir -epy,lint",
		"tox list":                  "",
	} {
		if got := askTox(strings.Fields(call)); got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}

// TestNoLead: what runs no command of a file of the project, or says nothing of tests, leads nowhere.
func TestNoLead(t *testing.T) {
	for _, call := range []string{"make", "make all", "task build", "composer install", "composer require phpunit/phpunit", "pdm add pytest", "npm install", "bun test", "ls",
		"/bin/test", "test", "bin/app", "sh -c x", "poe lint", "src/contest", "npx"} {
		words := strings.Fields(call)
		if p, _ := Of(nil, words); p != nil {
			t.Errorf("%s leads to %v", call, p.names)
		}
	}
	if p, _ := Of([]string{"hatch", "run"}, []string{"mypy"}); p != nil {
		t.Errorf("hatch run mypy leads to %v", p.names)
	}
}

// TestHandedOn: what npm is given for a script stands behind it.
func TestHandedOn(t *testing.T) {
	for call, want := range map[string]string{"npm test": "", "npm test --silent": "", "npm test -- --grep a": "--grep a",
		"npm run unit -- -t x": "-t x", "yarn test -t x": "-t x", "pnpm run unit -- a": "a", "pnpm test": "", "npm run": ""} {
		_, rest := scriptOf(strings.Fields(call))
		if got := strings.Join(handedOn(call[:strings.Index(call, " ")], rest), " "); got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}

// TestWorkspaces: calls that run scripts in each package of a workspace.
func TestWorkspaces(t *testing.T) {
	for call, want := range map[string]string{"pnpm -r test": "test", "pnpm run -r unit": "unit", "npm t -ws": "test",
		"yarn workspaces run test": "test", "npm test": "", "pnpm -r": "",
		"npm run --workspaces --if-present check": "check",
		"turbo run build test":                    "build test turbo", "turbo test --concurrency 1 --ui stream": "test turbo",
		"turbo run test --filter=a": "", "nx run-many -t build,test --parallel=3": "build test nx", "nx test a": "",
		"nx run-many --target=test --all": "test nx", "nx affected -t test": "",
		"lerna run test --stream": "test lerna", "lerna run test --scope a": "", "npx turbo run test": "test npx turbo",
		"npx run test": "", "turbo": ""} {
		names, builder := ofWorkspaces(strings.Fields(call))
		if got := strings.TrimSpace(strings.Join(names, " ") + " " + builder); got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}

// FuzzScript: a contestant may have written what a program prints of its commands.
func FuzzScript(f *testing.F) {
	f.Add("[testenv:py]\ncommands =\n  pytest\nchange_dir = /x\n")
	f.Add("task: [a] go test\nb\ntask: x\n\n== taskfile\ntasks: {a: {dir: x}}\n")
	f.Add("#!/bin/sh\necho ${BASH_SOURCE[0]}\n")
	f.Fuzz(func(_ *testing.T, printed string) {
		for _, call := range []string{"tox", "task test", "bin/test", "sh x", "npm test"} {
			if p, argv := Of(nil, strings.Fields(call)); p != nil {
				p.Script(argv, printed)
			}
		}
	})
}
