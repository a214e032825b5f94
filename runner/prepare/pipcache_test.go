package prepare

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// wheel makes the bytes of a wheel.
func wheel(t *testing.T, name, version, tags, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for file, text := range map[string]string{name + ".py": content, name + "-" + version + ".dist-info/WHEEL": tags} {
		w, err := z.Create(file)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPipCache: of what pip keeps the wheels are taken that requirements name, by name and
// version and, where they say one, by digest; each under the name that its own tags make.
func TestPipCache(t *testing.T) {
	cache, project := t.TempDir(), t.TempDir()
	pure := "Wheel-Version: 1.0\nTag: py2-none-any\nTag: py3-none-any\n"
	good := wheel(t, "Good_One", "1.0", pure, "x = 1")
	write(t, filepath.Join(cache, "http-v2/a/b/1.body"), good)
	write(t, filepath.Join(cache, "http-v2/a/b/1"), "what the server said")
	write(t, filepath.Join(cache, "http-v2/a/b/2.body"), wheel(t, "changed", "1.0", pure, "x = 2"))
	write(t, filepath.Join(cache, "http-v2/a/b/3.body"), wheel(t, "unnamed", "1.0", pure, "x = 1"))
	write(t, filepath.Join(cache, "http-v2/a/b/4.body"), wheel(t, "older", "1.0", pure, "x = 1"))
	native := "Build: 2\nTag: cp311-cp311-manylinux_2_17_x86_64\nTag: cp311-cp311-manylinux2014_x86_64\n"
	write(t, filepath.Join(cache, "http-v2/a/b/5.body"), wheel(t, "native", "2.0", native, "x = 1"))
	write(t, filepath.Join(cache, "http-v2/a/b/6.body"), wheel(t, "odd", "1.0", "Tag: ../../x-y-z\n", "x = 1"))
	write(t, filepath.Join(cache, "wheels/a/made-1.0-py3-none-any.whl"), wheel(t, "made", "1.0", pure, "x = 1"))
	write(t, filepath.Join(cache, "wheels/a/madetoo-1.0-py3-none-any.whl"), wheel(t, "madetoo", "1.0", pure, "x = 1"))
	sum := func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
	write(t, filepath.Join(project, "requirements.txt"),
		"# all\ngood-one==1.0 \\\n    --hash=sha256:"+sum(good)+" \\\n"+
			"    --hash=sha256:"+sum("another")+"\nchanged==1.0 --hash=sha256:"+sum("what it was")+"\nolder==1.1\n"+
			"Native[extra]==2.0 ; python_version > '3'\nodd==1.0\nmade==1.0\nmadetoo==1.0 --hash=sha256:"+
			sum("sdist")+"\nloose>=1\n")
	dir := t.TempDir()
	s, whole, err := Caches{Pip: cache}.Gather(project, dir)
	if err != nil || !whole || !s.wheels {
		t.Fatal(s, whole, err)
	}
	list, err := os.ReadDir(filepath.Join(dir, "wheels"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
	}
	want := []string{"Good_One-1.0-py2.py3-none-any.whl", "made-1.0-py2.py3-none-any.whl",
		"native-2.0-2-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	if s.lacks("pip install -r requirements.txt") {
		t.Error("a network is opened at once")
	}
}
