package control

import (
	"math/rand/v2"
	"strings"
	"testing"

	"cookoff/verify/lessons"
)

// TestNamesOfTests: which words of tests may be others, and how lines read with them.
func TestNamesOfTests(t *testing.T) {
	for _, c := range []struct{ file, text, program, names, line, want string }{
		{"x_test.go", "import (\n\t\"example.org/lamp\"\n)\nlamp.On(\"Berta\", \"berta9 lives\") // Otto\n", "lives", "berta",
			`lamp.On("Berta", "berta9 lives")`, `lamp.On("B?rta", "b?rta9 lives")`},
		{"test_x.py", "import otto\ncheck(hall('Karla'), 'Hall of karla')\n# 'Emil'\n", "hall of", "karla",
			"check(hall('Karla'), 'Hall of karla')", "check(hall('K?rla'), 'Hall of k?rla')"},
		{"test_x.py", `eq(handle("Petra Lindqvist"), "plindqvist2")`, "", "lindqvist petra",
			`eq(handle("Petra Lindqvist"), "plindqvist2")`, `eq(handle("P?tra L?ndqvist"), "pl?ndqvist2")`},
		{"x.test.js", "const way = require('./way'); eq(way('GET', 'Monday', `anna`), \"it\\'s anna\")\n", "", "", "", ""},
		{"x.test.js", "eq(way('GET', 'Monday', `anna`), \"it\\'s anna\")\n", "", "anna",
			"eq('anna', annas)", "eq('a?na', annas)"},
		{"test.c", `assert(len('a', "otto") == 4);`, "", "otto", `len('a', "otto")`, `len('a', "o?to")`},
		{"x.test.js", "eq(many('leaf'), 'leaves'); eq(many('otto'), 'ottos'); eq(one('cities'), 'city'); eq(f('anna'), 'b')",
			"", "anna",
			"'leaf'", "'leaf'"},
		{"t.sh", `printf 'berta,1\nberta,2\n'; is "$(x)" 'berta 3'`, "", "berta", `printf 'berta,1\nberta,2\n'`,
			`printf 'b?rta,1\nb?rta,2\n'`},
		{"t.sh", `test "$(greet otto)" = "hello otto"; greet otto`, "", "hello", "", ""},
		{"t.sh", "anna() { :; }; test \"anna\" = \"$x\"\n", "", "", "", ""},
	} {
		names, own := namesIn(map[string]string{c.file: c.text}, wordsOf(c.program))
		if got := strings.Join(names, " "); got != c.names {
			t.Errorf("%q: names %q, want %q", c.text, got, c.names)
			continue
		}
		to := map[string]string{}
		for _, n := range names {
			if to[n] = n[:1] + "?" + n[2:]; len(otherName(rand.New(rand.NewPCG(1, 2)), n)) != len(n) {
				t.Errorf("%s gets another length", n)
			}
		}
		if got := renamed(c.line, to, own); got != c.want {
			t.Errorf("%q: %q, want %q", c.line, got, c.want)
		}
	}
}

// TestProse: what a prompt shows is no part of what it says.
func TestProse(t *testing.T) {
	got := prose("Levels are bronze.\n\n    want silver\n\n```\ngold\n```\n\tplatin\nAll of `iron`.\n")
	if want := "Levels are bronze.\n\n\nAll of `iron`.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOtherName: the first and the last letter stay, others change, vowels to vowels.
func TestOtherName(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		for _, name := range []string{"ann", "otto", "petra", "lindqvist"} {
			got := otherName(draw, name)
			if got == name || len(got) != len(name) || got[0] != name[0] || got[len(got)-1] != name[len(name)-1] {
				t.Fatalf("%s: %s", name, got)
			}
			for i := range got {
				if strings.ContainsRune(vowels, rune(got[i])) != strings.ContainsRune(vowels, rune(name[i])) {
					t.Fatalf("%s: %s", name, got)
				}
			}
		}
	}
}

// TestRenames: all lines of all files, in order.
func TestRenames(t *testing.T) {
	tests := map[string]string{"b.py": "x('anna')\n\ny('ANNA', 'annas')", "a.py": "z('anna')"}
	_, own := namesIn(tests, nil)
	var got []string
	for _, d := range renames(tests, map[string]string{"anna": "alna"}, own) {
		got = append(got, d.File+" "+d.New)
		if d.Line == 0 || d == (lessons.Demand{}) {
			t.Errorf("%+v", d)
		}
	}
	if want := "a.py z('alna'); b.py x('alna'); b.py y('ALNA', 'alnas')"; strings.Join(got, "; ") != want {
		t.Errorf("%q", got)
	}
}
