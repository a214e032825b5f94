package propose

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAsTestsInstall: what a Makefile has pip get is got before, with what builds the project, and make finds it there.
func TestAsTestsInstall(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"pyproject.toml": "[build-system]\nrequires = [\"hatchling>=1\"]\n[project]\nname = \"a\"\n",
		"Makefile": "test: install\n\tpytest\ninstall:\n\tpip install --upgrade -q -e '.[test]' -r tests.txt 'mock<9'\n" +
			"\tpython -m pip install -r ../x.txt\n\tpip list\n",
		"tests.txt": "pytest\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const said = "ERROR: No matching distribution found for hatchling>=1\n"
	found := Prepare(dir, said, func(string) bool { return true })
	const venv = "python3 -m venv .venv && .venv/bin/pip install -q -e ."
	if found.Command != venv {
		t.Fatalf("%+v", found)
	}
	p := found.AsTestsInstall(dir, "make test", said)
	if want := venv + " 'hatchling>=1' wheel -e '.[test]' -r tests.txt 'mock<9'"; p.Command != want {
		t.Errorf("got  %s\nwant %s", p.Command, want)
	}
	if want := `PATH="$PWD/.venv/bin:$PATH" PIP_NO_INDEX=1 PIP_NO_BUILD_ISOLATION=0 make test`; p.Called("make test") != want {
		t.Errorf("it is called by %s", p.Called("make test"))
	}
	for test, printed := range map[string]string{"make test": "No module named 'x'", "python3 -m pytest": said,
		"make test | tee log": said} {
		if p := found.AsTestsInstall(dir, test, printed); p != found {
			t.Errorf("%s: %+v", test, p)
		}
	}
}
