package mine

import (
	"strings"
	"testing"

	"cookoff/internal/mine"
	"cookoff/internal/mine/refusal"
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
