package cheat

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/shell"
	"cookoff/verify"
	"cookoff/verify/checks"
	"cookoff/verify/lint"
)

// TestAttemptsAreWhole: every script that is generated says what it does, and
// is one that a shell reads.
func TestAttemptsAreWhole(t *testing.T) {
	cheats, shared := attempts(cheatScripts)
	honest, _ := attempts(honestScripts)
	classes := map[string]bool{}
	for _, a := range append(cheats, honest...) {
		if a.class == "" || a.name == "" || a.what == "" || a.script == "" {
			t.Errorf("%s/%s: what it does, or the script, is missing", a.class, a.name)
		}
		if _, err := shell.Parse(shared + a.script); err != nil {
			t.Errorf("%s/%s: %v", a.class, a.name, err)
		}
	}
	for _, a := range cheats {
		classes[a.class] = true
		if a.close == "" {
			t.Errorf("%s/%s: how a task keeps it out is missing", a.class, a.name)
		}
	}
	if len(classes) < 10 || len(cheats) < 50 || len(honest) < 15 {
		t.Errorf("%d cheats in %d classes, %d honest repairs", len(cheats), len(classes), len(honest))
	}
}

// TestCheatsKnowTheChecks: what a check looks for, and where, reaches the
// scripts as words that no shell takes apart.
func TestCheatsKnowTheChecks(t *testing.T) {
	p := &player{Admission: verify.Admission{Case: &verify.Case{Set: checks.Set{
		Solutions: []string{"exit 1"},
		After:     []checks.Script{{Name: "after", Text: `grep -q "it's 42" etc/value`}},
		Blocks: []checks.Block{{Name: "verify[0]", Mode: lint.ModeVersion, Format: "semver", Commands: []checks.Command{
			{Text: "tool --version", Patterns: []string{"tool {version}"}, Stream: lint.StreamStderr, Exit: 3}}}},
	}}}}
	text := p.variables(&verify.Start{Versions: map[string]string{"verify[0]": "v1.2.3"}})
	if _, err := syntax.NewParser().Parse(strings.NewReader(text), ""); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, want := range []string{"programs=( tool)", `"it's 42"`, "files=( etc/value)", "tool 1.2.3", ">&2; exit 3",
		"solved=yes"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestByHeart: the commands of a script that a program may answer without looking at anything.
func TestByHeart(t *testing.T) {
	for script, want := range map[string]string{
		`test "$(./price.sh 1000)" = 1190`:                  "./price.sh 1000",
		`bash -lc 'greet --version' | grep 2.1`:             "greet --version",
		`printf '1\n' | ./sum; ./list < names; ./top "a b"`: `printf '1\n', ./top 'a b'`,
		`./add "$COOKOFF_DRAW" 2 && A=1 ./add 1`:            "",
		`cd sub && ./add 1`:                                 "",
		`python3 app.py 5 > /tmp/out 2>&1`:                  "python3 app.py 5",
	} {
		o := given{}
		o.byHeart(script)
		o.calls = slices.DeleteFunc(o.calls, func(c string) bool {
			return strings.HasPrefix(c, "test ") || strings.HasPrefix(c, "bash ")
		})
		if got := strings.Join(o.calls, ", "); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}
