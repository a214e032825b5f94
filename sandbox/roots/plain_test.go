package roots

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlain: an archive of a root's own files is one, packed or not, with names as tar of "." writes them; what has no
// shell is none, and says what would be one.
func TestPlain(t *testing.T) {
	written := func(packed bool, entries ...entry) string {
		t.Helper()
		r, err := layerOf(t, entries...).Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "root.tar")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		to := io.WriteCloser(f)
		if packed {
			to = gzip.NewWriter(f)
			defer to.Close()
		}
		if _, err := io.Copy(to, r); err != nil {
			t.Fatal(err)
		}
		return path
	}
	shell := bash()
	shell.name = "./" + shell.name
	files := []entry{{"./", tar.TypeDir, "", 0}, shell, {"./etc/deep/x", tar.TypeReg, "y", 0o644}}
	for _, packed := range []bool{false, true} {
		root, err := store(t).open(t.Context(), written(packed, files...))
		if err != nil {
			t.Fatalf("packed %v: %v", packed, err)
		}
		if got := held(t, root); got != "bin/bash=#! etc/deep/x=y" {
			t.Errorf("packed %v: %s", packed, got)
		}
	}
	_, err := store(t).open(t.Context(), written(false, files[0], files[2]))
	if err == nil || !strings.Contains(err.Error(), "bin/bash, as docker export and tar of a directory do") {
		t.Errorf("no shell: %v", err)
	}
	files[2].name = "../x"
	if _, err := store(t).open(t.Context(), written(false, files...)); err == nil {
		t.Error("a name that leads out was taken")
	}
}
