package tree

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/trees"
)

// lay writes files by their names, and gives the directory.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o640}
	}
	if err := os.CopyFS(dir, all); err != nil {
		t.Fatal(err)
	}
	return dir
}

// counted counts what is written.
type counted struct {
	net.Conn
	n int
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.n += n
	return n, err
}

// move sends a directory into a cache whose machine sees it at a path, and gives where it
// is and how many bytes went over.
func move(t *testing.T, c *Cache, dir, at string) (got string, bytes int, err error) {
	t.Helper()
	l, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, b := net.Pipe()
	from := &counted{Conn: a}
	sent := make(chan error, 1)
	go func() { sent <- Send(from, dir, l) }()
	l2, err := ReceiveList(b)
	if err == nil {
		got, err = Receive(b, c, l2, at)
	}
	b.Close()
	if serr := <-sent; err == nil && serr != nil {
		t.Error(serr)
	}
	if err == nil {
		if there, rerr := Read(got); rerr != nil || there.Digest() != l.Digest() {
			t.Errorf("it arrives as %v, %v; it was %v", there, rerr, l)
		}
	}
	return got, from.n, err
}

// TestMove: a tree arrives as it was, and what some tree has does not travel again.
func TestMove(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 40<<10)
	dir := lay(t, map[string]string{"a/big": big, "b": "small", "empty": ""})
	if err := errors.Join(os.Symlink("a/big", filepath.Join(dir, "link")),
		os.Symlink("/etc", filepath.Join(dir, "out")),
		os.Chmod(filepath.Join(dir, "b"), 0o755), os.Mkdir(filepath.Join(dir, "sticky"), 0o700),
		os.Chmod(filepath.Join(dir, "a"), 0o500)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "a"), 0o700) }) // else it can't be removed
	c := &Cache{Dir: filepath.Join(t.TempDir(), "c"), Limit: 1 << 30}
	t.Cleanup(func() { _ = trees.Remove(c.Dir) })
	if _, n, err := move(t, c, dir, ""); err != nil || n < len(big) {
		t.Errorf("%d bytes moved, %v", n, err)
	}
	again := lay(t, map[string]string{"elsewhere": big, "twice": big, "b": "other"})
	if _, n, err := move(t, c, again, ""); err != nil || n > len(big)/10 {
		t.Errorf("%d bytes moved of what the cache has, %v", n, err)
	}
}

// TestShared: what the machine sees at the other end's path does not travel; what is
// something else there does, and nobody waits for a pipe.
func TestShared(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 40<<10)
	files := map[string]string{"a/big": big, "b": "small"}
	for name, c := range map[string]struct {
		at     func(dir, other string) string
		spoil  func(other string) error
		moving bool
	}{
		"seen":         {at: func(dir, _ string) string { return dir }},
		"not there":    {at: func(dir, _ string) string { return dir + "-none" }, moving: true},
		"not absolute": {at: func(string, string) string { return "." }, moving: true},
		"another of that size": {spoil: func(other string) error {
			return os.WriteFile(other+"/a/big", bytes.ToUpper([]byte(big)), 0o600)
		}, moving: true},
		"a pipe": {spoil: func(other string) error {
			return errors.Join(os.Remove(other+"/a/big"), unix.Mkfifo(other+"/a/big", 0o600))
		}, moving: true},
		"a link": {spoil: func(other string) error {
			return errors.Join(os.Rename(other+"/a/big", other+"/x"), os.Symlink("../x", other+"/a/big"))
		}, moving: true},
		"alike": {at: func(_, other string) string { return other }},
	} {
		t.Run(name, func(t *testing.T) {
			dir, other := lay(t, files), lay(t, files)
			at := other
			if c.spoil != nil {
				if err := c.spoil(other); err != nil {
					t.Fatal(err)
				}
			} else {
				at = c.at(dir, other)
			}
			cache := &Cache{Dir: filepath.Join(t.TempDir(), "c"), Limit: 1 << 30}
			if _, n, err := move(t, cache, dir, at); err != nil || (n > len(big)) != c.moving {
				t.Errorf("%d bytes moved, %v", n, err)
			}
		})
	}
}

// TestHostileList: no list leads out of its tree, names a file twice, or keeps what has
// another sum than was said.
func TestHostileList(t *testing.T) {
	sum, _, err := sumOf(filepath.Join(lay(t, map[string]string{"a": "text"}), "a"))
	if err != nil {
		t.Fatal(err)
	}
	top := Entry{Path: ".", Mode: fs.ModeDir | 0o755}
	file := func(path string) Entry { return Entry{Path: path, Mode: 0o644, Size: 4, Sum: sum} }
	link := Entry{Path: "l", Mode: fs.ModeSymlink | 0o777, Link: "/"}
	for name, l := range map[string]List{
		"nothing": {}, "no top": {file("a")}, "upwards": {top, file("../a")}, "absolute": {top, file("/tmp/a")},
		"through a link": {top, link, file("l/a")},
		"a link upwards": {top, {Path: "l", Mode: fs.ModeSymlink, Link: ".."}, file("l/a")},
		"twice":          {top, file("a"), file("a")}, "a device": {top, {Path: "d", Mode: fs.ModeDevice | 0o600}},
		"a sum":   {top, {Path: "a", Mode: 0o644, Size: 4, Sum: "x"}},
		"longer":  {top, {Path: "a", Mode: 0o644, Size: 3, Sum: sum}},
		"shorter": {top, {Path: "a", Mode: 0o644, Size: 5, Sum: sum}},
		"a size":  {top, {Path: "a", Mode: 0o644, Size: -1, Sum: sum}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Cache{Dir: filepath.Join(t.TempDir(), "c"), Limit: 1 << 30}
			at, err := c.Put(l,
				func(Entry) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("text")), nil })
			if left, _ := os.ReadDir(c.Dir); err == nil || len(left) > 0 {
				t.Errorf("it is kept at %q, beside %v", at, left)
			}
			if left, _ := os.ReadDir(filepath.Dir(c.Dir)); len(left) > 1 {
				t.Errorf("beside the cache there is %v", left)
			}
		})
	}
}

// TestCacheLimit: what was used longest ago is removed first, and nothing that is used.
func TestCacheLimit(t *testing.T) {
	c := &Cache{Dir: filepath.Join(t.TempDir(), "c"), Limit: 250}
	put := func(c *Cache, text string) string {
		at, _, err := move(t, c, lay(t, map[string]string{"a": strings.Repeat(text, 100)}), "")
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	other := &Cache{Dir: c.Dir, Limit: c.Limit} // of a process that has ended
	old, used := put(other, "a"), put(c, "b")
	for _, f := range other.held {
		f.Close()
	}
	for range 2 {
		put(c, "c")
		put(c, "d")
	}
	_, gone := os.Stat(old)
	if _, err := os.Stat(used); err != nil || !errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("what is used: %v; what is not: %v", err, gone)
	}
}
