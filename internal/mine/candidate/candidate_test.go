package candidate

import (
	"testing"

	"cookoff/internal/history"
)

// TestGoneModule: a module of Rust's that a commit removes is declared by the code until then.
func TestGoneModule(t *testing.T) {
	c := &Candidate{}
	for _, p := range []string{"src/tests.rs", "crates/a/src/tests.rs", "tests/all.rs"} {
		c.test(history.Change{Path: p, Was: history.File{Path: p, ID: "1"}})
	}
	c.test(history.Change{Path: "src/b_test.rs", Now: history.File{ID: "2"}})
	if len(c.Fix) != 2 || len(c.Tests) != 2 {
		t.Errorf("fix %v, tests %v", c.Fix, c.Tests)
	}
}
