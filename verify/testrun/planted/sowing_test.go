package planted

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestPackageName(t *testing.T) {
	check := func(src, want string) {
		t.Helper()
		if got := packageName(src); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
	check("package a\n", "a")
	check("// Copyright\n//go:build linux\n\n/* package no\n   package either */\n\npackage a // b\n", "a")
	check("/* x */\npackage a_test;import \"x\"\n", "a_test")
	check("import \"x\"\npackage a\n", "")
	check("", "")
}

// TestLanguages: tests are found as they are written, and what is put into them
// leaves them what they are.
func TestLanguages(t *testing.T) {
	found := func(s *Language, text string) string {
		var names []string
		for _, x := range s.tests(text) {
			names = append(names, x.name)
		}
		return strings.Join(names, " ")
	}
	if got := found(Go(),
		"func TestA(t *testing.T) {\n}\nfunc TestB(t *testing.T) { t.Skip() }\nfunc TestMain(m *testing.M) {}\n"+
			"func helper(t *testing.T) {}\nfunc TestC(_ *testing.T) {}\n"+
			"func Testable(t *testing.T) {}\n"); got != "TestA TestB" {
		t.Error(got)
	}
	if got := found(Unittest(),
		"class T:\n    def test_a(self):\n        x = 1\n    def test_b(self):\n        'shown'\n        x\n"+
			"    def test_c(self): pass\n"+
			"    async def test_d(self) -> None:\n\n        await x\n    def other(self):\n        pass\n"+
			"    def test_e(self):\n        r = 2\n        fine\n"); got != "test_a test_d test_e" {
		t.Error(got)
	}
	if got := found(Node(), "test('a b', () => {})\n  it(\"c\", f)\ntest(name, f)\n"); got != "a b c" {
		t.Error(got)
	}
}

// TestNamesOfPlanted: planted tests have names of their own, but where a file
// may have a name twice, and the same seed draws the same.
func TestNamesOfPlanted(t *testing.T) {
	for _, src := range []*Language{Go(), Unittest(), Pytest(), Node()} {
		draw := func() []Addition {
			s := &Sowing{Language: src, Rand: rand.New(rand.NewPCG(7, 7))}
			return s.additions([]string{"TestOne", "test_two"})
		}
		adds := draw()
		if !slices.Equal(adds, draw()) {
			t.Errorf("%s: the same seed draws something else", src.glob)
		}
		seen := map[string]bool{"TestOne": true, "test_two": true}
		for _, a := range adds {
			if seen[a.Name] && !src.twice {
				t.Errorf("%s: %q twice", src.glob, a.Name)
			}
			seen[a.Name] = true
		}
		if len(adds) != src.kinds+1 || adds[0].kind != 0 {
			t.Errorf("%+v", adds)
		}
	}
}

// TestOnlyNamedFiles: where a test command names its files, tests are planted in those alone.
func TestOnlyNamedFiles(t *testing.T) {
	s := &Sowing{Language: Node(), Only: []string{"test/a.test.js", "tests/test_b.py"}}
	if got := s.choose([]string{"/work/test/a.test.js", "/work/test/b.test.js",
		"/work/x/xa.test.js"}); !slices.Equal(got, []string{"/work/test/a.test.js"}) {
		t.Errorf("planted in %q", got)
	}
}
