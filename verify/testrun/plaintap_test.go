package testrun

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// TestPlainTap: what programs print that nobody knows is read where it is TAP.
func TestPlainTap(t *testing.T) {
	for text, want := range map[string]string{
		"1..3\nok 1 - a\nnot ok 2 - b\n# got 3\nok 3 - c # SKIP no net\n": "a:ok b:bad c:",
		"TAP version 13\n" +
			"# group\n" +
			"ok 1 should be equal\n" +
			"not ok 2 should be equal\n" +
			"  ---\n" +
			"    ok 1 - in it\n" +
			"  ...\n\n" +
			"1..2\n": "should be equal:bad",
		"cc -o x x.c\nok 1 - a\r\nok\nok 2\nok 3 # TODO\n1..3\r\n": "a:ok",
		"1..1 # plan\nok 1 - a \\# b\n":                            "a # b:ok",
		"ok  \tcookoff/x\t0.1s\n":                                  "-",
		"okay\n1..x\n":                                             "-",
		"not okay\nok-ish\n1..0\n":                                 "",
	} {
		r := sandbox.Result{Stdout: []byte(text)}
		var got []string
		if !printsTap(r) {
			got = []string{"-"}
		} else {
			list := readPlainTap(r).Tests
			for _, name := range slices.Sorted(maps.Keys(list)) {
				how := ""
				switch one := list[name]; {
				case one.OK():
					how = "ok"
				case one.Failed > 0:
					how = "bad"
				}
				got = append(got, name+":"+how)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestTape: the titles of tape are tests, too, also of what throws, never ends or asserts nothing more.
func TestTape(t *testing.T) {
	const head = "> x@1 test\n> tape t.js\n\nTAP version 13\n"
	for text, want := range map[string]string{
		head + "# one\nok 1 a\nok 2 b\n# two\nok 3 a\n\n1..3\n# tests 3\n# pass 3\n\n# ok\n": "a:ok b:ok one:ok two:ok",
		head + "# one\nok 1 a\n# two\nok 2 b\n":                                              "a:ok b:ok one:ok; two",
		head + "# one\n":                                                                     "; one",
		head + "# one\nok 1 a\n# two\nnot ok 2 b\n  ---\n    operator: equal\n  ...\n# three\nok 3 c\n\n1..3\n": "a:ok b:bad c:ok " +
			"one:ok three:ok two:bad",
		head + "# one\nok 1 a\n# two\n# three\nok 2 b # SKIP\n\n1..2\n": "a:ok b: one:ok three:ok",
		head + "# one\nok 1 a\n\n1..1\n" + head + "# two\nok 1 b\n":     "a:ok b:ok one:ok; two",
		// Perl's and bats' comments are no titles.
		"1..2\nnot ok 1 a\n# (in test file t.bats, line 2)\nok 2 b\n":  "a:bad b:ok",
		"TAP version 13\n1..2\n# a note\nok 1 a\nok 2 b\n":             "a:ok b:ok",
		"TAP version 14\nnot ok 1 - a\n# why\n# so\nok 2 - b\n1..2\n":  "a:bad b:ok",
		"TAP version 13\n# Subtest: x\n    ok 1 - y\nok 1 - x\n1..1\n": "x:ok",
	} {
		got := readTape(sandbox.Result{Stdout: []byte(text)})
		var all []string
		for _, name := range slices.Sorted(maps.Keys(got.Tests)) {
			how := map[bool]string{true: "ok"}[got.Tests[name].OK()]
			if got.Tests[name].Failed > 0 {
				how = "bad"
			}
			all = append(all, name+":"+how)
		}
		said := strings.Join(all, " ")
		for _, name := range slices.Sorted(maps.Keys(got.unfinished)) {
			said += "; " + name
		}
		if said != want {
			t.Errorf("%q: %q, want %q", text, said, want)
		}
	}
}
