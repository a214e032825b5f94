package mutants

import (
	"slices"
	"strings"
	"testing"
)

// TestEffects: in languages with braces, and in Python, a line that does something is left out; one
// that declares, decides or goes on is not.
func TestEffects(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.c", "int f(int x) {\n\tint y = 1;\n\tcount(x);\n\ty2 += x;\n\tp->num = 2;\n\treturn (y);\n}\n",
			"count(x); y2 += x; p->num = 2;"},
		{"a.ts",
			"class A {\n" +
				"  add(x: number): void {\n" +
				"    const y = g(x);\n" +
				"    this.list.push(y);\n" +
				"    await this.save(y);\n" +
				"    if (y) done();\n    const f = () => 1;\n  }\n}\n", "this.list.push(y); await this.save(y);"},
		{"a.rs",
			"fn f(v: &mut Vec<u8>) -> R {\n" +
				"    let a = 1;\n" +
				"    v.push(a);\n" +
				"    v.check()?;\n" +
				"    println!(\"{}\", a);\n" +
				"    Ok(())\n" +
				"}\n",
			"v.push(a); v.check()?;"},
		{"A.java",
			"class A {\n" +
				"  private int n = 0;\n" +
				"  void f() {\n" +
				"    num++;\n" +
				"    this.n = g(n,\n" +
				"      1);\n" +
				"    log.info(n);\n" +
				"    return;\n" +
				"  }\n" +
				"}\n",
			"num++;"},
		{"a.py", "def f(x):\n    total = 0\n    seen.add(x)\n    raise ValueError(x)\n", "seen.add(x)"},
	} {
		s, _ := styleOf(c.file)
		var got []string
		for _, e := range tokenEdits(c.text, s) {
			if e.Operator == "statement" {
				got = append(got, c.text[e.From:e.To])
				if (e.New == "pass") != (s == python) {
					t.Errorf("%s: %q in its place", c.file, e.New)
				}
			}
		}
		slices.Sort(got)
		want := strings.Split(strings.ReplaceAll(c.want, "; ", ";\n"), "\n")
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.file, got, want)
		}
	}
}
