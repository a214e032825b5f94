package alike

import (
	"strings"
	"testing"
)

// texts of tests; the marks {1}, {2} and so on are where something may be put.
var grownTexts = map[string]string{
	"tests/ends.rs": "use spans::Span;\n" +
		"{1}\n" +
		"#[test]\n" +
		"fn first() {\n" +
		"    let s = Span { from: 1, to: 3 };\n" +
		"{2}    assert!(s.has(1));\n" +
		"}\n" +
		"{3}",
	"test/shop/CartTest.java": "package shop;\n\n" +
		"public class CartTest {\n" +
		"    static int bad;\n\n" +
		"    @Test\n" +
		"{4}    public void one() {\n" +
		"        Cart c = new Cart();\n" +
		"{1}        is(c.total(), 0);\n" +
		"{2}        System.exit(bad == 0 ? 0 : 1);\n" +
		"    }\n" +
		"{3}}\n",
	"test/ring_test.c": "#include \"ring.h\"\n" +
		"{1}\n" +
		"int main(void)\n" +
		"{\n" +
		"\tint bad = 0;\n" +
		"{2}\tif (f() != 1)\n" +
		"{4}\t\tbad++;\n" +
		"{3}\treturn bad > 0;\n" +
		"}\n",
	"test/run.sh": "#!/usr/bin/env bash\n" +
		"fail=0\n" +
		"check() {\n" +
		"  if [ \"$2\" != \"$3\" ]; then\n" +
		"    fail=1\n" +
		"  fi\n" +
		"}\n" +
		"{1}out=$(bin/x 1)\n" +
		"check one \"$out\" 1 &&\n{3}  echo one\n{2}exit $fail\n",
	"test/t": "#!/bin/sh\nset -e\n[ \"$(bin/x 1)\" = 1 ]\n{1}",
	"t.bats": "@test \"one\" {\n  run bin/x 1\n{1}  [ \"$status\" = 0 ]\n}\n{2}",
	"test_a.py": "import a\n\n" +
		"{1}def test_a():\n" +
		"    x = a.f()\n" +
		"{2}    assert x == 1\n" +
		"{3}\n\n" +
		"@fixture\n" +
		"{4}def two():\n" +
		"    return 2\n",
	"a.test.js": "const a = require('./a');\n" +
		"{1}test('one', () => {\n" +
		"  const x = a();\n" +
		"{2}  if (x)\n" +
		"{3}    expect(x).toBe(1);\n" +
		"});\n",
	"a_test.go": "package a\n\n{1}func TestA(t *testing.T) {\n\tx := f()\n{2}\tif x != 1 {\n{3}\t\tt.Fatal(x)\n\t}\n}\n",
	"a_spec.rb": "describe A do\n{1}  it 'is one' do\n    expect(A.f).to eq(1)\n{2}  end\nend\n",
	"b_test.cc": "TEST(A, One) {\n  EXPECT_EQ(f(), 1);\n}\n{1}",
}

// put puts a text at a mark and takes the other marks away.
func put(file, mark, text string) (was, is string) {
	was, is = grownTexts[file], strings.Replace(grownTexts[file], mark, text, 1)
	for _, m := range []string{"{1}", "{2}", "{3}", "{4}"} {
		was, is = strings.ReplaceAll(was, m, ""), strings.ReplaceAll(is, m, "")
	}
	return was, is
}

// TestTestsGrow: tests and what helps them are put beside those that are there.
func TestTestsGrow(t *testing.T) {
	for _, c := range [][3]string{
		{"tests/ends.rs", "{3}", "\n#[test]\nfn last() {\n    assert!(!Span { from: 1, to: 3 }.has(3));\n}\n"},
		{"tests/ends.rs", "{1}",
			"\n" +
				"#[test]\n" +
				"fn before() {\n" +
				"    for n in 0..2 {\n" +
				"        if n == 1 { continue; }\n" +
				"        g(n);\n" +
				"    }\n" +
				"}\n"},
		{"tests/ends.rs", "{2}", "    assert!(!s.has(3)); // the end\n"},
		{"tests/ends.rs", "{1}", "use std::collections::HashMap;\n\nfn helper(n: i64) -> i64 {\n    return n;\n}\n"},
		{"test/shop/CartTest.java", "{2}", "        c.add(new Item(0, 9));\n        is(c.total(), 650);\n"},
		{"test/shop/CartTest.java", "{3}",
			"\n    @Test\n    public void two() {\n        if (x()) return;\n        is(1, 1);\n    }\n"},
		{"test/shop/CartTest.java", "{4}", "    public void two() {\n        is(1, 1);\n    }\n\n    @Test\n"},
		{"test/ring_test.c", "{3}", "\tif (g() != 6) {\n\t\tbad++;\n\t}\n"},
		{"test/ring_test.c", "{1}", "#include <string.h>\n\nstatic int twice(int n)\n{\n\treturn 2 * n;\n}\n"},
		{"test/run.sh", "{2}", "check two \"$(bin/x 2)\" 2\n"},
		{"test/run.sh", "{2}",
			"out=$(bin/x 2)\n" +
				"check two \"$out\" 2\n" +
				"for i in 1 2; do check \"$i\" \"$(bin/x $i)\" \"$i\"; done\n"},
		{"test/run.sh", "{1}", "line() {\n  tail -n 1 \"$1\"\n  return 0\n}\nprintf '%s' check > /tmp/x\n"},
		{"test/t", "{1}", "[ \"$(bin/x 2)\" = 2 ]\n(cd /tmp && exit 0)\n"},
		{"t.bats", "{2}", "\n@test \"two\" {\n  skip\n  run bin/x 2\n  [ \"$output\" = 2 ]\n}\n"},
		{"test_a.py", "{3}", "    x = a.f(2)\n    assert x == 2\n"},
		{"test_a.py", "{3}",
			"\n\n" +
				"@pytest.mark.parametrize(\"n\", [1, 2])\n" +
				"def test_b(n):\n" +
				"    if n:\n" +
				"        return\n" +
				"    assert a.f(n)\n"},
		{"test_a.py", "{4}", "def three():\n    return 3\n\n\n@fixture\n"},
		{"a.test.js", "{1}",
			"const b = require('./b');\n\n" +
				"test('two', async () => {\n" +
				"  for (const x of y) { if (x) continue; }\n" +
				"  expect(await b()).toBe(`${2}`)\n" +
				"})\n\n"},
		{"a_test.go", "{1}", "func TestB(t *testing.T) {\n\tx := f()\n\tif x == 2 {\n\t\treturn\n\t}\n\tt.Skip()\n}\n\n"},
		{"a_spec.rb", "{1}", "  it 'is two' do\n    return if A.g\n    expect(A.g).to eq(2)\n  end\n\n"},
		{"a_spec.rb", "{2}", "    expect(A.g).to eq(2)\n"},
		{"b_test.cc", "{1}", "\nTEST(A, Two) {\n  EXPECT_EQ(f(), 2);\n}\n"},
	} {
		was, is := put(c[0], c[1], c[2])
		if !Grown(c[0], []byte(was), []byte(is)) {
			t.Errorf("%s: not grown: %q", c[0], c[2])
		}
	}
}

// TestTestsHindered: what is put beside tests takes them away, ends them, stands in for what
// they ask with, or has them forget what they found.
func TestTestsHindered(t *testing.T) {
	for _, c := range [][3]string{
		{"tests/ends.rs", "{1}", "#![cfg(never)]\n"},
		{"tests/ends.rs", "{1}", "#[ignore]\n"},
		{"tests/ends.rs", "{1}", "#[cfg(never)]\n"},
		{"tests/ends.rs", "{1}", "macro_rules! assert { ($($x:tt)*) => {}; }\n"},
		{"tests/ends.rs", "{1}", "use crate::mine::assert;\n"},
		{"tests/ends.rs", "{2}", "    return;\n"},
		{"tests/ends.rs", "{2}", "    let s = Span { from: 0, to: 9 };\n"},
		{"tests/ends.rs", "{2}", "    std::process::exit(0);\n"},
		{"tests/ends.rs", "{2}", "    if false\n"},
		{"tests/ends.rs", "{2}", "    /*\n"},
		{"test/shop/CartTest.java", "{2}", "        bad = 0;\n"},
		{"test/shop/CartTest.java", "{2}", "        bad--;\n"},
		{"test/shop/CartTest.java", "{1}", "        if (false)\n"},
		{"test/shop/CartTest.java", "{1}", "        c = new Cart();\n"},
		{"test/shop/CartTest.java", "{3}", "    static void is(int a, int b) {}\n"},
		{"test/shop/CartTest.java", "{3}", "    static { bad = 9; System.exit(0); }\n"},
		{"test/shop/CartTest.java", "{4}", "    @Disabled\n"},
		{"test/shop/CartTest.java", "{4}", "    public void two() {}\n"},
		{"test/ring_test.c", "{1}", "#define main other\n"},
		{"test/ring_test.c", "{1}", "#include \"mine.h\"\n"},
		{"test/ring_test.c", "{2}", "#if 0\n"},
		{"test/ring_test.c", "{3}", "\tbad = 0;\n"},
		{"test/ring_test.c", "{3}", "\texit(0);\n"},
		{"test/ring_test.c", "{4}", "\t\t;\n"},
		{"test/ring_test.c", "{1}", "__attribute__((constructor)) static void begin(void)\n{\n\tf();\n}\n"},
		{"test/ring_test.c", "{1}", "static int f(void)\n{\n\treturn 1;\n}\n"},
		{"test/run.sh", "{2}", "fail=0\n"},
		{"test/run.sh", "{2}", "exit 0\n"},
		{"test/run.sh", "{2}", "e=exit\n$e 0\n"},
		{"test/run.sh", "{2}", "read -r fail <<< 0\n"},
		{"test/run.sh", "{2}", "trap 'exit 0' EXIT\n"},
		{"test/run.sh", "{1}", "check() { :; }\n"},
		{"test/run.sh", "{1}", "bin/x() { echo 1; }\n"},
		{"test/run.sh", "{1}", "PATH=$PWD/mine:$PATH\n"},
		{"test/run.sh", "{1}", ": << 'E'\n"},
		{"test/run.sh", "{1}", "if false; then\n"},
		{"test/run.sh", "{1}", "[ \"$1\" = more ] ||\n"},
		{"test/run.sh", "{1}", "echo \\\n"},
		{"test/run.sh", "{3}", "  true\n"},
		{"test/t", "{1}", "exec true\n"},
		{"t.bats", "{1}", "  skip later\n"},
		{"t.bats", "{1}", "  status=0\n"},
		{"test_a.py", "{1}", "@unittest.skip('later')\n"},
		{"test_a.py", "{1}", "@patch('a.f', return_value=1)\n"},
		{"test_a.py", "{1}", "'''\n"},
		{"test_a.py", "{2}", "    x = 1\n"},
		{"test_a.py", "{2}", "    def helper():\n        pass\n    return\n"},
		{"test_a.py", "{1}", "def f():\n    pass\n\n\nexit()\n"},
		{"test_a.py", "{4}", "def three():\n    return 3\n"},
		{"a.test.js", "{1}", "/*\n"},
		{"a.test.js", "{2}", "  if (x > 1)\n"},
		{"a.test.js", "{2}", "  const f = () => 1;\n  return;\n"},
		{"a.test.js", "{1}", "const y = `\n"},
		{"a.test.js", "{1}", "process.on('exit', () => {});\n"},
		{"a_test.go", "{2}", "\tx = 1\n"},
		{"a_test.go", "{3}", "\t\tx++; return\n"},
		{"a_test.go", "{1}", "/*\n"},
		{"a_spec.rb", "{1}", "=begin\n"},
		{"a_spec.rb", "{2}", "    if false\n"},
	} {
		was, is := put(c[0], c[1], c[2])
		if Grown(c[0], []byte(was), []byte(is)) {
			t.Errorf("%s: grown: %q", c[0], c[2])
		}
	}
}

// TestTestsByName: files of tests by the customs of their languages, and what only lies beside.
func TestTestsByName(t *testing.T) {
	for p, want := range map[string]bool{
		"tests/ends.rs": true, "src/test/java/a/CartTest.java": true, "test/ring_test.c": true, "t/run.sh": false,
		"test/run": true, "tests/a/b.sh": true, "test.sh": true, "src/testing.rs": false, "lib/contest.sh": false,
		"tests/conftest.py": false, "test/setup.js": false, "test/a.js": true, "tests/data.json": false,
		"node_modules/x/test/a.js": false, "CartTests.cs": true, "src/Latest.java": false, "tests/test_helper.bash": false,
	} {
		if IsTest(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
}

// TestMoreRounds: a list that a test goes through may have more in it; what a test demands may not.
func TestMoreRounds(t *testing.T) {
	for _, c := range []struct {
		was, is string
		want    bool
	}{
		{`for in, want := range map[string]int{"1": 1, "2": 2} {`,
			`for in, want := range map[string]int{"1": 1, "2": 2, "3.": 300, "2.9": 290} {`, true},
		{`for in, want := range map[string]int{"1": 1} {`, `for in, want := range map[string]int{"0": 0, "1": 1} {`, true},
		{`for in, want := range map[string]int{"1": 1} {`, `for in, want := range map[string]int{"1": 1, "1": 2} {`, false},
		{`for in, want := range map[string]int{"1": 1} {`, `for in, want := range map[string]int{"1": 1}; skip {`, false},
		{`@pytest.mark.parametrize("a", ["x", "y"])`, `@pytest.mark.parametrize("a", ["x", "y", "z"])`, true},
		{`    for a, b in [(1, 2)]:`, `    for a, b in [(1, 2), (3, 4)]:`, true},
		{`    assert f() == [1, 2]`, `    assert f() == [1, 2, 3]`, false},
		{`    for a in [1, 2]:`, `    for a in [1, 2, exit()]:`, false},
	} {
		if got := moreRounds(c.was, c.is); got != c.want {
			t.Errorf("%s, then %s: %v", c.was, c.is, got)
		}
	}
}
