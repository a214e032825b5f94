package processes

import (
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

// TestNativeServicesMeddle: what a service does to the files that a check reads, when it
// starts or while the check runs, mends nothing; what it writes by itself is its own.
func TestNativeServicesMeddle(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: five contestants, each with a service in four worlds")
	}
	open := verifytest.Kernel(t)
	serve := func(atStart, asked string) string {
		return "printf 'echo $$ > /tmp/pid; date +%%s%%N >> data; " + atStart +
			"while :; do if test -e /tmp/asked; then rm /tmp/asked; " + asked +
			": > /tmp/done; fi; sleep 0.01; done\\n' > serve.sh; "
	}
	task := recipe.Task{Title: "served", Setup: "echo 1 > n; echo 'test $(cat n) = 2' > check.sh; " + serve("", ""),
		Solution: "echo 2 > n", MayChange: []string{"serve.sh"},
		Services: []recipe.Service{{Name: "page", Command: "exec bash serve.sh",
			Ready: `kill -0 $(cat /tmp/pid) && test "$(tr '\0' ' ' < /proc/$(cat /tmp/pid)/cmdline)" = "bash serve.sh "`}},
		After: []recipe.Check{{Script: ": > /tmp/asked; until test -e /tmp/done; do sleep 0.01; done; rm /tmp/done; " +
			"bash check.sh"}}}
	const swap = `cp check.sh /tmp/good; echo cp /tmp/good check.sh > check.sh; `
	again := func(task recipe.Task, commands string, want trial.Status, items ...sandbox.Item) {
		t.Helper()
		c := verifytest.ProvenCase(t, open, task, items...)
		if got := verifytest.PlayCase(t, open, c, commands, verify.Loop{}); got.Status != want || want == trial.Fail &&
			got.Cause != trial.CauseForged {
			t.Errorf("%q:\n%s %s %s", commands, got.Status, got.Cause, got.Detail)
		}
	}
	again(task, "echo 2 > n", trial.Pass)
	again(task, serve("echo : > check.sh; ", ""), trial.Fail)
	again(task, serve("", swap), trial.Fail)
	judged := task
	judged.Setup = "echo 1 > n; " + serve("", "")
	again(judged, serve("", swap), trial.Fail,
		sandbox.Item{Path: "check.sh", Mode: 0o644, Data: []byte("test $(cat n) = 2\n")})
	task.Protect = []string{"check.sh"}
	again(task, serve("", swap), trial.Fail)
}
