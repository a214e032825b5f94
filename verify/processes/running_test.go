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

// TestWhatProgramsWriteOn: what checks only write behind with the solution keeps what was in it, and what only its
// owner could read is not opened, whoever mended the program.
func TestWhatProgramsWriteOn(t *testing.T) {
	const setup = `echo first > events; echo k > key; chmod 600 key
printf '#!/bin/sh\n[ "$1" = k ] || exit 1\necho "$2" >> events\n' > note; chmod +x note`
	const solution = `sed -i 's/= k/= "$(cat key)-"/; s/^\[/[ "$1-" = "$(cat key)-" ] || exit 1; [/; s/; \[.*//' note`
	task := recipe.Task{Title: "notes", Setup: setup + "; echo other > key", Solution: solution,
		After: []recipe.Check{{Script: "./note other one"}, {Script: "./note other two && grep -qx two events"}}}
	open := verifytest.Dirs(t)
	c := verifytest.ProvenCase(t, open, task)
	for act, cause := range map[string]trial.Cause{
		"": "",
		`; sed -i 's/.*>> events/{ cat events; echo "$2"; } > e2; mv e2 events/' note`: "",
		`; sed -i 's/>> events/> events/' note`:                                        trial.CauseCollateral,
		`; sed -i 's/.*>> events/{ echo "$2"; cat events; } > e2; mv e2 events/' note`: trial.CauseCollateral,
		`; echo 'm=64; chmod ${m}4 key' >> note`:                                       trial.CauseCollateral,
		`; echo 'chmod 400 key' >> note`:                                               "",
	} {
		got := verifytest.PlayCase(t, open, c, solution+act, verify.Loop{})
		if got.Cause != cause || (cause == "") != (got.Status == trial.Pass) {
			t.Errorf("%q: %s %s %s", act, got.Status, got.Cause, got.Detail)
		}
	}
}
