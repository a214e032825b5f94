package control

import (
	"math/rand/v2"
	"slices"
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
		{"t/a.sh", `[ "$(sorted a | head -n 1)" = apple ] || fail "the first"`, true},
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

// TestSpread: whatever is drawn, each line that is sure to be asked comes before other lines of its file, and before a
// line comes again.
func TestSpread(t *testing.T) {
	list := demandsIn("tests/run.sh", `fail() { echo "not ok - $1"; exit 1; }
printf 'a\nb\n' > "$work/want"
diff "$work/got" "$work/want" || fail "two words"
[ "$(sorted data/list.txt | head -n 1)" = apple ] || fail "the first"
[ "$(count data/list.txt)" = 4 ] || fail "how many"
echo "all is well, should it be"
`, false)
	for seed := range uint64(50) {
		var lines []int
		for _, d := range spread(rand.New(rand.NewPCG(seed, 1)), slices.Clone(list))[:4] {
			lines = append(lines, d.Line)
		}
		slices.Sort(lines)
		if !slices.Equal(lines, []int{2, 3, 4, 5}) {
			t.Fatalf("seed %d: the first lines are %v", seed, lines)
		}
	}
}
