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
