package verify

import (
	"strings"
	"testing"

	"cookoff/recipe"
)

func TestProposal(t *testing.T) {
	check := func(want string, list ...deed) {
		t.Helper()
		if got := proposal(list...); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("")
	check("may_change: a/b, ~/.x", deed{path: "~/.x", what: "content"}, deed{path: "a/b", what: "removed"}, deed{path: "a/b", what: "mode"})
	check("may_change: .git/config#user.name\nmay_add: new", deed{path: "new", kind: added}, deed{path: ".git/config#user.name", kind: trap})
	check("may_change: a?b?", deed{path: "a*b,"})
	check("", deed{path: "x", what: writable})
	var many []deed
	for _, name := range strings.Split("abcdefghi", "") {
		many = append(many, deed{path: "src/" + name})
	}
	check("may_change: src/*, top", append(many, deed{path: "top"})...)
}

// TestAdmissionProposes: a repair that is rejected for its footprint says which
// line of the task allows it, and with that line it passes.
func TestAdmissionProposes(t *testing.T) {
	// What the solution leaves running changes a file once more, after it was seen
	// what the solution touches.
	task := recipe.Task{
		Title: "late", Setup: "echo 1 > port; echo a > other; touch seen", Before: "grep -qx 1 port",
		After:    one(`grep -qx 2 port`),
		Guard:    []recipe.Check{{Script: "grep -qx 1 port || echo b > other", Live: true}},
		Solution: "echo 2 > port",
	}
	admit := func() string {
		c, err := NewCase(&recipe.Recipe{}, task)
		if err != nil {
			t.Fatal(err)
		}
		x, err := c.Admit(t.Context(), sealing(dirs(t)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if x == nil {
			return ""
		}
		return x.Phase + ": " + x.Why
	}
	const line = "where that is right, add to the task:\nmay_change: other"
	if got := admit(); !strings.HasPrefix(got, "protect: after the solution: footprint: ") || !strings.HasSuffix(got, line) {
		t.Errorf("without it: %q", got)
	}
	task.MayChange = []string{"other"}
	if got := admit(); got != "" {
		t.Errorf("with that line: %s", got)
	}
}
