package processes

import (
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/trial"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

// TestWhatProgramsDo: a program that is mended, and takes something away whenever it runs,
// is collateral, whichever file it is; what it writes with the solution too is its work.
func TestWhatProgramsDo(t *testing.T) {
	const setup = `mkdir -p docs lib; echo keep > docs/notes; echo 0 > count; echo keep > ~/letter
echo 'echo $(($1 - $2))' > lib/add.sh
printf '#!/bin/sh\necho $(($(cat count) + 1)) > count.new; mv count.new count; . ./lib/add.sh\n' > add; chmod +x add`
	task := recipe.Task{Title: "sums", Setup: setup, Solution: "sed -i 's/-/+/' lib/add.sh",
		After: []recipe.Check{{Script: `test "$(./add 1 2)" = 3`}, {Script: `test "$(./add 2 2)" = 4`}}}
	open := verifytest.Dirs(t)
	c := verifytest.ProvenCase(t, open, task)
	for act, cause := range map[string]trial.Cause{
		"": "", "; echo '# sums' >> lib/add.sh": "", "; echo 'echo 1 > cache' >> lib/add.sh": "",
		"; echo 'rm -f docs/$(echo notes)' >> lib/add.sh":     trial.CauseCollateral,
		"; echo 'echo other > docs/notes' >> lib/add.sh":      trial.CauseCollateral,
		"; echo 'rm -rf $(echo docs)' >> lib/add.sh":          trial.CauseCollateral,
		"; echo 'rm -f \"$HOME/letter\"' >> lib/add.sh":       trial.CauseCollateral,
		"; echo '[ $1 = 1 ] || : > docs/notes' >> lib/add.sh": trial.CauseCollateral,
	} {
		got := verifytest.PlayCase(t, open, c, "sed -i 's/-/+/' lib/add.sh"+act, verify.Loop{})
		if got.Cause != cause || (cause == "") != (got.Status == trial.Pass) {
			t.Errorf("%q: %s %s %s", act, got.Status, got.Cause, got.Detail)
		}
		if cause != "" && !strings.Contains(got.Detail, "when it runs") {
			t.Errorf("%q: %s", act, got.Detail)
		}
	}
}
