package admission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/verify"
	"cookoff/verify/verifytest"
)

// What admission ran over a state to learn of it is not run there again to judge it: a check that is asked in three
// worlds of each state is run with each other demand once, and its answer is confirmed by what was learned.
func TestAdmitSharesRuns(t *testing.T) {
	said := filepath.Join(t.TempDir(), "said")
	task := recipe.Task{Title: "t", Setup: "echo 41 > value; printf '[ \"$(cat value)\" = 42 ]\\n' > check.sh",
		Before: "! grep -qx 42 value", After: verifytest.One(`echo $(cat value check.sh) >> ` + said +
			`; sh ./check.sh`), Protect: []string{"check.sh"}, Solution: "echo 42 > value"}
	c, err := verify.NewCase(&recipe.Recipe{}, task)
	if err != nil {
		t.Fatal(err)
	}
	x, err := c.Admit(t.Context(), verifytest.Dirs(t), []verify.Shortcut{{ID: "1", Command: "echo true > check.sh"}})
	if x != nil || err != nil {
		t.Fatalf("%+v %v", x, err)
	}
	text, _ := os.ReadFile(said) // none: nobody asked, which the counts say
	asked := map[string]int{}
	for line := range strings.Lines(string(text)) {
		asked[strings.TrimSpace(line)]++
	}
	for line, want := range map[string]int{
		`41 [ "$(cat value)" = 42 ]`:  4, // looking for tests, and three witnesses: nothing was learned
		`42 [ "$(cat value)" = 42 ]`:  7, // looking for tests, learning, three witnesses, and twice as if later
		`42 [ "$(cat value)" = 43 ]`:  1, // another demand, which judging knows
		`42 [ "$(cat value)" != 42 ]`: 1, // the contrary
		`41 true`:                     0, // the cheat: a protected file is enough
	} {
		if asked[line] != want {
			t.Errorf("%s: %d times, want %d", line, asked[line], want)
		}
	}
	if t.Failed() {
		t.Log(asked)
	}
}
