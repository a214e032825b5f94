package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSnapshot(t *testing.T) {
	src, dst := t.TempDir(), filepath.Join(t.TempDir(), "new")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string, mode fs.FileMode) {
		t.Helper()
		p := filepath.Join(src, path)
		must(os.MkdirAll(filepath.Dir(p), 0o755))
		must(os.WriteFile(p, []byte(text), mode))
		must(os.Chmod(p, mode))
	}
	write("a.sh", "run", 0o755)
	write("d/private", "p", 0o600)
	write(".cookoff/runs/x", "x", 0o644)
	write("d/.cookoff", "kept", 0o644)
	write("secrets/.env", "k", 0o644)
	write("node_modules/x/y", "y", 0o644)
	must(os.Symlink("/etc/passwd", filepath.Join(src, "link")))
	must(os.Symlink("nowhere", filepath.Join(src, "d/dangling")))
	must(os.Chmod(filepath.Join(src, "d"), 0o555))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(src, "d"), 0o755); _ = os.Chmod(filepath.Join(dst, "d"), 0o755) })
	old := time.Unix(1_000_000_000, 0)
	must(os.Chtimes(filepath.Join(src, "a.sh"), old, old))

	must(Snapshot(t.Context(), src, dst, []string{"**/.env", "node_modules"}))
	var got []string
	must(filepath.WalkDir(dst, func(path string, d fs.DirEntry, err error) error {
		must(err)
		rel, _ := filepath.Rel(dst, path)
		info, err := d.Info()
		must(err)
		link, _ := os.Readlink(path)
		got = append(got, strings.TrimSpace(rel+" "+info.Mode().String()+" "+link))
		return nil
	}))
	want := `. drwxr-xr-x
a.sh -rwxr-xr-x
d dr-xr-xr-x
d/.cookoff -rw-r--r--
d/dangling Lrwxrwxrwx nowhere
d/private -rw-------
link Lrwxrwxrwx /etc/passwd
secrets drwxr-xr-x`
	if g := strings.Join(got, "\n"); g != want {
		t.Errorf("copied\n%s\nwant\n%s", g, want)
	}
	if b, _ := os.ReadFile(filepath.Join(dst, "a.sh")); string(b) != "run" {
		t.Errorf("content %q", b)
	}
	if st, err := os.Stat(filepath.Join(dst, "a.sh")); err != nil || !st.ModTime().Equal(old) {
		t.Errorf("time %v %v", st.ModTime(), err)
	}
}

func TestSnapshotRefuses(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "f"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	check := func(want, src, dst string, exclude ...string) {
		t.Helper()
		if err := Snapshot(t.Context(), src, dst, exclude); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q to %q: %v, want %q", src, dst, err, want)
		}
	}
	check("not an empty directory", full, full)
	check("no such file", filepath.Join(full, "gone"), filepath.Join(t.TempDir(), "x"))
	check("not a directory", filepath.Join(full, "f"), filepath.Join(t.TempDir(), "x"))
	check("not a valid glob", full, filepath.Join(t.TempDir(), "x"), "[")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Snapshot(ctx, full, filepath.Join(t.TempDir(), "x"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
