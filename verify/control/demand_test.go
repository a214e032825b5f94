package control

import (
	"slices"
	"strings"
	"testing"

	"cookoff/verify/lessons"
)

// TestDemandsReachTheProgram: a line that is changed expects something else, and brings the test
// to the program as before. One that names what is loaded, or that no compiler takes, makes
// every program fail, and one that ends its test with success would seem mended.
func TestDemandsReachTheProgram(t *testing.T) {
	for _, c := range []struct{ file, line, want string }{
		{"test/a.js", `const { price } = require("../price.js");`, ""},
		{"test/a.mjs", `import { is } from "../test.js";`, ""},
		{"test/a.mjs", `const m = await import("../test.js");`, ""},
		{"tests/a.py", `sys.path.insert(0, "test")`, ""},
		{"tests/a.py", `from is_test import check`, ""},
		{"t/a.rb", `require_relative "../lib/test"`, ""},
		{"t/a.php", `require_once __DIR__ . '/../test.php';`, ""},
		{"t/a.sh", `. ./lib/test-5.sh`, ""},
		{"build/a_test", "\x7fELF\x00is(5, 'a')", ""},
		{"t/a.sh", `cd 'test'`, ""},
		{"t/a.py", `self.assertAlmostEqual(mean([1, 2]), 1.5, places=2)`, ""},
		{"t/a.js", `expect(mean([1, 2])).toBeCloseTo(1.5, 3)`, ""},
		{"t/a.js", `is("ten", 900, price(100, 10));`, `is("ten", 900, price(100, 11));|is("tenz", 900, price(100, 10));`},
		{"t/a.js", `assert.equal(first('ab'), 'a')`, `assert.equal(first('ab'), 'az')`},
		{"t/a.go", `require.Equal(t, 'a', first("ab"))`, `require.Equal(t, 'a', first("abz"))`},
		{"t/A.java", `is('a', first(S));`, `is('z', first(S));`},
		{"t/a.rs", `assert_eq!('z', first(s).0);`, `assert_eq!('y', first(s).0);`},
		{"t/a.rs", `fn is<'a>(x: &'a str, y: &'a str) {`, ""},
		{"t/a.rs", `assert_eq!(5, both().1);`, `assert_eq!(6, both().1);`},
		{"t/a.c", `assert(f(2) == 0.5);`, `assert(f(2) != 0.5);|assert(f(2) == 1.5);`},
		{"t/a.c", `printf("%sok\n", want == got ? "" : "not ");`, `printf("%sok\n", want != got ? "" : "not ");|` +
			`printf("%sok\n", want == got ? "" : "not z");`},
		{"t/a.c", `assert(f('\'') == '"' && !strcmp(g(), "a"));`, `assert(f('\'') != '"' && !strcmp(g(), "a"));|` +
			`assert(f('\'') == '"' && !strcmp(g(), "az"));`},
		{"t/a.sh", `sh net a | diff - "$f.want"`, `sh net a | diff /dev/null "$f.want"`},
		{"t/a.sh", `if ! diff -u "$a" b; then fail; fi`, `if ! diff -u /dev/null b; then fail; fi`},
		{"t/a.sh", `printf 'a\nb\n' > "$work/want"`, `printf 'za\nb\n' > "$work/want"`},
		{"t/a.sh", `is "$(say)" "it's \"so\""`, ""},
		{"t/a.sh", `is "$(say "a b")" 'a'`, `is "$(say "a b")" 'az'`},
		{"t/a.js", "is(`it's`, \"a\")", "is(`it's`, \"az\")"},
		{"t/a.sh", `[ "$(add 1 1)" = 2 ]`, `[ "$(add 1 1)" != 2 ]|[ "$(add 1 1)" = 3 ]`},
	} {
		var got []string
		for _, d := range demandsIn(c.file, c.line, false) {
			got = append(got, d.New)
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.file, c.line, s, c.want)
		}
	}
}

// TestDemandsThatComeFar: where a test says how far it came, a change with which it came nowhere is
// no demand; where it says nothing, nobody knows.
func TestDemandsThatComeFar(t *testing.T) {
	list := []lessons.Demand{{Line: 1}, {Line: 2}, {Line: 3}}
	lines := func(list []lessons.Demand) (out []int) {
		for _, d := range list {
			out = append(out, d.Line)
		}
		return out
	}
	good := "cc a.c\n1..3\nok 1\nok 2\nok 3\n"
	shown := []string{"cc a.c\n", "cc a.c\n1..3\nok 1\nok 2\nnot ok 3\n", "cc a.c\n1..3\nnot ok 1\nok 2\nok 3\n"}
	if got := lines(farthest(list, shown, good)); !slices.Equal(got, []int{2, 3}) {
		t.Error(got)
	}
	if got := lines(farthest(list, []string{"", "", ""}, "all passed\n")); !slices.Equal(got, []int{1, 2, 3}) {
		t.Error(got)
	}
}
