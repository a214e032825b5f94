package checks

import (
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
)

func TestStrength(t *testing.T) {
	check := func(want trial.Strength, b recipe.VerifyBlock) {
		t.Helper()
		b.Command = "x"
		if got := CompileBlock("verify[0]", b, true).Strength(); got != want {
			t.Errorf("%+v: %q, want %q", b, got, want)
		}
	}
	check(trial.StrengthVersion, recipe.VerifyBlock{Pattern: "{version}"})
	check(trial.StrengthOutput, recipe.VerifyBlock{Mode: "output", Pattern: "ok"})
	check(trial.StrengthRuns, recipe.VerifyBlock{Mode: "functional"})
	check(trial.StrengthFunctional, recipe.VerifyBlock{Mode: "functional", Pattern: "ok"})
	check(trial.StrengthLive, recipe.VerifyBlock{Mode: "functional", Live: true})
}
