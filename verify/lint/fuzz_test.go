package lint_test

import (
	"testing"

	"cookoff/recipe"
	"cookoff/verify"
	"cookoff/verify/lint"
)

// Whatever a block says, Lint has an answer, and a block without errors compiles.
func FuzzLint(f *testing.F) {
	f.Add("version", "node --version", "v{version}", "semver", "20.10.0", "90s")
	f.Add("functional", "a | sh; $(b) <(c) > /x && find . -exec rm {} +", "", "regex:(", "", "1")
	f.Fuzz(func(t *testing.T, mode, command, pattern, format, version, timeout string) {
		b := recipe.VerifyBlock{Mode: mode, Command: command, Pattern: pattern, VersionFormat: format, Version: version,
			Timeout: timeout, Reason: "r"}
		errs := 0
		for _, fd := range lint.Asked(b) {
			if fd.Key == "" || fd.Msg == "" {
				t.Fatalf("%+v: an empty finding", b)
			}
			if !fd.Warning {
				errs++
			}
		}
		_, err := verify.NewCase(&recipe.Recipe{}, recipe.Task{Prompt: "x", Verify: []recipe.VerifyBlock{b}})
		if (err == nil) != (errs == 0) {
			t.Fatalf("%+v: %d errors, NewCase says %v", b, errs, err)
		}
	})
}
