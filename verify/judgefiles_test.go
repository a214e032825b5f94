package verify

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/verify/footprint"
)

// TestLaidOver wants tests that the contestant wrote into a package of the
// judge's to make room: two of one name would not be built.
func TestLaidOver(t *testing.T) {
	file := func(p string) sandbox.File { return sandbox.File{Path: p, Mode: fs.FileMode(0o644)} }
	s := &Start{Start: footprint.Start{Files: sandbox.Manifest{file("a/a.go"), file("a/old_test.go")}}}
	final := sandbox.Manifest{
		file("a/a.go"), file("a/judge_test.go"), file("a/mine.go"), file("a/mine_test.go"), file("a/old_test.go"),
		file("a/sub/mine_test.go"), file("b/mine_test.go"),
	}
	c := &Case{}
	if got := c.judgeFiles.over(s, final); got != nil {
		t.Errorf("with no files of the judge's: %v", got)
	}
	c.SetJudgeFiles([]sandbox.Item{{Path: "a/judge_test.go", Data: []byte("package a")}, {Path: "b/data.txt"}})
	s.goTests = []sandbox.Item{{Path: "a/gone_test.go"}, {Path: "a/changed_test.go"}, {Path: "a/old_test.go"}}
	changed := file("a/changed_test.go")
	s.Files = append(s.Files, file("a/gone_test.go"), changed)
	slices.SortFunc(s.Files, func(a, b sandbox.File) int { return strings.Compare(a.Path, b.Path) })
	changed.Sum = "another"
	final = slices.Insert(final, 1, changed)
	var gone, back []string
	for _, it := range c.judgeFiles.over(s, final)[2:] {
		if it.Gone {
			gone = append(gone, it.Path)
		} else {
			back = append(back, it.Path)
		}
	}
	if want := []string{"a/gone_test.go", "a/changed_test.go"}; !slices.Equal(back, want) {
		t.Errorf("brought back: %q, want %q", back, want)
	}
	if want := []string{"a/mine_test.go"}; !slices.Equal(gone, want) {
		t.Errorf("left out: %q, want %q", gone, want)
	}
}
