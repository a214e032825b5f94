package witness

import "testing"

// TestDrawIsTheSeeds: the same trial of a seed plants the same, another trial,
// state or check something else.
func TestDrawIsTheSeeds(t *testing.T) {
	draw := func(seed, state, check string) uint64 { return Draw{seed, state}.Rand(check).Uint64() }
	one := draw("1 trial", "state", "after")
	if one != draw("1 trial", "state", "after") {
		t.Error("the same trial plants something else")
	}
	for _, other := range []uint64{draw("2 trial", "state", "after"), draw("1 trial", "other", "after"),
		draw("1 trial", "state", "after[1]")} {
		if one == other {
			t.Error("another seed, state or check plants the same")
		}
	}
	if first, second := draw("", "state", "after"), draw("", "state", "after"); first == second {
		t.Error("without a seed it is the same twice")
	}
}
