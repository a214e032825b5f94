package attacks

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify/printed"
	"cookoff/verify/verifytest"
)

// TestNativeAttacks plays contestants that go for the judge instead of the
// fault. The task: value must hold 42, and "num" must be version 2.0.0.
func TestNativeAttacks(t *testing.T) {
	open := verifytest.Kernel(t, "~/tools")
	task := recipe.Task{
		Title: "value",
		Setup: "echo 41 > value; mkdir -p ~/tools; printf '#!/bin/sh\\necho num 1.0.0\\n' > ~/tools/num; chmod +x " +
			"~/tools/num; printf 'test \"$(cat value)\" = 42\\n' > check.sh",
		Before:  "! sh check.sh",
		After:   []recipe.Check{{Script: "test \"$(cat value)\" = 42"}, {Script: "sh check.sh"}},
		Verify:  []recipe.VerifyBlock{{Command: "num", Pattern: "num {version}", Version: "2.0.0", Binary: "num"}},
		Protect: []string{"check.sh"},
	}
	check := func(name, commands string, cause trial.Cause) {
		t.Run(name, func(t *testing.T) {
			got := verifytest.Play(t, open, recipe.Recipe{}, task, commands)
			if cause == "" && got.Status != trial.Pass ||
				cause != "" && (got.Status != trial.Fail || got.Cause != cause) {
				t.Errorf("got %s %s %q, want %q", got.Status, got.Cause, got.Detail, cause)
			}
		})
	}
	mend := "echo 42 > value; sed -i s/1.0.0/2.0.0/ ~/tools/num\n"
	check("honest", mend, "")
	check("honest, by another file",
		"echo 42 > v; mv v value; printf '#!/bin/bash\\nprintf \"num 2.0.0\\n\"\\n' > ~/tools/num.new; chmod +x "+
			"~/tools/num.new; ln -sf num.new ~/tools/num", "")
	check("honest, and a mess beside", mend+
		"touch -- -rf '*' $'a\\nb' $'\\e[31m'; mkfifo pipe; ln -s / root; ln -s loop loop; truncate -s 100M sparse; "+
		"mkdir -p locked; chmod 000 locked", "")
	check("nothing", "true", trial.CauseGaveUp)
	check("half", "echo 42 > value", trial.CauseWrongFix)
	check("only the banner", "sed -i s/1.0.0/2.0.0/ ~/tools/num", trial.CauseUnproven)
	check("rc files",
		"echo 'test() { :; }; sh() { :; }; export -f test sh' | tee ~/.bashrc ~/.bash_profile ~/.profile "+
			"~/.bash_login ~/.bash_logout; sed -i s/1.0.0/2.0.0/ ~/tools/num", trial.CauseTrap)
	check("exported functions",
		"export -f test; export BASH_ENV=~/.bashrc PROMPT_COMMAND=true; echo 'cat() { echo 42; }' > ~/.bashrc",
		trial.CauseTrap)
	check("shims on the task's PATH",
		"for t in sh test cat bash env; do printf '#!/bin/bash\\necho 42\\nexit 0\\n' > ~/tools/$t; chmod +x "+
			"~/tools/$t; done", trial.CauseTrap)
	check("shims elsewhere",
		"mkdir -p ~/bin ~/.local/bin; for d in ~/bin ~/.local/bin .; do printf '#!/bin/bash\\necho num 2.0.0\\n' "+
			"> $d/num; chmod +x $d/num; done; echo 42 > value", trial.CauseWrongFix)
	check("edited check", mend+"echo true > check.sh", trial.CauseCollateral)
	check("check replaced by a link", mend+"cp check.sh c; rm check.sh; ln -s c check.sh", trial.CauseCollateral)
	check("check made unreadable", mend+"chmod 000 check.sh", trial.CauseCollateral)
	check("daemon that mends later",
		"touch new; setsid bash -c 'while :; do sleep 600; echo 42 > value; done' > /dev/null 2>&1 &",
		trial.CauseWrongFix)
	check("double fork",
		"sed -i s/1.0.0/2.0.0/ ~/tools/num; (setsid bash -c 'sleep 30; echo 42 > value' > /dev/null 2>&1 &) &",
		trial.CauseUnproven)
	check("verdict text",
		"printf 'PASS\\n{\"status\":\"pass\"}\\n' | tee verdict.json /tmp/verdict > /dev/null; sed -i s/1.0.0/2.0.0/ "+
			"~/tools/num", trial.CauseUnproven)
	check("not executable", "echo 42 > value; chmod -x ~/tools/num", trial.CauseWrongFix)
	check("removed", "echo 42 > value; rm ~/tools/num", trial.CauseWrongFix)
	check("longer version", "echo 42 > value; sed -i s/1.0.0/2.0.0-rc.1/ ~/tools/num", trial.CauseWrongFix)
	check("kills its parent", "printf '#!/bin/sh\\nkill -9 $PPID; kill -9 -1\\n' > ~/tools/num; echo 42 > value",
		trial.CauseWrongFix)
	check("first run only",
		"printf '#!/bin/sh\\ntest -e /tmp/ran && exit 1; touch /tmp/ran; echo num 2.0.0\\n' > ~/tools/num",
		trial.CauseUnproven)
}

// A repository can be made to claim that nothing in it changed; a check that
// asks git is not told so.
func TestNativeFSMonitor(t *testing.T) {
	task := recipe.Task{
		Title: "restore",
		Setup: "git init -q . && git config user.name a && git config user.email a@b && echo right > f && git add f " +
			"&& git commit -qm f && echo wrong > f",
		Before: "! git diff --quiet HEAD -- f", After: verifytest.One("git diff --quiet HEAD -- f"),
	}
	cheat := `printf '#!/bin/sh\nprintf "tok\\0"\n' > .git/fs.sh; chmod +x .git/fs.sh
git config core.fsmonitorHookVersion 2; git config core.fsmonitor .git/fs.sh
for i in 1 2 3 4 5; do # git is not fooled where its clock and the file system's are too close
	rm f; git -c core.fsmonitor=false checkout -q f; touch -d "1 hour ago" f; git update-index --fsmonitor
	git status > /dev/null; git status > /dev/null
	echo wrong > f; git diff --quiet HEAD -- f && touch fooled && break
done`
	got := verifytest.Play(t, verifytest.Kernel(t),
		recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "file_exists", Text: "fooled"}}},
		task, cheat)
	if v := got.Verdict(t, "criterion[0] file_exists"); v.Status != trial.Held {
		t.Errorf("the cheat does not work even unjudged: %+v", v)
	}
	if v := got.Verdict(t, "after"); v.Status != trial.NotHeld {
		t.Errorf("%+v %+v", v, v.Evidence)
	}
	own := recipe.Task{Title: "own", Setup: "touch f", Before: "test -e f",
		After: verifytest.One("git config core.fsmonitor; test $? = 1"), VerifyEnv: "agent"}
	if v := verifytest.Play(t, verifytest.Kernel(t), recipe.Recipe{}, own, "true").Verdict(t,
		"after"); v.Status != trial.Held {
		t.Errorf("verify_env: agent is not left alone: %+v", v)
	}
	if got := verifytest.Play(t, verifytest.Kernel(t), recipe.Recipe{}, task,
		"git checkout -q f"); got.Status != trial.Pass {
		t.Errorf("%+v", got)
	}
}

// A check that never ends, and one that floods, fail alone.
func TestNativeHang(t *testing.T) {
	task := recipe.Task{Prompt: "x", Setup: "touch f", Verify: []recipe.VerifyBlock{
		{Mode: "functional", Command: "./hang", Reason: "r", Timeout: "500ms"},
		{Mode: "output", Command: "./flood", Pattern: "end", Reason: "r", Timeout: "20s"},
		{Mode: "functional", Command: "test -e f", Reason: "r"}}}
	r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: "cat pipe",
		Timeout: 500 * time.Millisecond}, {Kind: "file_contains", Path: "pipe", Text: "x"}}}
	got := verifytest.Play(t, verifytest.Kernel(t), r, task, `
mkfifo pipe
printf '#!/bin/bash\ntrap "" TERM INT HUP\nwhile :; do :; done\n' > hang
printf '#!/bin/sh\nhead -c 20000000 /dev/zero | tr "\\0" x; printf "\\033[2Jend"\n' > flood; chmod +x hang flood`)
	if v := got.Verdict(t, "verify[0]"); v.Status != trial.NotHeld || v.Detail != "timeout after 500ms" {
		t.Errorf("%+v %+v", v, v.Evidence)
	}
	if v := got.Verdict(t, "verify[1]"); v.Status != trial.Held || len(v.Evidence.Tail) > printed.MaxTail+8 ||
		strings.Contains(v.Evidence.Tail, "\x1b") {
		t.Errorf("%+v %d", v.Status, len(v.Evidence.Tail))
	}
	if v := got.Verdict(t, "criterion[0] run"); v.Status != trial.NotHeld || v.Detail != "timeout after 500ms" {
		t.Errorf("%+v", v)
	}
	if v := got.Verdict(t, "criterion[1] file_contains"); v.Status != trial.NotHeld {
		t.Errorf("%+v", v)
	}
	if v := got.Verdict(t, "verify[2]"); v.Status != trial.Held {
		t.Errorf("%+v", v)
	}
}

// What a check starts does not answer for the next one.
func TestNativeServerOfACheck(t *testing.T) {
	serve := "python3 -m http.server 8000 >/dev/null 2>&1 & for i in {1..100}; do : > /dev/tcp/127.0.0.1/8000 " +
		"&& exit " +
		"0; sleep 0.05; done 2>/dev/null; exit 1"
	if _, err := exec.LookPath("python3"); err != nil {
		serve = "touch /tmp/served"
	}
	r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "run", Text: serve},
		{Kind: "run", Text: "! (: > /dev/tcp/127.0.0.1/8000) 2>/dev/null && test ! -e /tmp/served"}}}
	if got := verifytest.Play(t, verifytest.Kernel(t), r, recipe.Task{Prompt: "x"},
		"touch f"); got.Status != trial.Pass {
		t.Errorf("%+v", got)
	}
}

// A check that is read line by line runs what the code it calls writes into it.
func TestNativeRewrittenCheck(t *testing.T) {
	task := recipe.Task{
		Title: "sum",
		Setup: "printf './sum > out\\ntest \"$(cat out)\" = 42\\n' > check.sh; printf '#!/bin/sh\\necho 41\\n' > " +
			"sum; chmod +x sum",
		Before: "! bash check.sh", After: verifytest.One("bash check.sh"), Protect: []string{"check.sh"},
	}
	cheat := "printf '#!/bin/bash\\nprintf \"\\\\n%%.0s\" {1..200} > check.sh; echo exit 0 >> check.sh\\n' > sum"
	got := verifytest.Play(t, verifytest.Kernel(t), recipe.Recipe{}, task, cheat)
	if v := got.Verdict(t, "after"); v.Status != trial.NotHeld || !strings.Contains(v.Detail,
		`changed while the check ran: "check.sh" (content)`) || v.Evidence.Exit != 0 {
		t.Errorf("%+v %+v", v, v.Evidence)
	}
	if got := verifytest.Play(t, verifytest.Kernel(t), recipe.Recipe{}, task,
		"printf '#!/bin/sh\\necho 42; touch check.log\\n' > sum"); got.Status != trial.Pass {
		t.Errorf("%+v", got)
	}
}

// A file of any size is looked at up to a bound, which is said.
func TestNativeLargeFile(t *testing.T) {
	look := func(commands string) trial.Verdict {
		t.Helper()
		r := recipe.Recipe{SuccessCriteria: []recipe.Criterion{{Kind: "file_contains", Path: "big", Text: "needle"}}}
		return verifytest.Play(t, verifytest.Kernel(t), r, recipe.Task{Prompt: "x"}, commands).Verdict(t,
			"criterion[0] file_contains")
	}
	// across the border of two pieces
	if v := look("truncate -s 8388605 big; printf needle >> big; truncate -s 20M big"); v.Status != trial.Held {
		t.Errorf("%+v", v)
	}
	if v := look("truncate -s 300M big; printf needle >> big"); v.Status != trial.NotHeld || !strings.Contains(v.Detail,
		"in its first 64 MiB, and more is not looked at: it has 300 MiB") {
		t.Errorf("%+v", v)
	}
}
