package prepare

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

// TestCargoCrates: of Cargo's registry only what the lockfile names is taken, and only
// with its digest.
func TestCargoCrates(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	at := func(parts ...string) string { return filepath.Join(parts...) }
	for _, name := range []string{"itoa-1.0.1", "private-1.0.0", "forged-1.0.0"} {
		write(t, at(home, "registry", "cache", "reg-1", name+".crate"), name)
	}
	for _, rel := range []string{"config.json", ".cache/it/oa/itoa", ".cache/pr/iv/private", ".cache/fo/rg/forged"} {
		write(t, at(home, "registry", "index", "reg-1", rel), "{}")
	}
	c := Caches{Cargo: home}
	see := func(lock string, whole bool, want ...string) {
		t.Helper()
		write(t, at(project, "Cargo.lock"), lock)
		dir := t.TempDir()
		_, all, err := c.Gather(project, at(dir, "seed"))
		if got := listed(t, dir); err != nil || all != whole || !slices.Equal(got, want) {
			t.Errorf("whole %v, %q, %v; want %v, %q", all, got, err, whole, want)
		}
	}
	crate := func(name, version, content string) string {
		return fmt.Sprintf(
			"[[package]]\nname = %q\nversion = %q\nsource = \"registry+https://example.org\"\nchecksum = \"%x\"\n",
			name, version, sha256.Sum256([]byte(content)))
	}
	mine := "version = 4\n[[package]]\nname = \"mine\"\nversion = \"0.1.0\"\n"
	see(mine, true)
	see(mine+crate("itoa", "1.0.1", "itoa-1.0.1"), true, "seed/cargo/registry/cache/reg-1/itoa-1.0.1.crate",
		"seed/cargo/registry/index/reg-1/.cache/it/oa/itoa", "seed/cargo/registry/index/reg-1/config.json")
	see(mine+crate("forged", "1.0.0", "another"), false)
	see(mine+crate("..", "1.0.0", "itoa-1.0.1")+crate("itoa", "/../../../x", "itoa-1.0.1"), false)
	see(mine+"[[package]]\nname = \"g\"\nversion = \"1.0.0\"\nsource = \"git+https://example.org/g#1\"\n", false)
}
