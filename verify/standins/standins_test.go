package standins

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// manifest has files of these paths, and directories of those that end in a slash.
func manifest(paths string) (m sandbox.Manifest) {
	for _, p := range strings.Fields(paths) {
		mode := fs.FileMode(0o644)
		if dir, is := strings.CutSuffix(p, "/"); is {
			p, mode = dir, fs.ModeDir|0o755
		}
		m = append(m, sandbox.File{Path: p, Mode: mode})
	}
	slices.SortFunc(m, func(a, b sandbox.File) int { return strings.Compare(a.Path, b.Path) })
	return m
}

func TestAdded(t *testing.T) {
	check := func(from, added, want string) {
		t.Helper()
		if got := strings.Join(Added(manifest(from), manifest(from+" "+added)), " "); got != want {
			t.Errorf("%s beside %s: %q, want %q", added, from, got, want)
		}
	}
	check("Makefile", "makefile", "makefile")
	check("a/makefile", "a/GNUmakefile", "a/GNUmakefile")
	check("a/Makefile", "makefile", "")
	check("go.mod", "go.work go.work.sum", "go.work")
	check("a/go.mod", "go.work", "go.work")
	check("main.c", "go.work", "")
	check("go.mod", "vendor/ vendor/modules.txt", "vendor")
	check("a/go.mod", "vendor/ b/vendor/", "")
	check("go.mod vendor/", "vendor/x/", "")
	const chai = "node_modules/ node_modules/chai/ node_modules/@a/ node_modules/@a/b/"
	check(chai, "test/node_modules/ test/node_modules/chai/ test/node_modules/chai/index.js", "test/node_modules/chai")
	check(chai, "src/x/node_modules/@a/ src/x/node_modules/@a/b/", "src/x/node_modules/@a/b")
	check(chai, "node_modules/other/ test/node_modules/ test/node_modules/other/", "")
	check(chai, "node_modules/other/node_modules/ node_modules/other/node_modules/chai/", "")
	check("lib/checks/__init__.py", "checks.py", "checks.py")
	check("lib/checks.py", "tests/ tests/checks/ tests/checks/__init__.py", "tests/checks")
	check("lib/checks.py shop/__init__.py", "shop/checks.py", "")
	check("src/checks.py", "checks.py", "")
	check("a.go", "a_test.go b/ b/x_test.go/ b/test_x.py src/x.spec.ts ~/x_test.go latest.py",
		"a_test.go b/test_x.py src/x.spec.ts")
	check("tests/a_test.sh", "tests/data/ tests/data/x.json tests/b.want tests/conftest.py tests/sub/ "+
		"tests/sub/.npmrc src/x.json",
		"tests/b.want tests/data/x.json")
	if got := Added(manifest("a.test.js b.test.js"), manifest("a.test.mjs b.test.js")); len(got) > 0 {
		t.Errorf("a test that was moved: %q", got)
	}
}
