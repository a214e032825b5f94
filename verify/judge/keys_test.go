package judge

import (
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

// TestEveryKeyDecides changes one key of a verify block at a time: each must
// turn the verdict. The system this design comes from lost three keys in a
// refactoring, and no test noticed.
func TestEveryKeyDecides(t *testing.T) {
	seen := map[string]bool{}
	check := func(key string, was, is trial.VerdictStatus, b recipe.VerifyBlock, edit func(*recipe.VerifyBlock)) {
		t.Helper()
		seen[key] = true
		one := func() trial.VerdictStatus {
			t.Helper()
			task := recipe.Task{Prompt: key, Setup: toolStage, Verify: []recipe.VerifyBlock{b}}
			return verifytest.Play(t, verifytest.Sealing(verifytest.Dirs(t)), recipe.Recipe{}, task,
				"echo 2.0.0 > want; exec sleep 60 >/dev/null 2>&1 & echo $! > pid").Verdict(t, "verify[0]").Status
		}
		if got := one(); got != was {
			t.Errorf("%s: before the change %s, want %s", key, got, was)
		}
		edit(&b)
		if got := one(); got != is {
			t.Errorf("%s: after the change %s, want %s", key, got, is)
		}
	}
	n := func(i int) *int { return &i }
	base := recipe.VerifyBlock{Command: "tool --version", Pattern: "Version: {version}", Version: "1.2.3"}
	with := func(edit func(*recipe.VerifyBlock)) recipe.VerifyBlock {
		b := base
		edit(&b)
		return b
	}
	why := recipe.VerifyBlock{Mode: "functional", Command: "tool fail", Reason: "r"}

	check("command", trial.Held, trial.NotHeld, base, func(b *recipe.VerifyBlock) { b.Command = "tool --help" })
	check("pattern", trial.Held, trial.NotHeld, base, func(b *recipe.VerifyBlock) { b.Pattern = "Release: {version}" })
	check("version", trial.Held, trial.NotHeld, base, func(b *recipe.VerifyBlock) { b.Version = "1.2" })
	check("version_format", trial.NotHeld, trial.Held,
		with(func(b *recipe.VerifyBlock) { b.Version = "tool@1.2.3-rc.1" }),
		func(b *recipe.VerifyBlock) { b.VersionFormat = "semver" })
	check("version_command", trial.Held, trial.NotHeld,
		with(func(b *recipe.VerifyBlock) { b.Version, b.VersionCommand = "", "cat want" }),
		func(b *recipe.VerifyBlock) { b.VersionCommand = "cat other" })
	check("mode", trial.Held, trial.NotHeld, recipe.VerifyBlock{Mode: "functional", Command: "tool braces",
		Pattern: "{}", Reason: "r"},
		func(b *recipe.VerifyBlock) { b.Mode, b.Pattern, b.Version = "", "{version}", "1.2.3" })
	check("exit_code", trial.NotHeld, trial.Held, why, func(b *recipe.VerifyBlock) { b.ExitCode = n(3) })
	check("stream", trial.NotHeld, trial.Held, with(func(b *recipe.VerifyBlock) { b.Command = "tool err" }),
		func(b *recipe.VerifyBlock) { b.Stream = "stderr" })
	check("stream", trial.NotHeld, trial.Held, with(func(b *recipe.VerifyBlock) { b.Command = "tool err" }),
		func(b *recipe.VerifyBlock) { b.Stream = "both" })
	check("stream", trial.Held, trial.NotHeld, base, func(b *recipe.VerifyBlock) { b.Stream = "stderr" })
	check("patterns", trial.Held, trial.NotHeld,
		with(func(b *recipe.VerifyBlock) { b.Pattern, b.Patterns = "", []string{"{version}", "Version"} }),
		func(b *recipe.VerifyBlock) { b.Patterns = []string{"{version}", "Missing"} })
	check("timeout", trial.Held, trial.NotHeld,
		recipe.VerifyBlock{Mode: "functional", Command: "tool slow", Reason: "r"},
		func(b *recipe.VerifyBlock) { b.Timeout = "50ms" })
	check("binary", trial.Held, trial.NotHeld, base, func(b *recipe.VerifyBlock) { b.Binary = "noexec" })
	check("live", trial.NotHeld, trial.Held,
		recipe.VerifyBlock{Mode: "functional", Command: "grep -q sleep /proc/$(cat pid)/cmdline", Reason: "r"},
		func(b *recipe.VerifyBlock) { b.Live = true })
	more := func(x recipe.VerifyExtra) func(*recipe.VerifyBlock) {
		return func(b *recipe.VerifyBlock) { b.Additional = []recipe.VerifyExtra{x} }
	}
	extra := recipe.VerifyExtra{Command: "tool --version", Pattern: "{version}"}
	check("additional", trial.Held, trial.NotHeld, base,
		more(recipe.VerifyExtra{Command: "tool --help", Pattern: "{version}"}))
	check("additional.pattern", trial.Held, trial.NotHeld, with(more(extra)), func(b *recipe.VerifyBlock) {
		b.Additional = []recipe.VerifyExtra{{Command: extra.Command, Pattern: "x{version}"}}
	})
	check("additional.patterns", trial.Held, trial.NotHeld, with(more(extra)), func(b *recipe.VerifyBlock) {
		b.Additional = []recipe.VerifyExtra{{Command: extra.Command, Patterns: []string{"{version}", "Missing"}}}
	})
	check("additional.exit_code", trial.Held, trial.NotHeld, with(more(extra)), func(b *recipe.VerifyBlock) {
		b.Additional = []recipe.VerifyExtra{{Command: extra.Command, Pattern: extra.Pattern, ExitCode: n(1)}}
	})
	check("additional.stream", trial.Held, trial.NotHeld, with(more(extra)), func(b *recipe.VerifyBlock) {
		b.Additional = []recipe.VerifyExtra{{Command: extra.Command, Pattern: extra.Pattern, Stream: "stderr"}}
	})
	for _, key := range []string{"mode", "command", "pattern", "patterns", "version_format", "exit_code", "version",
		"version_command",
		"stream", "timeout", "live", "binary", "additional", "additional.pattern", "additional.patterns",
		"additional.exit_code", "additional.stream"} {
		if !seen[key] {
			t.Errorf("no test for key %s", key)
		}
	}
}

// toolStage stages a program with an answer for every test.
const toolStage = `mkdir -p ~/bin
cat > ~/bin/tool <<'X'
#!/bin/bash
case $1 in
--version) echo "Version: 1.2.3" ;;
--help) echo usage ;;
fail) exit 3 ;;
err) echo "Version: 1.2.3" >&2 ;;
braces) echo '{}' ;;
slow) for i in 1 2 3 4 5 6; do /bin/sleep 0.1; done ;;
esac
X
chmod +x ~/bin/tool; touch ~/bin/noexec; echo 1.2.3 > want; echo 1.2.4 > other`

// "reason" decides nothing when a check runs: it decides whether it may.
func TestReasonDecides(t *testing.T) {
	b := recipe.VerifyBlock{Mode: "functional", Command: "true"}
	if _, err := verify.NewCase(&recipe.Recipe{}, recipe.Task{Verify: []recipe.VerifyBlock{b}}); err == nil ||
		!strings.Contains(err.Error(), "needs a reason") {
		t.Errorf("without a reason: %v", err)
	}
	b.Reason = "no flag"
	if _, err := verify.NewCase(&recipe.Recipe{}, recipe.Task{Verify: []recipe.VerifyBlock{b}}); err != nil {
		t.Error(err)
	}
}

func TestEvidence(t *testing.T) {
	task := recipe.Task{Prompt: "x", Setup: toolStage + "; mv ~/bin/tool ~/bin/tool-1; ln -s tool-1 ~/bin/tool",
		Verify: []recipe.VerifyBlock{{
			Command: "tool --version", Pattern: "Version: {version}", Version: "tool@1.2.3",
			VersionFormat: "strip_prefix:tool@", Binary: "tool"}}}
	v := verifytest.Play(t, verifytest.Dirs(t), recipe.Recipe{}, task, "").Verdict(t, "verify[0]")
	e := v.Evidence
	if v.Status != trial.Held || v.Strength != trial.StrengthVersion || e.Command != "tool --version" ||
		e.Pattern != "Version: 1.2.3" ||
		e.Version != "tool@1.2.3 -> 1.2.3" || e.Tail != "Version: 1.2.3" ||
		!strings.HasSuffix(e.Binary, "/home/bin/tool-1") {
		t.Errorf("%+v %+v", v, e)
	}
	near := verifytest.Play(t, verifytest.Dirs(t), recipe.Recipe{}, task,
		`sed -i 's/: 1.2.3/: 1.2.3-rc.1/' ~/bin/tool-1`).Verdict(t,
		"verify[0]")
	if want := `"Version: 1.2.3" is in stdout only as part of another version`; near.Detail != want {
		t.Errorf("got %q, want %q", near.Detail, want)
	}
	task.Verify[0].VersionFormat, task.Verify[0].Version, task.Verify[0].VersionCommand = "calver", "", "cat want"
	void := verifytest.Play(t, verifytest.Dirs(t), recipe.Recipe{}, task, "")
	if v := void.Verdict(t, "verify[0]"); v.Status != trial.Undecided || void.Status != trial.Void ||
		void.Cause != trial.CauseVerifier {
		t.Errorf("a transform that finds nothing: %+v %+v", v, void)
	}
}
