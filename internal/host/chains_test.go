package host

import (
	"os"
	"path/filepath"
	"testing"

	"cookoff/internal/config"
)

// TestChainsOfVenv: the Python of a project's virtual environment is shown, also where nothing else names a program beside
// the system's.
func TestChainsOfVenv(t *testing.T) {
	if !OnLinux {
		t.Skip("tool chains are shown on Linux alone")
	}
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	version := filepath.Join(home, ".pyenv", "versions", "3.11.7")
	for _, d := range []string{filepath.Join(version, "bin"), filepath.Join(dir, ".venv", "bin")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	python := filepath.Join(version, "bin", "python3.11")
	if err := os.WriteFile(python, []byte("\x7fELF"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".venv", "pyvenv.cfg"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(python, filepath.Join(dir, ".venv", "bin", "python")); err != nil {
		t.Fatal(err)
	}
	h := &Host{Dir: dir, Config: &config.Config{}, Getenv: func(name string) string {
		return map[string]string{"PATH": "/usr/bin:/bin"}[name]
	}}
	if c := h.ChainsFor(t.Context(), nil); len(c.Found) != 1 || c.Found[0].Name != ".venv" {
		t.Errorf("found %+v, want the virtual environment", c.Found)
	}
}
