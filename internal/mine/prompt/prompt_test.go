package prompt

import (
	"fmt"
	"strings"
	"testing"

	"cookoff/internal/mine/sides"
)

func TestSymptom(t *testing.T) {
	check := func(message, want string, new ...string) {
		t.Helper()
		words := map[string]bool{}
		for _, w := range new {
			words[w] = true
		}
		if got := Symptom(message, words, nil); got != want {
			t.Errorf("%q\n got %q\nwant %q", message, got, want)
		}
	}
	check("Parser drops the last line (#12)\r\n\r\nFixes #12\r\nSigned-off-by: a", "Parser drops the last line")
	check("Counts are wrong. Use strings.FormatFloat here. They are too high.", "Counts are wrong. They are too high.",
		"FormatFloat")
	check("Crash on empty input\n\n- A test of the mean of nothing\n- Nothing has a mean",
		"Crash on empty input\n\n- Nothing has a mean")
	check("Crash on empty input\n\nAdd a test for it.\n\n## Tests\n\nran all", "Crash on empty input")
	check("Merge pull request #3 from a/b\n\nWrong sum", "Wrong sum")
	check("value of the line is kept", "value of the line is kept", "value", "line")
	check("call `value` first", "", "value")
	check("", "")
	check("red \x1b[31mwords\x07, \u202ehidden\u200b ones", "red words, hidden ones")
	check("Release v3.3.1", "")
	check("* Maps are kept [GH-203]\n* Zips are read ([#456] by [@sam])\n* Ends are kept (#4 by @a)\n* More (thanks @b)",
		"* Maps are kept\n* Zips are read\n* Ends are kept\n* More")
	check("## 1.2.8\n\n- Keys of prototypes are kept", "- Keys of prototypes are kept")
	check("wip\n\nCrash on empty input", "Crash on empty input")
	check("Fix #21: merge() changes its argument", "merge() changes its argument")
	check("#7: blanks\n\nCloses #3.", "blanks")
	check("Broken since 0a1b2c3d4e", "Broken since …")
	check("Remarks at line ends (#9)\n\n* wip\n\n* Blanks, too\n\n* address review",
		"Remarks at line ends\n\n* Blanks, too")
	check("Revert \"Names with commas\"\n\nThis reverts commit 0a1b2c3d4e.", `Revert "Names with commas"`)
	check("names with commas (rsplit instead of split)", "names with commas", "rsplit")
	check("use rsplit for names. They may have commas.", "They may have commas.", "rsplit")
	check("the value is used, not the default (as documented)",
		"the value is used, not the default (as documented)", "value")
	const said = "- 1.1 Numbers (of base_16) are read right"
	pairs := []sides.Pair{{Path: "a.py", Was: "\"\"\"\n\"\"\"\nx = 1\n",
		Now: "\"\"\"\n" + said + "\n\"\"\"\nx = 2\n"}}
	if got := Symptom(said+"\n\nSets x = 2.", sides.NewWords(pairs), sides.CodeOf(pairs)); got != said {
		t.Errorf("a list of changes in a file of code is no code: %q", got)
	}
}

// TestTitle: names are kept as they are; what Markdown reads otherwise is not.
func TestTitle(t *testing.T) {
	for message, want := range map[string]string{
		"parse_money: `1.5` is *not* 1.05 (#12)": "abc parse_money: 1.5 is not 1.05",
		"fix __init__ of _x [a](b)":              "abc fix __init__ of _x a (b)",
		"#7":                                     "abc no message",
		"- Use x > v, not x >= v; a <b> tag | c": "abc Use x > v, not x >= v; a b tag c",
	} {
		if got := Title("abc", message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

// TestTextOfManyTests: of many failing tests those within another are counted, so that each that fails is named.
func TestTextOfManyTests(t *testing.T) {
	broken := []Failing{{Name: "m TestSum"}, {Name: "m TestSum/wide"}, {Name: "m TestTrim"}}
	for i := range 20 {
		broken = append(broken, Failing{Name: fmt.Sprintf("m TestSum/wide/#%02d", i)})
	}
	got := Text("", "", "go test ./...", "", broken)
	if !strings.Contains(got, "fail:\n\n- m TestSum, and 21 within it\n- m TestTrim\n\nMend") {
		t.Error(got)
	}
	if got = Text("", "", "go test ./...", "", broken[:3]); !strings.Contains(got, "- m TestSum/wide\n") {
		t.Error(got)
	}
}

// TestTextOfRegisters: what registers tests is the judge's, which models are told: they may want to name a new file
// there.
func TestTextOfRegisters(t *testing.T) {
	const want = "A test that you don't see fails: has\n\nMend the code. The tests that judge are put in place " +
		"afterwards; those that you see are older. So is what runs them: what you change in CMakeLists.txt is lost."
	if got := Text("", "", "ctest", "", []Failing{{Name: "has"}}, "CMakeLists.txt"); got != want {
		t.Error(got)
	}
}
