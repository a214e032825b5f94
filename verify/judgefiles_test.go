package verify

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
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
	if got := c.laid.over(s, final); got != nil {
		t.Errorf("with no files of the judge's: %v", got)
	}
	c.Lay([]sandbox.Item{{Path: "a/judge_test.go", Data: []byte("package a")}, {Path: "b/data.txt"}})
	s.goTests = []sandbox.Item{{Path: "a/gone_test.go"}, {Path: "a/changed_test.go"}, {Path: "a/old_test.go"}}
	changed := file("a/changed_test.go")
	s.Files = append(s.Files, file("a/gone_test.go"), changed)
	slices.SortFunc(s.Files, func(a, b sandbox.File) int { return strings.Compare(a.Path, b.Path) })
	changed.Sum = "another"
	final = slices.Insert(final, 1, changed)
	var gone, back []string
	for _, it := range c.laid.over(s, final)[2:] {
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

// TestNativeJudgeFiles: what the contestant puts in the place of a file of the
// judge's does not count, nor what its code puts there while a check runs.
func TestNativeJudgeFiles(t *testing.T) {
	open := kernel(t)
	task := recipe.Task{Title: "judge", Setup: "echo 'echo 3' > app", Before: "! bash judge/t",
		Guard: one("test -s judge/t"),
		After: one("bash judge/t"), Solution: "test ! -e judge && echo 'echo 4' > app"}
	test := []byte("test \"$(bash app)\" = 4 && . judge/more\n")
	c := provenCase(t, open, task,
		sandbox.Item{Path: "judge", Mode: fs.ModeDir | 0o755},
		sandbox.Item{Path: "judge/t", Mode: 0o644, Data: test, Size: int64(len(test))},
		sandbox.Item{Path: "judge/more", Mode: 0o644, Data: []byte("test -s app\n"), Size: 12})
	for _, x := range []struct{ commands, detail string }{
		{"echo 'expr 2 + 2' > app", ""},
		{"echo 'echo 4' > app; mkdir judge; echo false > judge/t", ""},
		{"mkdir judge; echo true > judge/t; chmod 444 judge/t; chmod 555 judge", "exit status 1"},
		{"ln -s /tmp judge", "exit status 1"},
		{"echo 'echo 4; echo true > judge/more' > app", "the judge's file judge/more was changed while the check ran"},
	} {
		got := playCase(t, open, c, x.commands, Loop{})
		if passed := got.status == trial.Pass; passed != (x.detail == "") || !strings.Contains(got.detail, x.detail) {
			t.Errorf("%q: %s %s %s", x.commands, got.status, got.cause, got.detail)
		}
	}
}
