package declared

import (
	"strings"
	"testing"

	"cookoff/internal/mine/sides"
)

// TestFresh: of what a fix declares its tests are told that they name: what is new, or has another signature.
func TestFresh(t *testing.T) {
	for _, c := range []struct{ name, path, was, now, test, want string }{
		{"a function of Go's", "a.go", "package a\n\nfunc Old() {}\n",
			"package a\n\nfunc Old() {}\n\n// Sum adds.\n//\n// How is not told.\n" +
				"func Sum(a, b int) (n int, err error) { return a + b, nil }\n\nfunc other() {}\n",
			"Old(); Sum(1, 2)", "a.go: func Sum(a, b int) (n int, err error)\n    Sum adds.\n"},
		{"another signature, a method and a field", "a.go", "package a\n\ntype T struct{ A int }\n\n" +
			"func (t *T) Do() {}\nfunc F(a int) {}\n",
			"package a\n\ntype T struct {\n\tA int\n\tBoth map[string]int // of them\n}\n\nfunc (t *T) Do() {}\n" +
				"func (t *T) Go() {}\nfunc F(a, b int) {}\nvar Limit = 3\n",
			"T{Both: nil}.Go(); F(1, Limit); Do()", "a.go: type T struct { Both map[string]int }\n    of them\n" +
				"a.go: func (t *T) Go()\na.go: func F(a, b int)\na.go: var Limit int\n"},
		{"a variable has the type of its value", "a.go", "package a\n", "package a\n\nvar Loud = false\n" +
			"var ErrGone, Names = errors.New(\"gone\"), []string{\"a\"}\nvar At, Least, Run = &T{}, -1.5, func(a int) {}\n" +
			"var Any = find()\nconst Most = 9\n",
			"Loud; ErrGone; Names; At; Least; Run; Any; Most", "a.go: var Loud bool\na.go: var ErrGone error\n" +
				"a.go: var Names []string\na.go: var At *T\na.go: var Least float64\na.go: var Run func(a int)\n" +
				"a.go: var Any\na.go: const Most\n"},
		{"words in texts name nothing", "a.go", "package a\n", "package a\n\n" +
			"func Sum() {}\n", `t.Error("Sum") // Sum`, ""},
		{"what has moved", "a.go", "package a\n\nfunc Sum() {}\n", "package a\n\n// Sum is.\n" +
			"func Sum() { x() }\n", "Sum()", ""},
		{"Python", "a.py", "class A:\n    pass\n", "LIMIT = 3\n\n\nclass A:\n    def both(\n" +
			"        self, sep: str = \":\",\n    ) -> int:\n" +
			"        \"\"\"Give both.\"\"\"\n        return 1\n\n\ndef alone(): pass\n", "A().both(sep=LIMIT)",
			"a.py: class A { def both( self, sep: str = \":\", ) -> int }\n    Give both.\na.py: LIMIT\n"},
		{"JavaScript", "a.js", "", "/** Adds. */\nexport const sum = (a, b = 1) => a + b\n" +
			"exports.two = function (a) { return 2 }\n" +
			"export async function three(a) {\n  if (sum(1)) { two() }\n}\nclass A {\n  static four(b) {\n" +
			"    five(b)\n  }\n}\nexport const six = 6\n",
			"sum(two(three(A.four()), six)); five", "a.js: export async function three(a)\na.js: class A\n" +
				"a.js: export const sum = (a, b = 1)\n    Adds.\n" +
				"a.js: export const six\na.js: exports.two = function (a)\na.js: class A { static four(b) }\n"},
		{"JavaScript sets properties", "a.js", "", "function parse (t) {\n  out.every = Number(t)\n  out.all = (t)\n" +
			"  out.next = (from) => from + 1\n  this.left = 1\n  exports.go = function () {}\n}\nparse.strict = true\n",
			"parse().every.all.next(left, go, parse.strict)", "a.js: function parse (t)\na.js: out.next = (from)\n" +
				"a.js: this.left\na.js: exports.go = function ()\na.js: parse.strict\n"},
		{"TypeScript", "a.ts", "", "export function of(a: { x: number }, b?: string): number {\n}\n" +
			"export interface Both {\n}\n",
			"of(b as Both)", "a.ts: export function of(a: { x: number }, b?: string): number\n" +
				"a.ts: export interface Both\n"},
		{"Rust", "a.rs", "", "/// Adds.\n#[must_use]\npub fn sum(a: &[u8]) -> u8 {\n}\nimpl A {\n" +
			"    pub fn two(&self) -> u8 { 2 }\n}\n",
			"sum(A.two())", "a.rs: pub fn sum(a: &[u8]) -> u8\n    Adds.\na.rs: impl A { pub fn two(&self) -> u8 }\n"},
	} {
		test := sides.Pair{Path: "x_test" + c.path[strings.Index(c.path, "."):], Now: c.test + "\n"}
		got := Fresh([]sides.Pair{{Path: c.path, Was: c.was, Now: c.now}}, []sides.Pair{test})
		if Text(got) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, Text(got), c.want)
		}
	}
}

// TestExplains: a name that tests lack and the fix does not declare is none that can be told.
func TestExplains(t *testing.T) {
	list := []Declaration{{Path: "a/sums/sum.go", Name: "Sum", Text: "func Sum(a Adder) int"},
		{Path: "b/mean.py", Name: "of", Text: "def of(a)"},
		{Path: "c/index.js", Name: "last", Text: "export function last(a)"}}
	for names, want := range map[string]bool{"": false, "sums": true, "sum": false, "mean": true, "b": false, "c": true,
		"index": true, "Sum": true, "Adder": true, "Add": false, "Sum Other": false} {
		if got := Explains(list, strings.Fields(names)); got != want {
			t.Errorf("%q: %v", names, got)
		}
	}
	if Explains(nil, nil) {
		t.Error("nothing explains")
	}
}
