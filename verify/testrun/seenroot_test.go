package testrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The project is known at every place where it is seen.
func TestSeenRoot(t *testing.T) {
	dir := t.TempDir()
	root, other := filepath.Join(dir, "work"), filepath.Join(dir, "app")
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, other); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{root: root, root + "/sub": root, other: other, other + "/sub": other,
		dir: "/"} {
		p, a := filepath.Join(dir, "p"), filepath.Join(dir, "a")
		for file, text := range map[string]string{p: root + "\n", a: at + "\ngo\x00test\x00"} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.Command("bash", "-c", seenRoot(p, a)).Output()
		if err != nil || string(out) != want+"\n" {
			t.Errorf("at %s: %q, want %q (%v)", at, out, want, err)
		}
	}
}
