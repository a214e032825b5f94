package candidate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cookoff/internal/history"
	"cookoff/internal/history/historytest"
	"cookoff/internal/mine/lines"
)

// several is a history in which several commits are candidates together, and others are not.
const several = `git init -q -b main . && git config user.name a && git config user.email a@b
c() { git add -A; git commit -q -m "$1"; }
echo 0 | tee a.py b.py c.py > test_a.py; echo 'q = "a"' >> test_a.py; c root
echo 1 >> test_a.py; c 'a test that fails'
echo 1 >> a.py; c 'half of it'
echo 2 >> a.py; c 'all of it'
echo w > README.md; c words
echo 3 >> a.py; c 'one thing'
echo 4 >> a.py; c 'another thing'
echo 5 >> test_a.py; c 'their test'
echo w >> README.md; c more
echo 6 >> a.py; echo 6 >> test_a.py; c 'wrong sum (#7)'
echo 7 >> a.py; c 'what the review found (#7)'
echo w >> README.md; c rest
echo 8 >> a.py; echo 8 >> test_a.py; c 'wrong mean (#8)'
echo 9 >> a.py; c 'another issue (#9)'
echo w >> README.md; c rest2
echo 'x = ("b", 1)' >> a.py; c 'without a test'
sed -i "s/\"/'/g; s/, 1/,1/" a.py test_a.py; c 'new quotes'
echo 12 >> test_a.py; c 'the test for it'
echo w >> README.md; c rest3
echo 9 >> a.py; echo 9 >> test_a.py; c 'wrong top'
echo 10 >> a.py; c 'fixup! wrong top'
git checkout -q -b topic HEAD~3
echo 11 >> a.py; c 'in a branch'; echo w >> README.md; c '- its words'; echo 11 >> test_a.py; c 'and its test'
git checkout -q main
`

// TestSpread: several commits that follow one another are a candidate where together they
// are tests and the code that these have to do with.
func TestSpread(t *testing.T) {
	dir := historytest.Made(t, several)
	want := map[string]int{"half of it": 2, "all of it": 3, "their test": 3, "what the review found (#7)": 2,
		"wrong sum (#7)": 1, "wrong mean (#8)": 1, "new quotes": 1,
		"the test for it": 3, "wrong top": 1, "fixup! wrong top": 2,
		"and its test": 3}
	repo, log := historytest.Read(t, dir)
	m := NewFinder(repo, log, false, "x")
	for _, e := range log {
		n := 0
		c, err := m.Look(t.Context(), e)
		if err == nil {
			n = c.Commits
		}
		if n != want[e.Message] {
			t.Errorf("%q: %d commits, want %d (%v)", e.Message, n, want[e.Message], err)
		}
		if e.Message == "the test for it" && c.FullMessage != "without a test" {
			t.Errorf("%q: what says how code looks says nothing of what was wrong", c.FullMessage)
		}
		if e.Message == "and its test" && c.FullMessage != "in a branch" {
			t.Errorf("%q: documents say nothing of what was wrong", c.FullMessage)
		}
		if e.Message == "all of it" && (c.FullMessage != "half of it\n\nall of it" || len(c.Almost) != 1) {
			t.Errorf("%q: %q, %v", e.Message, c.FullMessage, c.Almost)
		}
	}
}

// TestRanges: a range is a candidate of all that was done in it; ranges that have commits in common, and what is no
// range, are told.
func TestRanges(t *testing.T) {
	repo, err := history.Open(t.Context(), historytest.Made(t, several))
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := Ranges(t.Context(), repo, []string{"main..topic", "main...topic"})
	if err != nil || len(list) != 1 || lines.First(list[0].Message) != "in a branch" {
		t.Fatalf("a range: %+v, %v", list, err)
	}
	c, err := NewFinder(repo, list, true, "x").Look(t.Context(), list[0])
	if err != nil || len(c.Tests) != 1 || len(c.Fix) != 1 {
		t.Errorf("a range: %+v, %v", c, err)
	}
	list, overlaps, err := Ranges(t.Context(), repo, []string{"main~2..main", "main~4..main~1", "main~7..main~5"})
	if err != nil || len(list) != 3 || !slices.Equal(overlaps, []Overlap{{"main~2..main", "main~4..main~1", 1}}) {
		t.Errorf("ranges that overlap: %+v, %+v, %v", list, overlaps, err)
	}
	for bad, why := range map[string]string{"main": "is no range", "..x": "is no range", "main..nothing": "nothing",
		"topic..main~5": "has nothing that"} {
		_, _, err := Ranges(t.Context(), repo, []string{bad})
		if no, ok := errors.AsType[*RangeError](err); !ok || !strings.Contains(no.Error(), why) {
			t.Errorf("%s: %v, want %s", bad, err, why)
		}
	}
}
