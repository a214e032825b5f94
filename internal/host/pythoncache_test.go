package host

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPythonCacheLinksToWhatIsCompiled(t *testing.T) {
	at, base := t.TempDir(), t.TempDir()
	lib := filepath.Join(at, "lib", "python3.11")
	for name, text := range map[string]string{
		"x.py": "1", "__pycache__/x.cpython-311.pyc": "X", "json/__pycache__/d.cpython-311.pyc": "D",
		"json/__pycache__/note": "n", "test/__pycache__/t.cpython-311.pyc": "T",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(lib, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(lib, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	from := []string{filepath.Join(at, "none"), at, at}
	dir, err := PythonCache(base, from)
	if err != nil {
		t.Fatal(err)
	}
	prefix := filepath.Join(dir, "python")
	for name, want := range map[string]string{"x.cpython-311.pyc": "X", "json/d.cpython-311.pyc": "D", "json/note": "",
		"test/t.cpython-311.pyc": ""} {
		if got, _ := os.ReadFile(filepath.Join(prefix, lib, name)); string(got) != want {
			t.Errorf("%s leads to %q, want %q", name, got, want)
		}
	}
	if again, err := PythonCache(base, from); again != dir || err != nil {
		t.Errorf("the second time: %s %v, want %s", again, err, dir)
	}
	if err := os.WriteFile(filepath.Join(lib, "__pycache__", "y.cpython-311.pyc"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if other, err := PythonCache(base, from); other == dir || err != nil {
		t.Errorf("with another compiled file: %s %v, want another directory", other, err)
	}
	if none, err := PythonCache(base, []string{base}); none != "" || err != nil {
		t.Errorf("without a Python: %q %v, want none", none, err)
	}
}

// A Python of a tool chain lies anywhere: below PYENV_ROOT, uv's data, conda's prefix.
func TestPythonCacheOfToolChains(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	at := t.TempDir()
	compiled := filepath.Join(at, "lib", "python3.11", "__pycache__", "x.cpython-311.pyc")
	if err := os.MkdirAll(filepath.Dir(compiled), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(compiled, []byte("X"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(pythonCache([]string{at}), "python", at, "lib", "python3.11", "x.cpython-311.pyc")
	if got, _ := os.ReadFile(link); string(got) != "X" {
		t.Errorf("%s leads to %q, want what is compiled", link, got)
	}
}
