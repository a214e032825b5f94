// Package daily chooses which part of many alike tests plays today.
package daily

import (
	"cmp"
	"flag"
	"hash/fnv"
	"os"
	"strconv"
	"testing"
)

// Day counts days: the one that CI names in COOKOFF_DAY, elsewhere always the first, so
// that a test says the same each time.
func Day() int64 {
	day, err := strconv.ParseInt(cmp.Or(os.Getenv("COOKOFF_DAY"), "1"), 10, 64)
	if err != nil {
		panic("COOKOFF_DAY is not a number: " + err.Error())
	}
	return day
}

// Turn says whether the name is among those of a day: each name in one of so many days.
func Turn(name string, days, day int64) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return int64(h.Sum32()>>8)%days == day%days
}

// Plays says whether the test of a name plays. Of tests that each open sandboxes, and that go
// the same way, those play whose turn it is today, once in so many days: often for whoever
// waits for all tests, and rarely with -short, which developers wait for and which the race
// detector makes slow. Who names tests with -run gets what is named, and who sets
// COOKOFF_WHOLE gets all.
func Plays(name string, often, rarely int64) bool {
	if whole() {
		return true
	}
	if testing.Short() {
		return Turn(name, rarely, Day())
	}
	return Turn(name, often, Day())
}

// PlaysOnTurn says whether a row of a test plays that has its turn once in so many days: each row on
// one of so many turns, and where Plays has all play, on each.
func PlaysOnTurn(name string, turns, days int64) bool {
	return whole() || Turn(name, turns, Day()/days)
}

// Skip skips a test of many sandboxes with -short, and else on days when its turn is not.
func Skip(t *testing.T, days int64, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: " + why)
	}
	if !Plays(t.Name(), days, days) {
		t.Skipf("plays one day in %d, and every day with COOKOFF_WHOLE=1: %s", days, why)
	}
}

// whole says whether -run was given, or COOKOFF_WHOLE.
func whole() bool {
	run := flag.Lookup("test.run")
	return run != nil && run.Value.String() != "" || os.Getenv("COOKOFF_WHOLE") != ""
}
