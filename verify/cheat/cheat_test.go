package cheat

import (
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
