package alike

import "testing"

func TestSame(t *testing.T) {
	for _, c := range []struct {
		file, was, is string
		want          bool
	}{
		{"a.go", "package a\nfunc F(a,b int)int{ return a }\n", "package a\n\nfunc F(a, b int) int {\n\treturn a\n}\n", true},
		{"a.go", "package a\nvar x = `a b`\n", "package a\nvar x = `a  b`\n", false},
		{"a.go", "package a\nfunc F() { f(); g() }\n", "package a\nfunc F() {\n\tf()\n\tg()\n}\n", true},
		{"a.go", "package a\nfunc F() { f()\n(g)() }\n", "package a\nfunc F() { f()(g)() }\n", false},
		{"a.go", "package a // x\n", "package a // y\n", false},
		{"a.go", "package a\nvar x = '\n", "package a\nvar  x = '\n", false},
		{"a.json", `{"a": 1.0, "b": [1, 2]}`, `{"b":[1,2],"a":1.0}`, true},
		{"a.json", `{"a": 10000000000000000001}`, `{"a": 10000000000000000002}`, false},
		{"a.json", `{"a": 1`, `{"a":1`, false},
		{"a.toml", "a=1\n[b]\nc='x'\n", "a = 1\n\n[b]\nc = \"x\"\n", true},
		{"Cargo.lock", "version = 3\n[[package]]\nname = 'a'\nversion = '1'\n", "version = 4\n[[package]]\nname = 'a'\nversion = '1'\n", true},
		{"Cargo.lock", "version = 3\n[[package]]\nname = 'a'\nversion = '1'\n", "version = 4\n[[package]]\nname = 'a'\nversion = '2'\n", false},
		{"go.mod", "module a\nrequire b v1\nrequire c v1\n", "module a\n\nrequire (\n\tb v1 // indirect\n\tc v1\n)\n", true},
		{"go.mod", "module a\nrequire (\n", "module a\nrequire (\n\n", false},
		{"go.work", "go 1.21\nuse ./a\n", "go 1.21\nuse (\n\t./a\n\t./b\n)\n", false},
		{"notes.md", "a\n", "a \n", false},
	} {
		if got := Same(c.file, []byte(c.was), []byte(c.is)); got != c.want {
			t.Errorf("%s: %q and %q: %v", c.file, c.was, c.is, got)
		}
	}
}

func TestGrown(t *testing.T) {
	const python = "class T(TestCase):\n    def test_a(self):\n        x = 1\n        self.f(x)\n\n\nif __name__ == \"__main__\":\n    main()\n"
	const goTests = "package a\n\nfunc TestA(t *testing.T) {\n\tf()\n}\n"
	for _, c := range []struct {
		file, was, is string
		want          bool
	}{
		{"README.md", "a\nb\n", "a\nnew\nb\nmore\n", true},
		{"README.md", "a\nb\n", "b\na\n", false},
		{".gitignore", "a\n", "a\nreturn\n", true},
		{"main.py", "a\n", "a\nb\n", false},
		{"a_test.go", goTests, goTests + "\nfunc TestB(t *testing.T) {\n\tif x {\n\t\treturn\n\t}\n}\n", true},
		{"a_test.go", goTests, "package a\n\nfunc TestA(t *testing.T) {\n\tt.Skip()\n\tf()\n}\n", false},
		{"a_test.go", goTests, goTests + "\nfunc TestMain(m *testing.M) {}\n", false},
		{"a_test.go", goTests, goTests + "\nfunc init() { x = nil }\n", false},
		{"test_a.py", python, "class T(TestCase):\n    def test_a(self):\n        x = 1\n        self.f(x)\n\n    def test_b(self):\n        raise ValueError\n\n\nif __name__ == \"__main__\":\n    main()\n", true},
		{"test_a.py", python, "class T(TestCase):\n    def test_a(self):\n        return\n        x = 1\n        self.f(x)\n\n\nif __name__ == \"__main__\":\n    main()\n", false},
		{"test_a.py", python, python + "\nclass T(TestCase):\n    pass\n", false},
		{"a.test.js", "test('a', () => {\n  f();\n});\n", "test('a', () => {\n  f();\n});\n\ntest('before', () => {\n  g();\n});\n", true},
		{"a.test.js", "test('a', () => {\n  f();\n});\n", "test('a', () => {\n  f();\n});\n\ntest.only('b', () => {});\n", false},
	} {
		if got := Grown(c.file, []byte(c.was), []byte(c.is)); got != c.want {
			t.Errorf("%s: %q and %q: %v", c.file, c.was, c.is, got)
		}
	}
}
