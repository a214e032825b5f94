package candidate

import (
	"fmt"
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

// TestUnfitBySize: of what judges, snapshots and expected output are many; of a fix, many files are no single fault.
func TestUnfitBySize(t *testing.T) {
	files := func(n int, name string) (list []history.Change) {
		for i := range n {
			list = append(list, history.Change{Path: fmt.Sprintf(name, i), Now: history.File{ID: "x"}})
		}
		return list
	}
	for _, c := range []struct {
		fix, tests int
		fits       bool
	}{{1, 300, true}, {60, 1, true}, {1, 301, false}, {61, 1, false}} {
		err := (&Candidate{Fix: files(c.fix, "a%d.go"), Tests: files(c.tests, "testdata/%d.golden")}).unfit()
		if (err == nil) != c.fits {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
