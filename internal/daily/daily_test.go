package daily_test

import (
	"flag"
	"fmt"
	"testing"

	"cookoff/internal/daily"
)

// TestEachNameHasOneTurn: every name plays once in so many days, and no day has most.
func TestEachNameHasOneTurn(t *testing.T) {
	const names, days = 200, 8
	perDay := map[int64]int{}
	for i := range names {
		name, turns := fmt.Sprintf("name-%d", i), 0
		for day := int64(100); day < 100+days; day++ {
			if daily.Turn(name, days, day) {
				turns++
				perDay[day]++
			}
		}
		if turns != 1 {
			t.Errorf("%s has %d turns in %d days, want 1", name, turns, days)
		}
	}
	for day, n := range perDay {
		if n > 2*names/days || n < names/days/2 {
			t.Errorf("day %d has %d of %d names", day, n, names)
		}
	}
}

// TestDayIsNamed: the day is the one that is named; without a name it does not change.
func TestDayIsNamed(t *testing.T) {
	for name, want := range map[string]int64{"": 1, "77": 77} {
		t.Setenv("COOKOFF_DAY", name)
		if got := daily.Day(); got != want {
			t.Errorf("COOKOFF_DAY=%q is day %d, want %d", name, got, want)
		}
	}
}

// TestAWholeRunPlaysAll: only a short run, of all tests, leaves something out.
func TestAWholeRunPlaysAll(t *testing.T) {
	played, whole := 0, !testing.Short() || flag.Lookup("test.run").Value.String() != ""
	for i := range 100 {
		if daily.Plays(fmt.Sprint(i), 10) {
			played++
		}
	}
	if (played == 100) != whole {
		t.Errorf("%d of 100 play, want all: %v", played, whole)
	}
}
