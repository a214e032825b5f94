package verify

import (
	"io/fs"
	"slices"
	"testing"

	"cookoff/sandbox"
)

// TestLaidOver wants tests that the contestant wrote into a package of the
// judge's to make room: two of one name would not be built.
func TestLaidOver(t *testing.T) {
	file := func(p string) sandbox.File { return sandbox.File{Path: p, Mode: fs.FileMode(0o644)} }
	s := &Start{manifest: sandbox.Manifest{file("a/a.go"), file("a/old_test.go")}}
	final := sandbox.Manifest{
		file("a/a.go"), file("a/judge_test.go"), file("a/mine.go"), file("a/mine_test.go"), file("a/old_test.go"),
		file("a/sub/mine_test.go"), file("b/mine_test.go"),
	}
	c := &Case{}
	if got := c.laidOver(s, final); got != nil {
		t.Errorf("with no files of the judge's: %v", got)
	}
	c.Lay([]sandbox.Item{{Path: "a/judge_test.go", Data: []byte("package a")}, {Path: "b/data.txt"}})
	var gone []string
	for _, it := range c.laidOver(s, final) {
		if it.Gone {
			gone = append(gone, it.Path)
		}
	}
	if want := []string{"a/mine_test.go"}; !slices.Equal(gone, want) {
		t.Errorf("left out: %q, want %q", gone, want)
	}
}
