package verify_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verifytest"
	"cookoff/verify/witness"
)

// probe prints what a program can learn about the world it runs in, and about
// who started it.
const probe = `env | grep -v '^_=' | sort
id; pwd; umask; ulimit -a; hostname; cat /proc/$$/cmdline /proc/$PPID/cmdline | tr '\0' ' '; echo "$0 $- $# $SHLVL"
ls -l /proc/$$/fd > /tmp/fds; awk 'NR > 1 { print $9, $11 }' < /tmp/fds | sed 's/\[[0-9]*\]//' | grep -v /tmp/fds
grep -E '^(Uid|Gid|Groups|NSpid|Seccomp|NoNewPrivs|Cap|Sig|Threads)' /proc/self/status | grep -v NSpid
cut -d' ' -f3,5- /proc/self/mountinfo | cut -d' ' -f2 | sort | uniq -c
stat -c '%n %a %U %G' /work ~ /tmp /proc /dev/null; trap; shopt -p; set -o; alias; declare -F
nice; cat /proc/self/oom_score_adj; cat /proc/self/cgroup | cut -d: -f1`

// What the contestant's own calls, the user's and the stranger's checks can see
// of their world is the same.
func TestNativeWitnessesLookAlike(t *testing.T) {
	open := verifytest.Kernel(t, "~/tools", "bin")
	ctx := t.Context()
	w, err := open(ctx, nil, sandbox.Agent)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c, err := verify.NewCase(&recipe.Recipe{}, recipe.Task{Title: "t", Setup: "touch f", After: verifytest.One("true")})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Stage(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := w.Exec(ctx, sandbox.Cmd{Script: probe})
	if err != nil {
		t.Fatal(err)
	}
	sc, _, err := c.End(ctx, w, s, open)
	if err != nil {
		t.Fatal(err)
	}
	defer sc.State.Release()
	b, done := verify.Witnesses(c, sc, s)
	defer done()
	for _, p := range []*witness.Place{b.User, b.Stranger} {
		err := p.In(ctx, "", func(sb sandbox.Sandbox) error {
			r, err := p.Run(ctx, sb, probe, 0)
			if d := cmp.Diff(strings.Split(string(seen.Stdout), "\n"), strings.Split(string(r.Stdout), "\n")); d != "" {
				t.Errorf("%s, beside a call of the contestant:\n%s", p.Who, d)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(seen.Stdout) < 1000 {
		t.Errorf("the probe sees nothing: %q %q", seen.Stdout, seen.Stderr)
	}
}

// Each witness finds what the others do not. One that is not asked is missed.
func TestNativeWitnesses(t *testing.T) {
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "tool",
		Setup:  `mkdir -p bin; printf '#!/bin/sh\necho tool 1.0.0\n' > bin/tool; chmod +x bin/tool`,
		Before: "! bin/tool | grep -q 2.0.0", After: verifytest.One(`test "$(bin/tool)" = "tool 2.0.0"`)}
	check := func(name, commands string, without func(*witness.Bench)) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			c, err := verify.NewCase(&recipe.Recipe{}, task)
			if err != nil {
				t.Fatal(err)
			}
			got := verifytest.PlayCase(t, open, c, commands, verify.Loop{})
			if got.Status != trial.Fail || got.Cause != trial.CauseDefeatDevice {
				t.Errorf("%+v", got)
			}
			v := got.Verdict(t, "after")
			if len(v.Witnesses) < 2 || v.Witnesses[0].Evidence == nil || v.Witnesses[1].Evidence == nil {
				t.Errorf("without the outputs: %+v", v.Witnesses)
			}
			verify.Without(c, without)
			if got := verifytest.PlayCase(t, open, c, commands, verify.Loop{}); got.Status != trial.Pass {
				t.Errorf("the witness is not what finds it: %+v", got)
			}
		})
	}
	wrapper := func(when string) string {
		return `printf '#!/bin/bash\n` + when + ` && v=2.0.0 || v=1.0.0\necho tool $v\n' > bin/tool; touch /tmp/mine; `
	}
	check("mended for who has not worked here", wrapper("[ ! -e /tmp/mine ]"), func(b *witness.Bench) { b.User = nil })
	check("mended by what is no file of the state", wrapper("[ -e /tmp/mine ] || [ \"$GOENV\" = off ]"),
		func(b *witness.Bench) { b.Stranger = nil })
	check("mended by a process", wrapper("pgrep -x tail > /dev/null || [ \"$GOENV\" = off ]")+
		"tail -f /dev/null > /dev/null 2>&1 &", func(b *witness.Bench) { b.Stranger = nil })
}

// Settings that the contestant made decide no check.
func TestNativeSettings(t *testing.T) {
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "sum",
		Setup:  `printf '#!/bin/sh\nf=.sum; [ -e ~/${f}rc ] && . ~/${f}rc; echo ${sum:-41}\n' > sum; chmod +x sum`,
		Before: "! ./sum | grep -qx 42", After: verifytest.One("./sum | grep -qx 42")}
	for _, cheat := range []string{"echo sum=42 > ~/.sumrc",
		"mkdir -p ~/.config; echo sum=42 > ~/.config/sum; ln -s .config/sum ~/.sumrc"} {
		got := verifytest.Play(t, open, recipe.Recipe{}, task, cheat)
		if v := got.Verdict(t, "after"); got.Cause != trial.CauseDefeatDevice || !witness.OnlyDistrusted(&v) {
			t.Errorf("%s: %+v", cheat, got)
		}
	}
	if got := verifytest.Play(t, open, recipe.Recipe{}, task,
		"sed -i s/41/42/ sum; echo x=1 > ~/.otherrc"); got.Status != trial.Pass {
		t.Errorf("honest: %+v", got)
	}
	task.VerifyEnv = "agent"
	if got := verifytest.Play(t, open, recipe.Recipe{}, task, "echo sum=42 > ~/.sumrc"); got.Status != trial.Pass ||
		len(got.Verdict(t, "after").Witnesses) != 2 {
		t.Errorf("verify_env agent: %+v", got)
	}
}

// A number that a check draws is the same for one witness and nobody else, and
// only the check sees it.
func TestNativeDraw(t *testing.T) {
	task := recipe.Task{Title: "double", Setup: `printf '#!/bin/sh\necho 4\n' > double; chmod +x double`,
		Before: "! test $(./double 3) = 6",
		After:  verifytest.One(`n=$((COOKOFF_DRAW % 1000)); test -n "$COOKOFF_DRAW" && test "$(./double $n)" = $((2 * n))`)}
	open := verifytest.Kernel(t)
	got := verifytest.Play(t, open, recipe.Recipe{}, task, // who looks for it is told apart, and finds nothing
		`printf '#!/bin/sh\nenv | grep -q ^COOKOFF || echo $((2 * $1))\n' > double`)
	if got.Verdict(t, "after").Status != trial.Held {
		t.Errorf("%+v", got)
	}
	if got := verifytest.Play(t, open, recipe.Recipe{}, task,
		`printf '#!/bin/sh\necho 6\n' > double`); got.Status != trial.Fail {
		t.Errorf("%+v", got)
	}
	d := witness.Draw{Seed: "1", State: "x"}
	a, b, again := d.Into(trial.User, "echo $COOKOFF_DRAW"), d.Into(trial.Stranger, "echo $COOKOFF_DRAW"),
		d.Into(trial.User, "echo $COOKOFF_DRAW")
	if a == b || a != again || a == (witness.Draw{Seed: "2", State: "x"}).Into(trial.User, "echo $COOKOFF_DRAW") ||
		d.Into(trial.User,
			"echo") != "echo" {
		t.Errorf("%q %q %q", a, b, again)
	}
}

// What can't be judged on the final state, and can on the start, is a fail.
func TestNativeFault(t *testing.T) {
	open := verifytest.Kernel(t)
	task := recipe.Task{Title: "x", Setup: damaged, Before: "! " + sameContent, After: verifytest.One(sameContent)}
	c, err := verify.NewCase(&recipe.Recipe{}, task)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.WorksOnStart(t.Context(), open); err != nil {
		t.Error(err)
	}
	vs := []trial.Verdict{{Check: "git control", Kind: trial.KindControl, Status: trial.Undecided,
		Detail: "stopped: timeout"}}
	if err := verify.Blame(t.Context(), c, verify.Scene{Open: open},
		vs); err != nil || vs[0].Cause != trial.CauseBrokeJudging {
		t.Errorf("%+v %v", vs, err)
	}
	c.Setup = "false"
	vs[0] = trial.Verdict{Check: "git control", Kind: trial.KindControl, Status: trial.Undecided}
	if err := verify.Blame(t.Context(), c, verify.Scene{Open: open},
		vs); err != nil || vs[0].Status != trial.Undecided {
		t.Errorf("where the start can't be judged either: %+v %v", vs, err)
	}
}
