package tree

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// files makes a manifest: "path" is a file, "path/" a directory, "path>to" a
// link, "path=content" a file with content.
func files(names ...string) sandbox.Manifest {
	var m sandbox.Manifest
	for _, n := range names {
		f := sandbox.File{Path: n, Mode: 0o644}
		if path, sum, ok := strings.Cut(n, "="); ok {
			f.Path, f.Sum, f.Size = path, sum, int64(len(sum))
		}
		if path, to, ok := strings.Cut(n, ">"); ok {
			f.Path, f.Link, f.Mode = path, to, fs.ModeSymlink|0o777
		}
		if path, ok := strings.CutSuffix(n, "/"); ok {
			f.Path, f.Mode = path, fs.ModeDir|0o755
		}
		m = append(m, f)
	}
	slices.SortFunc(m, func(a, b sandbox.File) int { return strings.Compare(a.Path, b.Path) })
	return m
}

func TestChanges(t *testing.T) {
	check := func(from, to sandbox.Manifest, want string) {
		t.Helper()
		if got := Listed(Changes(from, to)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	check(files("a", "b/", "b/c"), files("a", "b/", "b/c"), "")
	check(files("a"), files("a", "b"), `"b" (added)`)
	check(files("a", "b"), files("b"), `"a" (removed)`)
	check(files("a=1"), files("a=2"), `"a" (content)`)
	check(files("a>x"), files("a>y"), `"a" (content)`)
	check(files("a"), files("a>x"), `"a" (type)`)
	check(files("a/", "a/b"), files("a>c", "c/", "c/b"), `"a" (type), "a/b" (removed), "c" (added) and 1 more`)
	check(files(), files("empty/"), `"empty" (added)`)
	check(files(), files("~/.cache/", "~/.cache/x", "__pycache__/", "__pycache__/a.pyc", "lib/__pycache__/a.pyc"), "")
	check(files(), files("~/.config/", "~/.config/go/", "~/.config/go/telemetry/", "~/.config/go/telemetry/local/",
		"~/.config/go/telemetry/local/x"), "")
	check(files(), files("~/.config/", "~/.config/go/", "~/.config/go/env", "~/.config/go/telemetry/"),
		`"~/.config" (added), "~/.config/go" (added), "~/.config/go/env" (added)`)
	check(files(".git/", ".git/index=1", "sub/.git/index=1"), files(".git/", ".git/index=2", "sub/.git/index=2"), "")
	x := files("a")
	x[0].Mode = 0o755
	check(files("a"), x, `"a" (mode)`)
}

func TestProtected(t *testing.T) {
	check := func(g string, from, to sandbox.Manifest, want string) {
		t.Helper()
		globs := []string{Pattern(g)}
		if got := Listed(Protected(globs, Changes(from, to), from, to)); got != want {
			t.Errorf("%s: got %s, want %s", g, got, want)
		}
	}
	from, to := files("a=1", "t/", "t/x=1", "t/s/y=1", "u=1", ".git/index=1"), files("a=2", "t/", "t/x=1", "t/s/y=2",
		"t/new", "u=2", ".git/index=2")
	check("a", from, to, `"a" (content)`)
	check("./a", from, to, `"a" (content)`)
	check("/work/a", from, to, `"a" (content)`)
	check("t", from, to, `"t/new" (added), "t/s/y" (content)`)
	check("t/", from, to, `"t/new" (added), "t/s/y" (content)`)
	check("t/*", from, to, `"t/new" (added), "t/s/y" (content)`)
	check("**/y", from, to, `"t/s/y" (content)`)
	check("b", from, to, "")
	check(".git/index", from, to, `".git/index" (content)`)
	check(".git/**", from, to, "")
	check("/home/agent/x", files("~/x=1"), files(), `"~/x" (removed)`)
	check(".", files("a=1"), files(), `"a" (removed)`)
	check("/work/t/", from, to, `"t/new" (added), "t/s/y" (content)`)
	check("x/..//./a", from, to, `"a" (content)`)
	check("~", files("~/x=1"), files(), `"~/x" (removed)`)
	mode := files("a=1")
	mode[0].Mode = 0o755
	check("a", files("a=1"), mode, "")
	mode[0].Mode = 0o244 // as good as gone
	check("a", files("a=1"), mode, `"a" (mode)`)
	shut := files("d/", "d/a=1")
	shut[0].Mode = fs.ModeDir | 0o644
	check("d/a", files("d/", "d/a=1"), shut, "")
	check("d", files("d/", "d/a=1"), shut, `"d" (mode)`)
}
