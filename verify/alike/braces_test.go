package alike

import "testing"

func TestSameBraced(t *testing.T) {
	for _, c := range []struct {
		file, was, is string
		want          bool
	}{
		{"a.c", "#include <a.h>\n/* why */\nint f(int *p){return p[0]>>1;}\n",
			"#include <a.h>\n/* why */\nint\nf(int* p)\n{\n  return p[0] >> 1;\n}\n", true},
		{"a.c", "#define A(x) \\\n\t((x)+1)\nint a[] = {1,2};",
			"#define A(x) \\\n  ((x)+1)\nint a[] = {\n\t1,\n\t2,\n};", true},
		{"a.h", "int f(void);\n", "/* More is said. */\nint f(void);\n", true},
		{"a.c", "int x=-1; char c='\\'', d='\"'; s = \"a // b\";",
			"int x = -1;\nchar c = '\\'', d = '\"';\ns = \"a // b\";", true},
		{"a.c", "s = \"a b\";", "s = \"a  b\";", false},
		{"a.c", "a - -b;", "a --b;", false},
		{"a.c", "// why\nf();", "f();", false},
		{"a.c", "f(); // g();", "f(); g();", false},
		{"a.c", "f();\ng();", "f();\n// x \\\ng();", false}, // the comment goes on
		{"a.c", "#define A 1\nB", "#define A 1 B", false},
		{"a.c", "x = 'a b'", "x  = 'a b'", false},
		{"a.c", "f(", "f (", false},
		{"a.c", "f)", "f )", false},
		{"a.c", "# if A\nx\n#endif", "#if A\n  x\n#endif", false}, // of the directive itself nothing is taken apart
		{"a.cpp", "auto s = R\"(a  b)\";", "auto s = R\"(a b)\";", false},
		{"a.cpp", "template <typename T> T* f(std::vector<T>& a){ return a->b; }",
			"template <typename T>\nT *f(std::vector<T> &a) {\n  return a->b;\n}", true},
		{"A.java", "class A{@Override int f(){return 1;}}",
			"class A {\n    @Override\n    int f() {\n        return 1;\n    }\n}\n", true},
		{"A.java", "/** Says. */ int a;", "int a;", false},
		{"A.java", "s = \"\"\"\n  a\n  \"\"\";", "s = \"\"\"\n a\n  \"\"\";", false},
		{"a.rs", "fn f<'a>(x:&'a str)->Vec<u8>{vec![1,2]}",
			"fn f<'a>(x: &'a str) -> Vec<u8> {\n    vec![\n        1,\n        2,\n    ]\n}\n", true},
		{"a.rs", "f(a,b); let c = 'x';", "f(\n    a,\n    b,\n);\nlet c = 'x';", true},
		{"a.rs", "let x = (1,);", "let x = (1);", false},
		{"a.rs", "let x = r#\"a  b\"#;", "let x = r#\"a b\"#;", false},
		{"a.cs", "var s = @\"a  b\";", "var s = @\"a b\";", false},
	} {
		if got := Same(c.file, []byte(c.was), []byte(c.is)); got != c.want {
			t.Errorf("%s: %q and %q: %v", c.file, c.was, c.is, got)
		}
	}
}

func TestSameShell(t *testing.T) {
	for _, c := range []struct {
		was, is string
		want    bool
	}{
		{"#!/bin/sh\nif a; then\n\tb\nfi\n", "#!/bin/sh\n# more\n\nif a\nthen b\nfi\n", true},
		{"a | b && c > d\n", "a |\n  b &&\n  c >d\n", true},
		{"cat <<X\n a\nX\n", "cat << X\n a\nX\n", true},
		{"cat <<X\n a\nX\n", "cat <<X\na\nX\n", false},
		{"# why\na\n", "a\n", false},
		{"#!/bin/sh\na\n", "#!/bin/bash\n#!/bin/sh\na\n", false},
		{"a\n", "#!/bin/false\na\n", false},
		{"a b\n", "a  'b'\n", false},
		{"a; b\n", "a && b\n", false},
		{"a (\n", "a  (\n", false},
	} {
		if got := Same("a.sh", []byte(c.was), []byte(c.is)); got != c.want {
			t.Errorf("%q and %q: %v", c.was, c.is, got)
		}
	}
}

// FuzzSameBraced: no text stops the judge.
func FuzzSameBraced(f *testing.F) {
	f.Add("int main(void) { return '\\n'; } // c\n")
	f.Fuzz(func(_ *testing.T, text string) {
		Same("a.c", []byte(text), []byte(text))
		Same("a.sh", []byte(text), []byte(text))
	})
}
