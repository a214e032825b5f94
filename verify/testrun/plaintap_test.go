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
