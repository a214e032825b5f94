package mine

import (
	"slices"
	"testing"

	"cookoff/internal/history"
	"cookoff/internal/history/historytest"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/sides"
)

// TestUnsaidOfNeeds: the worlds of a candidate that changes what the project needs begin with the commit itself, whose
// fix is taken back: what stands in it alone is said nowhere.
func TestUnsaidOfNeeds(t *testing.T) {
	dir := historytest.Made(t, `git init -q -b main . && git config user.name a && git config user.email a@b
c() { git add -A; git commit -q -m "$1"; }
printf 'def head(list):\n    return list[0]\n' > a.py; printf 'HINT = "said before"\n' > hints.py
printf 'def test_head():\n    assert head([1]) == 1\n' > test_a.py; echo 'x==1' > requirements.txt; c root
printf 'def head(list):\n    if not list:\n        raise ValueError("a list of nothing")\n    return list[0]\n' > a.py
printf 'def test_none():\n    with pytest.raises(ValueError, match="a list of nothing"):\n        head([])\n' |
	cat >> test_a.py
c 'wrong head'
sed -i 's/a list of nothing/said before/' a.py test_a.py; echo 'x==2' > requirements.txt; c 'said in another file'
sed -i 's/said before/no list at all/' a.py test_a.py; echo 'x==3' > requirements.txt; c 'another text'
`)
	repo, log := historytest.Read(t, dir)
	contents := history.NewContents(t.Context(), repo)
	defer contents.Close()
	want := map[string][]string{"wrong head": {"a list of nothing"}, "said in another file": nil,
		"another text": {"no list at all"}}
	for _, e := range log[:len(log)-1] {
		c, err := candidate.NewFinder(repo, log, false, "pytest").Look(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if needs := len(c.Needs) > 0; needs != (e.Message != "wrong head") {
			t.Errorf("%s: needs %v", e.Message, c.Needs)
		}
		fix, err := sides.Read(contents, c.Fix)
		if err != nil {
			t.Fatal(err)
		}
		tests, err := sides.Read(contents, c.Tests)
		if err != nil {
			t.Fatal(err)
		}
		w := &writer{attempt: &attempt{repo: repo, c: c}}
		got, err := w.unsaidTexts(t.Context(), fix, tests, "It fails.")
		if err != nil || !slices.Equal(got, want[e.Message]) {
			t.Errorf("%s: %q, %v, want %q", e.Message, got, err, want[e.Message])
		}
	}
}
