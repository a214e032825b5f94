package plan

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReadSmall: what of the host's /etc is copied into a world is what everybody may read there.
func TestReadSmall(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []struct {
		name  string
		mode  os.FileMode
		size  int
		small bool
	}{
		{"readable", 0o644, 100, true},
		{"empty", 0o444, 0, true},
		{"large", 0o644, smallFile + 1, false},
		{"of its owner", 0o600, 100, false},
		{"of a group", 0o640, 100, false},
	} {
		path, text := filepath.Join(dir, f.name), strings.Repeat("x", f.size)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, f.mode); err != nil {
			t.Fatal(err)
		}
		got, small := readSmall(path)
		if small != f.small || small && got != text {
			t.Errorf("%s: %d bytes, copied %v", f.name, len(got), small)
		}
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{dir, pipe, filepath.Join(dir, "none")} {
		if _, small := readSmall(other); small {
			t.Errorf("%s is copied", other)
		}
	}
}
