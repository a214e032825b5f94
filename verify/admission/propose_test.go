package admission

import (
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/verify"
	"cookoff/verify/footprint"
	"cookoff/verify/verifytest"
)

func TestProposal(t *testing.T) {
	check := func(want string, list ...footprint.Difference) {
		t.Helper()
		if got := footprint.Proposal(list...); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("")
	check("may_change: a/b, ~/.x", footprint.Difference{Path: "~/.x", What: "content"},
		footprint.Difference{Path: "a/b", What: "removed"}, footprint.Difference{Path: "a/b", What: "mode"})
	check("may_change: .git/config#user.name\nmay_add: new", footprint.Difference{Path: "new", Kind: footprint.Added},
		footprint.Difference{Path: ".git/config#user.name", Kind: footprint.Trap})
	check("may_change: a?b?", footprint.Difference{Path: "a*b,"})
	check("", footprint.Difference{Path: "x", What: footprint.Writable})
	var many []footprint.Difference
	for _, name := range strings.Split("abcdefghi", "") {
		many = append(many, footprint.Difference{Path: "src/" + name})
	}
	check("may_change: src/*, top", append(many, footprint.Difference{Path: "top"})...)
}

// TestAdmissionProposes: a repair that is rejected for its footprint says which
// line of the task allows it, and with that line it passes.
func TestAdmissionProposes(t *testing.T) {
	// What the solution leaves running changes a file once more, after it was seen
	// what the solution touches.
	task := recipe.Task{
		Title: "late", Setup: "echo 1 > port; echo a > other; touch seen", Before: "grep -qx 1 port",
		After:    verifytest.One(`grep -qx 2 port`),
		Guard:    []recipe.Check{{Script: "grep -qx 1 port || echo b > other", Live: true}},
		Solution: "echo 2 > port",
	}
	admit := func() string {
		c, err := verify.NewCase(&recipe.Recipe{}, task)
		if err != nil {
			t.Fatal(err)
		}
		x, err := c.Admit(t.Context(), verifytest.Sealing(verifytest.Dirs(t)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if x == nil {
			return ""
		}
		return x.Phase + ": " + x.Why
	}
	const line = "where that is right, add to the task:\nmay_change: other"
	if got := admit(); !strings.HasPrefix(got, "protect: after the solution: footprint: ") || !strings.HasSuffix(got,
		line) {
		t.Errorf("without it: %q", got)
	}
	task.MayChange = []string{"other"}
	if got := admit(); got != "" {
		t.Errorf("with that line: %s", got)
	}
}
