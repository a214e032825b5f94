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

// Plays says whether the test of a name plays. Of tests that each open sandboxes, and
// that go the same way, all play in a whole run; with -short, which developers wait for
// and which the race detector makes slow, only those whose turn it is today. Who names tests
// with -run gets what is named.
func Plays(name string, days int64) bool {
	return !testing.Short() || named() || Turn(name, days, Day())
}

// named says whether -run was given.
func named() bool {
	run := flag.Lookup("test.run")
	return run != nil && run.Value.String() != ""
}
