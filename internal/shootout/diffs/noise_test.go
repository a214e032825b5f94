package diffs

import (
	"strings"
	"testing"

	"cookoff/trial/final"
)

// TestCachesAreFolded: what tools cache in HOME is one entry at the end; a cache
// in the project, and what else changed in HOME, is shown.
func TestCachesAreFolded(t *testing.T) {
	version := func(text string) *final.File {
		v := &final.File{Mode: 0o644}
		v.Keep([]byte(text))
		return v
	}
	s := &final.State{}
	for _, path := range []string{"a.go", "lib/__pycache__/a.pyc", "~/.bashrc", "~/.cache/go-build/00/x-a",
		"~/.cache/go-build/01/y-d", "~/.npm/_cacache/x", "~/lib/__pycache__/b.pyc"} {
		s.Changes = append(s.Changes, final.Change{Path: path, After: version("x\n")})
	}
	files := Of(s)
	var got []string
	for _, f := range files {
		got = append(got, f.Path)
	}
	if strings.Join(got, " ") != "a.go lib/__pycache__/a.pyc ~/.bashrc ~" {
		t.Fatalf("%q", got)
	}
	var lines []string
	for _, l := range files[3].Lines {
		lines = append(lines, l.Text)
	}
	if got := strings.Join(lines,
		"; "); got != "4 changes in caches of tools, in HOME; ~/.cache/go-build: 2; ~/.npm: 1; ~/…/__pycache__: 1" {
		t.Errorf("%s", got)
	}
	for _, p := range Beside(s, &final.State{}) {
		if strings.HasPrefix(p.Path, "~/.cache") {
			t.Errorf("beside another: %s", p.Path)
		}
	}
}
