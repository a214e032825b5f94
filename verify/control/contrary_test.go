package control

import (
	"testing"

	"cookoff/verify/lessons"
)

// TestDemandsThatNobodyMeets: who meets what stands in a line can't meet another value in it; of lines that let
// several values be, that is not so.
func TestDemandsThatNobodyMeets(t *testing.T) {
	for _, c := range []struct {
		file, line string
		want       bool
	}{
		{"t/a.sh", `[ "$(count a)" = 4 ] || fail "how many"`, true},
		{"t/a.sh", `test "$got" = "$want" > /dev/null 2>&1`, true},
		{"t/a.sh", `sh bin/net "$f" | diff - "${f%.txt}.want"`, true},
		{"t/a.sh", `[ "$n" -ge 3 ] || fail`, false},
		{"t/a.sh", `[ "$n" = 3 ] || [ "$n" = 4 ]`, false},
		{"t/a.sh", `[ "$n" != 3 ]`, false},
		{"t/a.sh", `echo "is it 5"`, false},
		{"t/a.sh", `printf 'a\nb\n' > "$work/want"`, true},
		{"t/a.py", `assert total([1, 2]) == 3`, true},
		{"t/a.py", `assert len(found) >= 1`, false},
		{"t/a.js", `assert.notEqual(sum(1), 2)`, false},
		{"t/a.js", `assert.equal(sum(1), 2)`, true},
		{"t/a.awk", `END { if (n != 4) bad = 1 }`, false},
	} {
		if got := contrary(lessons.Demand{File: c.file, Old: c.line}); got != c.want {
			t.Errorf("%s: %v, want %v", c.line, got, c.want)
		}
	}
}
