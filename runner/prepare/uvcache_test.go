package prepare

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUvCache: of uv's cache the wheels are taken whose noted digest the lockfile has, or that a
// requirements file names by version; no other file, and nothing that was tampered with by links.
func TestUvCache(t *testing.T) {
	cache, project := t.TempDir(), t.TempDir()
	digest := func(c string) string { return strings.Repeat(c, 64) }
	wheel := func(bucket, name, file, archive, sum string) {
		at := filepath.Join(cache, bucket, name)
		write(t, filepath.Join(at, file+".http"), "\x95\xb0"+archive+"\x91\x81\xa6Sha256\xd9\x40"+sum+"\xbf")
		write(t, filepath.Join(at, file+".msgpack"), "metadata")
		write(t, filepath.Join(cache, "archive-v0", archive, "bin"), name)
		if err := os.Symlink(filepath.Join(cache, "archive-v0", archive), filepath.Join(at, file)); err != nil {
			t.Fatal(err)
		}
	}
	wheel("wheels-v5/pypi", "six", "1.16.0-py2.py3-none-any", "AAAAAAAAAAAAAAAA", digest("a"))
	wheel("wheels-v5/pypi", "mine", "1.0-py3-none-any", "BBBBBBBBBBBBBBBB", digest("b"))
	wheel("wheels-v5/index/0123", "of-here", "2.0-py3-none-any", "CCCCCCCCCCCCCCCC", digest("c"))
	wheel("wheels-v5/pypi", "odd", "1.0-py3-none-any", "DDDDDDDDDDDDDDDD", digest("d"))
	write(t, filepath.Join(cache, "simple-v16/pypi/six.rkyv"), "versions")
	write(t, filepath.Join(cache, "simple-v16/pypi/mine.rkyv"), "versions")
	if err := os.Symlink("/etc/shadow", filepath.Join(cache, "archive-v0/DDDDDDDDDDDDDDDD/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(cache, "archive-v0/AAAAAAAAAAAAAAAA/bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	locked := func(name, source, sum string) string {
		return "\n[[package]]\nname = \"" + name + "\"\nversion = \"1\"\nsource = { " + source +
			" }\nwheels = [\n    { url = \"x\", hash = \"sha256:" + sum + "\" },\n]\n"
	}
	registry := `registry = "https://index.example"`
	six := []string{"archive-v0/AAAAAAAAAAAAAAAA/bin", "wheels-v5/pypi/six/1.16.0-py2.py3-none-any",
		"wheels-v5/pypi/six/1.16.0-py2.py3-none-any.http", "wheels-v5/pypi/six/1.16.0-py2.py3-none-any.msgpack"}
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"uv.lock", locked("six", registry, digest("a")) + locked("gone", registry, digest("9")), six},
		{"uv.lock", locked("Of_Here", registry, digest("c")), []string{"archive-v0/CCCCCCCCCCCCCCCC/bin",
			"wheels-v5/index/0123/of-here/2.0-py3-none-any", "wheels-v5/index/0123/of-here/2.0-py3-none-any.http",
			"wheels-v5/index/0123/of-here/2.0-py3-none-any.msgpack"}},
		{"uv.lock", locked("six", registry, digest("b")) + locked("mine", `virtual = "."`, digest("b")), nil},
		{"uv.lock", locked("../../etc", registry, digest("a")), nil},
		{"requirements.txt", "six==1.16.0\nmine>=1\n", append([]string{"simple-v16/pypi/six.rkyv"}, six...)},
		{"requirements.txt", "six==1.16.0 --hash=sha256:" + digest("b") + "\n", nil},
		{"requirements.txt", "six==1.1\n", nil},
	} {
		at := filepath.Join(project, c.file)
		write(t, at, c.text)
		dir := filepath.Join(t.TempDir(), "seed")
		s, _, err := Caches{Uv: cache}.Gather(project, dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if s.uv {
			got = listed(t, filepath.Join(dir, "uv"))
		}
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || s.lacks("uv sync --frozen") != (c.want == nil) {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if took, err := (Caches{Uv: cache}).uvPackage(pin{name: "odd", version: "1.0"}, dir); took || err != nil {
		t.Errorf("a wheel with a link was taken (%v)", err)
	}
	if took, err := (Caches{Uv: cache}).uvPackage(pin{name: "six", version: "1.16.0"}, dir); !took || err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(filepath.Join(dir, "wheels-v5/pypi/six/1.16.0-py2.py3-none-any/bin"))
	if err != nil || st.Mode().Perm() != 0o755 {
		t.Errorf("the link of a wheel does not lead to its files: %v", err)
	}
}
