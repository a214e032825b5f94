package stores_test

import (
	"testing"

	"cookoff/verify/stores"
)

// TestColumns: columns have the names that a table was made with.
func TestColumns(t *testing.T) {
	p := stores.Part{SQL: "create table t (id integer primary key, \"a\" decimal(3,2) check (a in (1, 2)), [c] text, `d`)"}
	for i, want := range []string{"id", "a", "c", "d", ""} {
		if got := p.Column(i); got != want {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
}
