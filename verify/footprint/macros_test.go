package footprint

import (
	"testing"

	"cookoff/sandbox"
)

// TestMacrosOfTests: macros that tests in C are written with mean nothing to a program, unless it defines them
// itself; a header's own guard may be called as one of them.
func TestMacrosOfTests(t *testing.T) {
	s := &Start{Texts: map[string]sandbox.Item{}}
	for p, text := range map[string]string{
		"t/check.h":      "#ifndef CHECK_H\n#define CHECK_H\n#define CHECK_LONG(a, b) do {} while (0)\n#endif\n",
		"t/money_test.c": "#define PRICES 3\n", "src/money.c": "#define PRICES 4\n", "src/money.h": "#define MONEY_H\n",
		"src/test_own.c": "#define ROWS 3\n", "lib/list.h": "#define LIST 1\n",
	} {
		s.Texts[p] = sandbox.Item{Path: p, Data: []byte(text)}
	}
	for _, c := range []struct{ text, want string }{
		{"#ifdef CHECK_H\n#undef CHECK_LONG\n#define CHECK_LONG(a, b) 0\n#endif\n", Redefines},
		{"#if defined(CHECK_H)\n#endif\n", Onlooker},
		{"# ifndef ROWS\nlong a;\n#endif\n", Onlooker},
		{"#ifndef CHECK_H\n#define CHECK_H\nlong check(long);\n#endif\n", ""},
		{"#define MONEY_H\n#ifdef PRICES\n#endif\n#if LIST\n#endif\n", ""},
		{"CHECK_LONG(1, 2);\n", ""},
	} {
		got := ""
		if differences := ofTestMacros("src/till.h", c.text, s); len(differences) > 0 {
			got = differences[0].What
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
