package propose

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFetches: of a program that makes an environment for the tests, by a network, it is said what to call instead.
func TestFetches(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"tox.ini": "[testenv]\ncommands = pytest\n", "conftest.py": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const pip = "ERROR: No matching distribution found for pytest\n"
	const uv = "  cause: failed to lookup address information: Temporary failure in name resolution\n"
	for test, c := range map[string]struct{ printed, does, instead string }{
		"tox":                       {pip, "tox", "python3 -m pytest"},
		"tox -e py3 -- -x":          {pip, "tox", "python3 -m pytest"},
		"cd sub && nox -s tests":    {pip, "nox", "python3 -m pytest"},
		"uv run pytest -q 'a b'":    {uv, "uv", "pytest -q 'a b'"},
		"uv run --extra dev pytest": {uv, "uv", "python3 -m pytest"},
		"hatch run test":            {uv, "hatch", "python3 -m pytest"},
		"poetry run pytest":         {"Command not found: pytest\n", "poetry", "pytest"},
		"poetry run pytest -x":      {"FAILED test_a.py::test_a\n", "", ""},
		"uv pip list":               {uv, "", ""},
		"python3 -m pytest":         {uv, "", ""},
		"make test":                 {pip, "", ""},
	} {
		want := ""
		if c.does != "" {
			want = c.does + " makes an environment of its own, and fills it by a network"
		}
		if does, instead := Fetches(dir, test, c.printed); does != want || instead != c.instead {
			t.Errorf("%s: %q, %q", test, does, instead)
		}
	}
}

// TestRun: what a program runs in an environment of its own is run out of the project's, where that is there.
func TestRun(t *testing.T) {
	dir, with := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(with, ".venv/bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"pytest", "python"} {
		if err := os.WriteFile(filepath.Join(with, ".venv/bin", program), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for test, c := range map[string]struct{ program, bare, own string }{
		"uv run pytest -q 'a b'":        {"uv", "pytest -q 'a b'", ".venv/bin/pytest -q 'a b'"},
		"poetry run python -m unittest": {"poetry", "python -m unittest", ".venv/bin/python -m unittest"},
		"uv run mypy":                   {"uv", "mypy", "mypy"},
		"A=1 B= uv run pytest":          {"uv", "A=1 B= pytest", "A=1 B= .venv/bin/pytest"},
		"cd a && uv run pytest":         {},
		"uv run --extra dev pytest":     {},
		"uv run pytest && uv run x":     {},
		"pytest":                        {},
		"tox":                           {},
	} {
		if program, command := Run(dir, test); program != c.program || command != c.bare {
			t.Errorf("%s: %q, %q", test, program, command)
		}
		if program, command := Run(with, test); program != c.program || command != c.own {
			t.Errorf("%s, with an environment: %q, %q", test, program, command)
		}
	}
}
