package candidate

import "testing"

// What a merge brought is said in its own words, or by subjects that say something.
func TestMergeWords(t *testing.T) {
	check := func(message, want string, subjects ...string) {
		t.Helper()
		if got := mergeWords(message, subjects); got != want {
			t.Errorf("%q, %q: %q, want %q", message, subjects, got, want)
		}
	}
	merge := "Merge pull request #3 from a/sort\n"
	check(merge+"\nTitles with ß came last", "Titles with ß came last", "casefold", "tests")
	check(merge+"\nTitles with ß came last", "Titles with ß came last\n\n- sort titles in the order of a dictionary",
		"casefold", "sort titles in the order of a dictionary")
	check(merge, "- sort titles in the order of a dictionary", "use casefold", "sort titles in the order of a dictionary")
	check(merge, "- wrong order", "wrong order", "wip")
	check(merge, "")
}
