package mine

import (
	"bytes"
	"strings"
	"testing"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/mine"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/plant"
	"cookoff/internal/ui/screen"
)

// TestAdvice: where no commit became a task, what the refusals say of this machine tells what helps.
func TestAdvice(t *testing.T) {
	for detail, want := range map[string]string{
		"the command failed: exit status 127: bash: line 2: cargo: command not found": "" +
			"hint: cargo is in no directory of your PATH",
		"[6] Could not resolve hostname (Could not resolve host: index.crates.io)": "--prepare 'cargo fetch' gets",
		"the command failed: exit status 1: no such lockfile":                      "hint: --prepare names the command",
	} {
		res := &mine.Result{Found: []mine.Found{{Commit: "c01d990b56", Candidate: true, Reason: refusal.Unprepared,
			Detail: detail}}}
		if got := advice(res); !strings.Contains(got, want) || !strings.Contains(got, detail) {
			t.Errorf("%s\ngot  %s\nwant %s", detail, got, want)
		}
	}
}

// TestAdviceOfTime: tests that don't end are said to need more time, or another command.
func TestAdviceOfTime(t *testing.T) {
	res := &mine.Result{Found: []mine.Found{{Commit: "c01d990b56", Candidate: true, Reason: refusal.Endless,
		Detail: "they don't end with the fix in"}}}
	if got := advice(res); !strings.Contains(got, "don't end with the fix in\n  hint: --timeout gives") {
		t.Error(got)
	}
}

// TestAdviceWithoutCandidates: where no commit changes tests and code it is said what is known as tests; of a
// commit that has no parent that would say nothing.
func TestAdviceWithoutCandidates(t *testing.T) {
	res := &mine.Result{Total: 3, Found: []mine.Found{{Reason: refusal.NotBoth}, {Reason: refusal.NotBoth},
		{Reason: refusal.NoParent}}}
	if got := advice(res); !strings.Contains(got, "hint: a commit that changes tests and code is one to try") {
		t.Error(got)
	}
	if got := advice(&mine.Result{Total: 1, Found: []mine.Found{{Reason: refusal.NoParent}}}); got != "" {
		t.Error(got)
	}
}

// TestUnnoticed: where tests notice no fault at all it is said how others are tried.
func TestUnnoticed(t *testing.T) {
	if got := unnoticed(plant.Tried{Planted: 30, Survived: 30}); !strings.Contains(got, "hint: --path") {
		t.Error(got)
	}
	if got := unnoticed(plant.Tried{Planted: 30, Survived: 29, Killed: 1}) + unnoticed(plant.Tried{}); got != "" {
		t.Error(got)
	}
}

// TestStopped: a search that was interrupted while its tasks were described has looked at all commits.
func TestStopped(t *testing.T) {
	for _, c := range []struct {
		describe string
		seen     int
		want     string
	}{{"", 2, "stopped after 2 of 2 commits: the same"}, {"openai/m", 1, "stopped after 1 of 2 commits: the same"},
		{"openai/m", 2, "stopped while openai/m described the tasks: the same"}} {
		var errs bytes.Buffer
		m := &mining{flags: flags{describe: c.describe}, Door: &door.Door{Common: &cli.Common{
			Out: screen.Stream{Writer: &bytes.Buffer{}}, Err: screen.Stream{Writer: &errs}}}}
		m.stopped(&mine.Result{Total: 2, Found: make([]mine.Found, c.seen)}, false)
		if !strings.Contains(errs.String(), c.want) {
			t.Errorf("said %q, want %q", errs.String(), c.want)
		}
	}
}
