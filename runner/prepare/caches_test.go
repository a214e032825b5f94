package prepare

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func listed(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			out = append(out, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestGather: of the user's caches, only what lockfiles name is taken, and only where
// it has the digest that they have.
func TestGather(t *testing.T) {
	cache, project := t.TempDir(), t.TempDir()
	for _, name := range []string{"ex.org/!big/@v/v1.0.0", "ex.org/other/@v/v1.0.0", "ex.org/wrong/@v/v1.0.0"} {
		at := filepath.Join(cache, "go", "cache", "download", name)
		write(t, at+".info", "{}")
		write(t, at+".mod", "module")
		write(t, at+".zip", "zip")
		write(t, at+".ziphash", "h1:right")
	}
	sum := sha512.Sum512([]byte("package"))
	h := hex.EncodeToString(sum[:])
	content := filepath.Join("_cacache", "content-v2", "sha512", h[:2], h[2:4], h[4:])
	write(t, filepath.Join(cache, "npm", content), "package")
	write(t, filepath.Join(cache, "npm", "_cacache", "content-v2", "sha512", "00", "00", "private"), "mine")
	c := Caches{Go: filepath.Join(cache, "go"), Npm: filepath.Join(cache, "npm")}
	see := func(whole bool, want ...string) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "seed")
		_, all, err := c.Gather(project, dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if _, err := os.Stat(dir); err == nil {
			got = listed(t, dir)
		}
		if all != whole || !slices.Equal(got, want) {
			t.Errorf("whole %v, %q; want %v, %q", all, got, whole, want)
		}
	}
	one := sha256.Sum256(fmt.Appendf(nil, "%x  go.mod\n", sha256.Sum256([]byte("module"))))
	modSum := base64.StdEncoding.EncodeToString(one[:])
	write(t, filepath.Join(cache, "wheels", "a-1-py3-none-any.whl"), "wheel")
	write(t, filepath.Join(cache, "wheels", "b-2.tar.gz"), "source")
	write(t, filepath.Join(cache, "wheels", "id_rsa"), "private")
	if err := os.Symlink("id_rsa", filepath.Join(cache, "wheels", "link.whl")); err != nil {
		t.Fatal(err)
	}
	c.Wheels = []string{filepath.Join(cache, "none"), filepath.Join(cache, "wheels")}
	see(true)
	write(t, filepath.Join(project, "requirements.txt"), "a\n")
	see(true, "wheels/a-1-py3-none-any.whl", "wheels/b-2.tar.gz")
	c.Wheels = nil
	write(t, filepath.Join(project, "go.sum"), "ex.org/Big v1.0.0 h1:right\nex.org/Big v1.0.0/go.mod h1:"+modSum+"\n")
	big := []string{"go/ex.org/!big/@v/v1.0.0.info", "go/ex.org/!big/@v/v1.0.0.mod", "go/ex.org/!big/@v/v1.0.0.zip"}
	see(true, big...)
	lock := `{"packages": {"": {}, "node_modules/a": {"integrity": "sha512-%s"}, "lib": {}, "node_modules/lib": {"link": true}}}`
	write(t, filepath.Join(project, "package-lock.json"), fmt.Sprintf(lock, base64.StdEncoding.EncodeToString(sum[:])))
	see(true, append(slices.Clone(big), filepath.Join("npm", content))...)
	other := sha512.Sum512(nil)
	write(t, filepath.Join(project, "package-lock.json"),
		fmt.Sprintf(lock, base64.StdEncoding.EncodeToString(other[:])))
	see(false, big...)
	write(t, filepath.Join(project, "go.sum"), "ex.org/wrong v1.0.0 h1:another\n../../../etc/x v1 h1:right\n")
	see(false)
}

// TestLacks: what only a network can give is not tried without one.
func TestLacks(t *testing.T) {
	check := func(want bool, s seed, commands ...string) {
		t.Helper()
		for _, c := range commands {
			if s.lacks(c) != want {
				t.Errorf("%q with %+v: %v", c, s, !want)
			}
		}
	}
	check(true, seed{}, "python3 -m venv .venv && .venv/bin/pip install -q -e . pytest",
		"uv sync", "npm install", "poetry install")
	check(true, seed{npm: true}, "npm ci && pip3 install x")
	check(false, seed{npm: true}, "npm ci")
	check(false, seed{wheels: true}, "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt")
	check(true, seed{wheels: true}, "poetry install", "npm ci && pip install x")
	check(false, seed{}, "make vendor", "go mod download", "cargo fetch --locked", "pip install --no-index -f wheels x",
		"mvn -o -q test-compile", "mkdir pipes; cp -r /opt/npm .", "pip install wheels/*.whl")
}
