package prepare

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sri is a digest as lockfiles of npm's kind have it, and as pnpm's store writes it.
func sri(text string) (digest, hexed string) {
	sum := sha512.Sum512([]byte(text))
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:]), hex.EncodeToString(sum[:])
}

// TestPnpmStore: of pnpm's store the packages of a lockfile are taken, in either layout, with
// the files that have their digests and nothing that was built here.
func TestPnpmStore(t *testing.T) {
	store, project := t.TempDir(), t.TempDir()
	c := Caches{Pnpm: store}
	code, codeHex := sri("code")
	tool, toolHex := sri("tool")
	bad, badHex := sri("what it was")
	write(t, filepath.Join(store, "v10/files", codeHex[:2], codeHex[2:]), "code")
	write(t, filepath.Join(store, "v10/files", toolHex[:2], toolHex[2:]+"-exec"), "tool")
	write(t, filepath.Join(store, "v10/files", badHex[:2], badHex[2:]), "what it is")
	write(t, filepath.Join(store, "v3/files", codeHex[:2], codeHex[2:]), "code")
	write(t, filepath.Join(store, "v10/files/00/private"), "mine")
	pack, packHex := sri("a.tgz")
	files := fmt.Sprintf(`{"index.js": {"integrity": %q, "mode": 420}, "cli": {"integrity": %q, "mode": 493}}`, code,
		tool)
	write(t, filepath.Join(store, "v10/index", packHex[:2], packHex[2:64]+"-a@1.0.0.json"),
		`{"name": "a", "files": `+files+`, "sideEffects": {"linux": {}}}`)
	old, oldHex := sri("old.tgz")
	write(t, filepath.Join(store, "v3/files", oldHex[:2], oldHex[2:]+"-index.json"),
		fmt.Sprintf(`{"files": {"index.js": {"integrity": %q, "mode": 420}}}`, code))
	wrong, wrongHex := sri("wrong.tgz")
	write(t, filepath.Join(store, "v10/index", wrongHex[:2], wrongHex[2:64]+"-w@1.0.0.json"),
		fmt.Sprintf(`{"files": {"index.js": {"integrity": %q, "mode": 420}}}`, bad))
	see := func(lock string, whole bool, want ...string) {
		t.Helper()
		write(t, filepath.Join(project, "pnpm-lock.yaml"), lock)
		dir := filepath.Join(t.TempDir(), "seed")
		s, all, err := c.Gather(project, dir)
		if err != nil || all != whole || whole && s.lacks("pnpm install --frozen-lockfile") {
			t.Fatalf("whole %v (%v)", all, err)
		}
		if s.dir == "" {
			return
		}
		got := listed(t, dir)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
	entry := func(digest string) string {
		return "  x@1.0.0:\n    resolution: {integrity: " + digest + "}\n    engines: {node: '>=4'}\n"
	}
	head := "lockfileVersion: '9.0'\n\npackages:\n\n"
	a := []string{"pnpm/v10/files/" + codeHex[:2] + "/" + codeHex[2:],
		"pnpm/v10/files/" + toolHex[:2] + "/" + toolHex[2:] + "-exec",
		"pnpm/v10/index/" + packHex[:2] + "/" + packHex[2:64] + "-a@1.0.0.json"}
	see(head+entry(pack), true, a...)
	see(head+entry(pack)+"  own:\n    resolution: {directory: lib, type: directory}\n", true, a...)
	see(head+entry(old), true, "pnpm/v3/files/"+codeHex[:2]+"/"+codeHex[2:],
		"pnpm/v3/files/"+oldHex[:2]+"/"+oldHex[2:]+"-index.json")
	see(head+entry(wrong), false)
	see(head+entry(bad), false)
	see(head+"  g@1.0.0:\n    resolution: {tarball: https://codeload.example/x}\n", false)
}

// TestYarnCache: of yarn's cache the archives of a lockfile are taken that have its digests.
func TestYarnCache(t *testing.T) {
	cache, project := t.TempDir(), t.TempDir()
	c := Caches{Yarn: cache}
	write(t, filepath.Join(cache, "v6/npm-is-odd-3.0.1-65101-integrity/node_modules/is-odd/.yarn-tarball.tgz"), "odd")
	write(t, filepath.Join(cache, "v6/npm-@s-p-1.0.0-651-integrity/node_modules/@s/p/.yarn-tarball.tgz"), "scoped")
	write(t, filepath.Join(cache, "v6/npm-private-3.0.1-65101-integrity/node_modules/private/.yarn-tarball.tgz"),
		"mine")
	entry := func(name, version, url, text string) string {
		digest, _ := sri(text)
		return fmt.Sprintf("\n\n%q:\n  version %q\n  resolved %q\n  integrity sha1-x= %s\n", name, version, url, digest)
	}
	odd := entry("is-odd@3", "3.0.1", "https://r.example/is-odd/-/is-odd-3.0.1.tgz#651", "odd")
	scoped := entry("@s/p@1", "1.0.0", "https://r.example/@s/p/-/p-1.0.0.tgz#651", "scoped")
	for lock, want := range map[string][]string{
		odd + scoped: {"yarn/@s-p-1.0.0.tgz", "yarn/is-odd-3.0.1.tgz"},
		entry("is-odd@3", "3.0.1", "https://r.example/is-odd/-/is-odd-3.0.1.tgz", "another"): nil,
		"\n\nx@1:\n  version \"1.0.0\"\n":   nil,
		"\n\n__metadata:\n  version: 8\n\n": nil,
	} {
		write(t, filepath.Join(project, "yarn.lock"), "# yarn lockfile v1"+lock)
		dir := filepath.Join(t.TempDir(), "seed")
		s, all, err := c.Gather(project, dir)
		if err != nil || all != (want != nil) {
			t.Errorf("%s: whole %v, %v", lock, all, err)
		}
		if want == nil {
			continue
		}
		if got := listed(t, dir); !slices.Equal(got, want) || s.lacks("yarn --frozen-lockfile") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestGoProxies: modules of directories that GOPROXY names are taken, by the digests of
// go.sum; online such a directory is replaced by what there is of it.
func TestGoProxies(t *testing.T) {
	proxy, project := t.TempDir(), t.TempDir()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	sums := ""
	for _, name := range []string{"ex.org/m@v1.0.0/a.go", "ex.org/m@v1.0.0/go.mod"} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(name))
		}
		if err != nil {
			t.Fatal(err)
		}
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(name)), name)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	one := sha256.Sum256([]byte(sums))
	mod := sha256.Sum256(fmt.Appendf(nil, "%x  go.mod\n", sha256.Sum256([]byte("module"))))
	at := filepath.Join(proxy, "ex.org/m/@v/v1.0.0")
	write(t, at+".zip", b.String())
	write(t, at+".mod", "module")
	write(t, at+".info", "{}")
	sum := "ex.org/m v1.0.0 h1:" + base64.StdEncoding.EncodeToString(one[:]) + "\nex.org/m v1.0.0/go.mod h1:" +
		base64.StdEncoding.EncodeToString(mod[:]) + "\n"
	write(t, filepath.Join(project, "go.sum"), sum)
	value := "file://" + proxy + ",https://proxy.example|direct"
	c := Caches{GoProxies: GoProxies(value)}
	dir := filepath.Join(t.TempDir(), "seed")
	s, all, err := c.Gather(project, dir)
	if got := listed(t, dir); err != nil || !all || len(got) != 3 {
		t.Errorf("%q, %v, %v", got, all, err)
	}
	terms := s.online([]string{"GOPROXY=" + value, "NO_PROXY=x"})
	if want := "GOPROXY=file://" + seedDir + "/go,https://proxy.example,direct"; !slices.Contains(terms.env, want) {
		t.Errorf("%q, want %q", terms.env, want)
	}
	if got := (seed{}).withoutDirs("GOPROXY=file://" + proxy); got != "GOPROXY=off" {
		t.Error(got)
	}
	write(t, filepath.Join(project, "go.sum"), strings.Replace(sum, "h1:", "h1:A", 1))
	if _, all, err := c.Gather(project, filepath.Join(t.TempDir(), "seed")); all || err != nil {
		t.Errorf("another digest: %v, %v", all, err)
	}
}
