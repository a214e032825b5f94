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

// TestShares: whoever asks for the whole, or for tests by name, gets all; else a short run
// plays fewer than another.
func TestShares(t *testing.T) {
	played := func() (n int) {
		for i := range 100 {
			if daily.Plays(fmt.Sprint(i), 2, 10) {
				n++
			}
		}
		return n
	}
	t.Setenv("COOKOFF_WHOLE", "1")
	if n := played(); n != 100 {
		t.Errorf("%d of 100 play, want all", n)
	}
	t.Setenv("COOKOFF_WHOLE", "")
	least, most := 30, 70
	switch {
	case flag.Lookup("test.run").Value.String() != "":
		least, most = 100, 100
	case testing.Short():
		least, most = 3, 20
	}
	if n := played(); n < least || n > most {
		t.Errorf("%d of 100 play, want %d to %d", n, least, most)
	}
}

// TestTurns: each row plays on one of the turns of a test that plays one day in five.
func TestTurns(t *testing.T) {
	if flag.Lookup("test.run").Value.String() != "" {
		t.Skip("-run has all play")
	}
	t.Setenv("COOKOFF_WHOLE", "")
	for i := range 20 {
		plays := 0
		for _, day := range []string{"102", "107"} {
			t.Setenv("COOKOFF_DAY", day)
			if daily.PlaysOnTurn(fmt.Sprint(i), 2, 5) {
				plays++
			}
		}
		if plays != 1 {
			t.Errorf("row %d plays %d times in ten days, want once", i, plays)
		}
	}
}
