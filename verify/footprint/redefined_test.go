package footprint

import "testing"

// TestRedefines: meanings that a program gives to what its tests are written with, and what only
// looks like it.
func TestRedefines(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       bool
	}{
		{"a.c", "int strcmp(const char *a, const char *b)\n{", true},
		{"a.c", "int strcmp(const char *a, const char *b)\n	for (;;) {", true}, // the brace is no new line
		{"a.c", "#define strcmp(a, b) alike(a, b)", true},
		{"a.c", "int fprintf(FILE *to, const char *text, ...) {", true},
		{"a.c", "void never(void) __asm__(\"exit\");", true},
		{"a.c", "int strcmp(const char *a, const char *b);", false},
		{"a.c", "	if (strcmp(a, b) != 0) {", false},
		{"a.c", "	return strcmp(a, b);\n}\nint main(void) {", false},
		{"a.c", "int area_cmp(const char *a) {", false},
		{"a.c", "int (*compare)(const char *, const char *) = strcmp;", false},
		{"a.sh", "test() { command test \"$@\"; }", true},
		{"a.sh", "diff() { command diff <(cat \"$1\") \"$2\"; }", true},
		{"a.sh", "for n in test diff; do eval \"function $n { :; }\"; done", true},
		{"a.sh", "alias diff=true", true},
		{"a.sh", "run_test() { test \"$1\" = x; }", false},
		{"a.sh", "if test \"$(money 5)\" = 0.05; then echo ok; fi", false},
		{"a.py", "case.assertEqual = lambda self, a, b: None", true},
		{"a.py", "setattr(case, 'assert' 'Equal', own)", true},
		{"a.py", "self.assertEqual(a, b)", false},
		{"a.js", "a['strict' + 'Equal'] = (is, want) => {};", true},
		{"a.js", "assert.ok = () => {};", true},
		{"a.js", "const { strictEqual } = require('assert');", false},
		{"a.js", "assert.ok(a == b)", false},
	} {
		if got := redefines(c.file, c.text, ""); got != c.want {
			t.Errorf("%s: %s: %v, want %v", c.file, c.text, got, c.want)
		}
	}
}
