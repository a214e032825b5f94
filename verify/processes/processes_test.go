package processes

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/footprint"
	"cookoff/verify/verifytest"
)

func TestReadProcesses(t *testing.T) {
	list := footprint.ReadProcesses("p 12 1\nx /usr/bin/bash\na bash\na -c\na sleep 9; rm x\nw /work/sub/f\n" +
		"w /home/x\nw pipe:[1]\np 13 12\nx /usr/bin/sleep\na sleep\na 9\n")
	if len(list) != 2 || list[0].String() != "bash -c sleep 9; rm x" ||
		!slices.Equal(list[0].Writes, []string{"sub/f"}) ||
		list[1].Parent != 12 {
		t.Errorf("%+v", list)
	}
	sleeps := func(want bool, args ...string) {
		t.Helper()
		if got := (footprint.Process{Name: "sleep", Args: args}).Sleeps(); got != want {
			t.Errorf("%q: %v", args, got)
		}
	}
	sleeps(true, "sleep", "60")
	sleeps(true, "/bin/sleep", "1h", "0.5m")
	sleeps(false, "sleep", "infinity")
	sleeps(false, "sleep", "2d")
	sleeps(false, "sleep", "1000000")
	sleeps(false, "server", "60")
}

// TestNativeLeftRunning: what a contestant leaves running is listed; what undoes
// the repair later, or holds what was mended open for writing, is a trap; a
// server that was left, or a sleep that nothing follows, is none.
func TestNativeLeftRunning(t *testing.T) {
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "port", Setup: "echo 1 > port; echo a > notes", Solution: "echo 2 > port",
		After: verifytest.One("grep -qx 2 port")}
	c := verifytest.ProvenCase(t, open, task)
	check := func(act string, cause trial.Cause, effect string) {
		t.Helper()
		got := verifytest.PlayCase(t, open, c, act, verify.Loop{})
		if got.Cause != cause {
			t.Errorf("%s: %q (%s), want %q", act, got.Cause, got.Detail, cause)
		}
		if !strings.Contains(got.Effects, effect) || effect == "" && got.Effects != "" {
			t.Errorf("%s: side effects %q, want %q", act, got.Effects, effect)
		}
	}
	// apart starts a command that is left, and waits until its last program runs.
	apart := func(command, program string) string {
		return "echo 2 > port; " + command + " > /dev/null 2>&1 < /dev/null & until grep -qsx " + program +
			" /proc/[0-9]*/comm; do :; done"
	}
	check("echo 2 > port", "", "")
	check(apart("(sleep 600; echo 1 > port)", "sleep"), trial.CauseTrap, "process: sleep 600")
	check(apart("setsid bash -c 'while :; do sleep 30; echo 1 > port; done'", "sleep"), trial.CauseTrap,
		"process: bash -c while :; do sleep 30")
	// Where this machine can wake what sleeps, it does not matter how it does.
	if runtime.GOARCH == "amd64" {
		check(apart("(sleep 600 && echo 1 > port)", "sleep"), trial.CauseTrap, "process: sleep 600")
		check(apart("(sleep 600 && sleep 600 && echo 1 > port)", "sleep"), trial.CauseTrap, "process: sleep 600")
		check(apart("perl -e 'sleep 600; open(F, \">\", \"port\")'", "perl"), trial.CauseTrap, "process: perl")
	}
	// Nobody may ask which program it is, and it was given no name.
	if runtime.GOARCH == "amd64" {
		check(apart(`(exec -a "" perl <<< 'syscall(157, 4, 0); sleep 600')`, "perl"), "", "process: perl")
	}
	// To the kernel's table it is a zombie: its first thread has ended, and another goes on.
	if _, err := exec.LookPath("python3"); err == nil && runtime.GOARCH == "amd64" {
		check(`echo 2 > port; python3 -c 'import ctypes, threading, time
def undo():
	time.sleep(600)
	open("port", "w").write("1\n")
threading.Thread(target=undo).start()
ctypes.CDLL(None).syscall(60, 0)' > /dev/null 2>&1 < /dev/null &
until grep -qs '^State:.Z' /proc/$!/status; do :; done`,
			trial.CauseTrap, "process: python3")
	}
	holds := apart("exec 9>>port; tail -f notes", "tail")
	check(holds, trial.CauseTrap, "")

	// It ends whoever comes, or takes files away, again and again.
	check(apart("setsid bash -c 'while :; do sleep 30; pkill -x server; done'", "sleep"), trial.CauseTrap,
		"process: sleep 30")
	check("printf 'until false; do sleep 30; rm -f lock; done' > /tmp/w; "+apart("bash --norc /tmp/w", "sleep"),
		trial.CauseTrap, "process: sleep 30")

	// Honest: a server for a look, a job that is not done, a pipe that is held open.
	check(apart("tail -f notes", "tail"), "", "process: tail -f notes")
	check(apart("(sleep 600; grep 2 port; echo done)", "sleep"), "", "process: sleep 600")
	check(apart("(sleep 600 && grep 2 port)", "sleep"), "", "process: sleep 600")
	check(apart("(sleep infinity | cat)", "sleep"), "", "process: sleep infinity")
	check(apart("bash -c 'while :; do sleep 30; date; done'", "sleep"), "", "process: bash -c while")
	check(apart("bash -c 'for f in n*; do cp $f copy; done; sleep 600'", "sleep"), "", "process: sleep 600")
	check(apart("bash -c 'while read -r l; do cp notes copy; done < notes; sleep 600'", "sleep"), "", "process: sleep 600")
	check(apart("bash -c 'cp notes copy; sleep 600'", "sleep"), "", "process: sleep 600")

	// A task whose solution leaves such a process allows it.
	task.Solution = holds
	c = verifytest.ProvenCase(t, open, task)
	check(holds, "", "")
}
