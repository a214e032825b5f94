package remote

import (
	"slices"
	"testing"
)

// TestSlow: a machine that takes more than twice the time of the fastest is named, and
// one that says it takes none, or less, makes no other slow.
func TestSlow(t *testing.T) {
	all := []Looked{{Name: "a", OK: true, WorkMS: 10},
		{Name: "b", OK: true, WorkMS: 25}, {Name: "c", OK: true, WorkMS: 20},
		{Name: "liar", OK: true, WorkMS: -1}, {Name: "none", OK: true}, {Name: "gone", WorkMS: 0.1}}
	if got, want := Slow(all), []string{"b takes 2.5 times as long as the fastest for the " +
		"same work"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Slow(all[3:]); got != nil {
		t.Errorf("%q", got)
	}
}

// TestDiffer: hosts that say the same stand together, and one that can't be used is not
// asked.
func TestDiffer(t *testing.T) {
	all := []Looked{{Name: "a", OK: true, Tools: Versions{"go": "go 1", "sh": ""}},
		{Name: "b", OK: true, Tools: Versions{"go": "go 2", "sh": ""}},
		{Name: "c", OK: true, Tools: Versions{"go": "go 1"}}, {Name: "gone"}}
	all[0].AheadS, all[1].AheadS, all[2].AheadS, all[3].AheadS = -3*3600, 26*3600, 10, 60
	want := []string{"go: go 1 on a, c; go 2 on b", "sh: none on c; one that says no version on a, b",
		"clock: 3h0m0s behind this machine's on a", "clock: 26h0m0s ahead of this machine's on b"}
	if got := Differ(all); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
