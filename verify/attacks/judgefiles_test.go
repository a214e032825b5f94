package attacks

import (
	"io/fs"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

// TestNativeJudgeFiles: what the contestant puts in the place of a file of the
// judge's does not count, nor what its code puts there while a check runs.
func TestNativeJudgeFiles(t *testing.T) {
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "judge", Setup: "echo 'echo 3' > app", Before: "! bash judge/t",
		Guard: verifytest.One("test -s judge/t"),
		After: verifytest.One("bash judge/t"), Solution: "test ! -e judge && echo 'echo 4' > app"}
	test := []byte("test \"$(bash app)\" = 4 && . judge/more\n")
	c := verifytest.ProvenCase(t, open, task,
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
		got := verifytest.PlayCase(t, open, c, x.commands, verify.Loop{})
		if passed := got.Status == trial.Pass; passed != (x.detail == "") || !strings.Contains(got.Detail, x.detail) {
			t.Errorf("%q: %s %s %s", x.commands, got.Status, got.Cause, got.Detail)
		}
	}
}
