package control

import (
	"testing"

	"cookoff/sandbox"
)

// TestDataThatSaysSomethingElse: a line of data says something else, as what reads data understands it.
func TestDataThatSaysSomethingElse(t *testing.T) {
	for line, want := range map[string]string{
		"total 330":         "total 9330",
		`  "total": 70,`:    `  "total": 970,`,
		"3.14":              "3.914",
		`  "paid": true,`:   `  "paid": false,`,
		`  "paid": null`:    `  "paid": null`,
		`  "items": [`:      `  "items": [`,
		"  },":              "  },",
		"one two":           "one twoz",
		`{"name": "Ann"}`:   `{"name": "Annz"}`,
		"":                  "",
		"items:":            "items:",
		"apples;yes":        "apples;yes",
		"<b>bold</b> ünder": "<b>bold</b> ünderz",
	} {
		if got := otherData(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// TestFilesOfWantedResults: they are known by their names, among tests and what those read.
func TestFilesOfWantedResults(t *testing.T) {
	files := sandbox.Manifest{{Path: "tests/b.out"}, {Path: "tests/b_1.out"}}
	for p, want := range map[string]bool{
		"tests/lists/one.want":       true,
		"tests/expected/big.json":    true,
		"testdata/golden/a.txt":      true,
		"pkg/testdata/a.golden":      true,
		"t/01.exp":                   true,
		"tests/case1.expected.txt":   true,
		"src/__snapshots__/a.snap":   true,
		"tests/b.out":                false,
		"tests/b_1.out":              false,
		"tests/lists/one.txt":        false,
		"tests/expected_test.py":     false,
		"lib/expected.json":          false,
		"tests/unexpectedness.txt":   false,
		"fixtures/answers/first.csv": true,
	} {
		if got := isWanted(p, files); got != want {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
}
