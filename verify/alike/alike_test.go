package alike

import "testing"

func TestSame(t *testing.T) {
	for _, c := range []struct {
		file, was, is string
		want          bool
	}{
		{"a.go", "package a\nfunc F(a,b int)int{ return a }\n", "package a\n\nfunc F(a, b int) int {\n\treturn a\n}\n",
			true}, {"a.go", "package a\nvar x = `a b`\n", "package a\nvar x = `a  b`\n", false},
		{"a.go", "package a\nfunc F() { f(); g() }\n", "package a\nfunc F() {\n\tf()\n\tg()\n}\n", true},
		{"a.go", "package a\nfunc F() { f()\n(g)() }\n", "package a\nfunc F() { f()(g)() }\n", false},
		{"a.go", "package a // x\n", "package a // y\n", false},
		{"a.go", "package a // teh first name\n", "package a // The name that comes first, teh.\n", false},
		{"a.go", "package a // teh first name\n", "package a // The first name.\n", true},
		{"a.py", "def f():\n    \"\"\"Give teh name.\"\"\"\n", "def f():\n    \"\"\"Give the name, if any.\"\"\"\n", true},
		{"a.py", "x = 1  # type: ignore\n", "x = 1  # type: ignored\n", false},
		{"a.py", "# Copyright 2020 Ann\nx = 1\n", "# Copyright 2020 Bob\nx = 1\n", false},
		{"a.sh", "# Teh names of it.\nls\n", "# The names of it.\nls\n", true},
		{"a.go", "package a // x\n", "// Package a\npackage a // x\n\n// end\n", true},
		{"a.go", "package a\n", "//go:build ignore\n\npackage a\n", false},
		{"a.go", "package a\n", "package a\n\n/* x */\n", false},
		{"a.yaml", "a: 1\nb: [1, 2]\n", "# x\nb:\n  - 1\n  - 2\na: 1\n", true},
		{"a.yaml", "a: 1\n", "a: '1'\n", false},
		{"a.yaml", "a: 1\n---\nb: 1\n", "a: 1\n", false},
		{"a.go", "package a\nvar x = '\n", "package a\nvar  x = '\n", false},
		{"a.json", `{"a": 1.0, "b": [1, 2]}`, `{"b":[1,2],"a":1.0}`, true},
		{"a.json", `{"a": 10000000000000000001}`, `{"a": 10000000000000000002}`, false},
		{"a.json", `{"a": 1`, `{"a":1`, false},
		{"a.toml", "a=1\n[b]\nc='x'\n", "a = 1\n\n[b]\nc = \"x\"\n", true},
		{"Cargo.lock", "version = 3\n[[package]]\nname = 'a'\nversion = '1'\n",
			"version = 4\n[[package]]\nname = 'a'\nversion = '1'\n", true},
		{"Cargo.lock", "version = 3\n[[package]]\nname = 'a'\nversion = '1'\n",
			"version = 4\n[[package]]\nname = 'a'\nversion = '2'\n", false},
		{"go.mod", "module a\nrequire b v1\nrequire c v1\n", "module a\n\nrequire (\n\tb v1 // indirect\n\tc v1\n)\n",
			true}, {"go.mod", "module a\nrequire (\n", "module a\nrequire (\n\n", false},
		{"go.work", "go 1.21\nuse ./a\n", "go 1.21\nuse (\n\t./a\n\t./b\n)\n", false},
		{"a.yaml", "a: [x]\n", "a: !!python/object/apply:os.system [x]\n", false},
		{"a.yaml", "a: x\n", "a: !Ref x\n", false},
		{"a.yaml", "a: !Ref x\nb: !!str 1\n", "# y\nb: \"1\"\na: !Ref \"x\"\n", true},
		{"a.yaml", "a: !Ref x\nb: x\n", "a: x\nb: !Ref x\n", false},
		{"a.yaml", "a: &b [1]\nc: *b\n---\n---\nd: 2001-01-01\n", "a:\n- 1\nc: [1]\n---\n---\nd: 2001-01-01\n", true},
		{"notes.md", "a\n", "a \n", false},
		{"bin/a", "#!/bin/sh\nif x; then\n\ty\nfi\n", "#!/bin/sh\n# Says y.\nif x\nthen y; fi\n", true},
		{"bin/a", "#!/bin/sh\nx\n", "#!/bin/bash\nx\n", false},
		{"bin/a", "#!/usr/bin/env python3\na = 'x'\n", "#!/usr/bin/env python3\na = \"x\"\n", true},
		{"bin/a", "#!/usr/bin/awk -f\n{ a }\n", "#!/usr/bin/awk -f\n{  a }\n", false},
		{"bin/a", "x\n", "x  \n", false},
	} {
		if got := Same(c.file, []byte(c.was), []byte(c.is)); got != c.want {
			t.Errorf("%s: %q and %q: %v", c.file, c.was, c.is, got)
		}
	}
}

func TestEdited(t *testing.T) {
	const was = "# A\n\none\n\ntwo\n\nthree\n"
	for _, c := range []struct {
		file, is string
		want     bool
	}{
		{"README.md", "# A\n\none\n\n2\n\nthree\n", true},
		{"README.md", "# A\n\none\n\n2\n\nand\n\nthree\n", true},
		{"README.md", "# A\n\none\n\nthree\n", false},
		{"README.md", "# B\n\none\n\n2\n\nthree\n", false},
		{"app.py", "# A\n\none\n\n2\n\nthree\n", false},
	} {
		if got := Edited(c.file, []byte(was), []byte(c.is)); got != c.want {
			t.Errorf("%s: %q: %v", c.file, c.is, got)
		}
	}
}

func TestGrown(t *testing.T) {
	const python = "class T(TestCase):\n    def test_a(self):\n        x = 1\n        self.f(x)\n\n\n" +
		"if __name__ == \"__main__\":\n    main()\n"
	const goTests = "package a\n\nfunc TestA(t *testing.T) {\n\tf()\n}\n"
	for _, c := range []struct {
		file, was, is string
		want          bool
	}{
		{"README.md", "a\nb\n", "a\nnew\nb\nmore\n", true},
		{"README.md", "a\nb\n", "b\na\n", false},
		{".gitignore", "a\n", "a\nreturn\n", true},
		{".gitignore", "a\n", "a\n*\n", false},
		{".gitignore", "a\n", "a\n!a\n", false},
		{"main.py", "a\n", "a\nb\n", false},
		{"docs/use.md", "a\nb\n", "a\nc\nb\n", true},
		{"docs/names.txt", "a\nb\n", "a\nc\nb\n", true},
		{"names.txt", "a\nb\n", "a\nc\nb\n", false},
		{"AGENTS.md", "a\n", "a\nrun it\n", false},
		{".github/copilot.md", "a\n", "a\nrun it\n", false},
		{"requirements-dev.txt", "pytest\n", "pytest\n# lint\nruff==1.0 ; python_version > '3'\n", true},
		{"requirements.txt", "pytest\n", "--index-url https://x\npytest\n", false},
		{"requirements.txt", "pytest\n", "pytest\nmine @ https://x\n", false},
		{"requirements.txt", "pytest\n", "pytest\npytest==1.0\n", false},
		{"Makefile", "a: b\n\tcc\n", "a: b\n\tcc\n\n.PHONY: lint\nlint: ## checks\n\tvet\n", true},
		{"Makefile", "a: b\n\tcc\n", "lint:\n\tvet\na: b\n\tcc\n", false},
		{"Makefile", "a: b\n\tcc\n\n.PHONY: a\n", "a: b\n\tcc\n\nlint:\n\tvet\n\n.PHONY: a lint\n", true},
		{"Makefile", "a:\n\tcc\nc:\n\td\n", "a:\n\tcc\nlint:\n\tvet\nc:\n\td\n", true},
		{"Makefile", "a:\n\tcc\nc:\n\td\n", "a:\n\tcc\nc:\nlint:\n\td\n", false},
		{"Makefile", "a:\n\tcc\n", "a:\nlint:\n\tvet\n\tcc\n", false},
		{"Makefile", "a: app\n\tcc\n.PHONY: a\n", "a: app\n\tcc\n.PHONY: a app\n", false},
		{"Makefile", "a: b\n\tcc\n.PHONY: a\n", "a: b\n\tcc\nlint:\n\tvet\n.PHONY: lint\n", false},
		{"Makefile", "a: b\n\tcc\n", "a: b\n\tcc\na: c\n", false},
		{"Makefile", "a: b\n\tcc\n", "a: b\n\tcc\nlint a: c\n", false},
		{"Makefile", "a: b\n\tcc\n", "a: b\n\tcc\n\trm x\n", false},
		{"Makefile", "a: b\n\tcc\n", "a: b\n\tcc\nSHELL = /bin/true\n", false},
		{"Makefile", "a: b\n\tcc\n", "a: b\n\tcc\nlint: SHELL := x\n", false},
		{"Makefile", "all: app\n\tcc\n", "all: app\n\tcc\n.PHONY: app\napp:\n\trm x\n", false},
		{"Makefile", "all: a\n\tcc\n", "all: a\n\tcc\n.PHONY: Makefile\nMakefile:\n\trm x\n", false},
		{"Makefile", "all: a.o\n\tcc\n", "all: a.o\n\tcc\na.o:\n\trm x\n", false},
		{"Makefile", "-include x.mk\nall: a\n\tcc\n", "-include x.mk\nall: a\n\tcc\nx.mk:\n\trm x\n", false},
		{"Makefile", "all: $(X)\nX := $(wildcard src)\n", "all: $(X)\nX := $(wildcard src)\nsrc:\n\trm x\n", false},
		{"Makefile", "a: b\n\tcc\n", "a: b\n# \\\n\tcc\n", false},
		{"Makefile", "# why\na: b\n\tcc\n", "a: b\n\tcc\n", false},
		{"Makefile", "a: b\n\tcc\n", "a: b\n\tcc\n.PHONY: x\n", false},
		{".gitignore", "a\n", "a\n?*\n", false},
		{".gitignore", "a\n", "a\n[a-z]*\n", false},
		{"docs/CMakeLists.txt", "a\n", "a\nrun\n", false},
		{"pyproject.toml", "[project]\nname='a'\n",
			"[project]\nname='a'\n[tool.pylint.main]\ninit-hook='import os'\n", false},
		{"pyproject.toml", "[project]\nname='a'\n", "[project]\nname='a'\n[tool.mypy]\nplugins=['x.py']\n", false},
		{"pyproject.toml", "[project]\nname='a'\n",
			"[project]\nname='a'\n[dependency-groups]\ndev=['a @ file:///x']\n", false},
		{"a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tf()\n}\n",
			"//go:build ignore\n\npackage a\n\nfunc TestA(t *testing.T) {\n\tf()\n}\n", false},
		{"test_a.py", "def test_a():\n    f()\n", "def test_a():\n    f()\n\ntest_a.__test__ = False\n", false},
		{"Makefile", "a: b\n\tcc\n", "# builds\na: b\n# with cc\n\tcc\n\n# end\n", true},
		{"Makefile", ".PHONY: a\na: b\n\tcc\n",
			".PHONY: a\na: b\n\tcc\n\n.PHONY: a lint fmt\nlint: a\n\tvet\n\nfmt:\n\tfmt\n", true},
		{"pyproject.toml", "[project]\nname='a'\n[tool.mypy]\nplugins=['x.py']\n",
			"[project]\nname='a'\n[tool.mypy]\nplugins=['x.py']\nstrict=true\n", true},
		{"__snapshots__/a.snap", "exports[`a`] = `1`;\n", "exports[`a`] = `1`;\n\nexports[`b`] = `2`;\n", true},
		{"__snapshots__/a.snap", "exports[`a`] = `1`;\n", "exports[`a`] = `2`;\n", false},
		{"yarn.lock", "a@1:\n  version 1\n", "a@1:\n  version 1\n\nb@1:\n  version 1\n", true},
		{"yarn.lock", "a@1:\n  version 1\n", "a@1:\n  resolved x\n  version 1\n", false},
		{"package-lock.json", `{"packages":{"a":{"version":"1"}}}`,
			`{"packages":{"a":{"version":"1"},"b":{"version":"2"}}}`, true},
		{"package-lock.json", `{"packages":{"a":{"version":"1"}}}`, `{"packages":{"b":{"version":"2"}}}`, false},
		{"pnpm-lock.yaml", "packages:\n  /a@1: {x: y}\n", "packages:\n  /b@1: {x: y}\n\n  /a@1:\n    x: y\n", true},
		{"pnpm-lock.yaml", "packages:\n  /a@1: {x: y}\n", "packages:\n  /a@1: {x: z}\n", false},
		{"Cargo.lock", "[[package]]\nname='a'\n", "[[package]]\nname='b'\n[[package]]\nname='a'\n", true},
		{"poetry.lock", "[[package]]\nname='a'\n[metadata]\ncontent-hash='1'\n",
			"[[package]]\nname='b'\n[[package]]\nname='a'\n[metadata]\ncontent-hash='2'\n", true},
		{"poetry.lock", "[[package]]\nname='a'\n[metadata]\ncontent-hash='1'\n",
			"[[package]]\nname='b'\n[metadata]\ncontent-hash='2'\n", false},
		{"pyproject.toml", "[project]\nname='a'\n",
			"[project]\nname='a'\n[project.optional-dependencies]\ndev=['x']\n[tool.ruff]\na=1\n", true},
		{"pyproject.toml", "[project]\nname='a'\n[dependency-groups]\ndev=['x', 'y']\n",
			"[project]\nname='a'\n[dependency-groups]\ndev=['x', 'z', 'y']\n", true},
		{"pyproject.toml", "[project]\nname='a'\n", "[project]\nname='a'\n[tool.pytest.ini_options]\naddopts='x'\n",
			false}, {"pyproject.toml", "[project]\nname='a'\n", "[project]\nname='a'\nscripts={a='b'}\n", false},
		{"pyproject.toml", "[project]\nname='a'\n[tool.ruff]\na=1\n", "[project]\nname='a'\n", false},
		{"a_test.go", goTests, goTests + "\nfunc TestB(t *testing.T) {\n\tif x {\n\t\treturn\n\t}\n}\n", true},
		{"a_test.go", goTests, "package a\n\nfunc TestA(t *testing.T) {\n\tt.Skip()\n\tf()\n}\n", false},
		{"a_test.go", goTests, goTests + "\nfunc TestMain(m *testing.M) {}\n", false},
		{"a_test.go", goTests, goTests + "\nfunc init() { x = nil }\n", false},
		{"test_a.py", python,
			"class T(TestCase):\n    def test_a(self):\n        x = 1\n        self.f(x)\n\n    def test_b(self):\n" +
				"        raise ValueError\n\n\nif __name__ == \"__main__\":\n    main()\n", true},
		{"test_a.py", python,
			"class T(TestCase):\n    def test_a(self):\n        return\n        x = 1\n        self.f(x)\n\n\n" +
				"if __name__ == \"__main__\":\n    main()\n", false},
		{"test_a.py", python, python + "\nclass T(TestCase):\n    pass\n", false},
		{"a.test.js", "test('a', () => {\n  f();\n});\n",
			"test('a', () => {\n  f();\n});\n\ntest('before', () => {\n  g();\n});\n", true},
		{"a.test.js", "test('a', () => {\n  f();\n});\n",
			"test('a', () => {\n  f();\n});\n\ntest.only('b', () => {});\n", false},
	} {
		if got := Grown(c.file, []byte(c.was), []byte(c.is)); got != c.want {
			t.Errorf("%s: %q and %q: %v", c.file, c.was, c.is, got)
		}
	}
}

// TestOrders: a comment that a tool obeys is no mere comment, nor is one in which there is code.
func TestOrders(t *testing.T) {
	for _, c := range []struct{ file, was, is string }{
		{"A.java", "class A {\n int f() { return 1; }\n}\n",
			"class A {\n // \\u000a static { System.exit(0); }\n int f() { return 1; }\n}\n"},
		{"A.java", "class A {\n}\n", "class A {\n /* \\u002a/ static { System.exit(0); } /* */\n}\n"},
		{"a.ts", "export const a: number = b;\n", "// @ts-nocheck\nexport const a: number = b;\n"},
		{"a.ts", "export const a: number = b;\n", "// @ts-expect-error later\nexport const a: number = b;\n"},
		{"a.js", "f();\n", "/* eslint-disable */\nf();\n"},
		{"a.js", "f();\n", "f(); // eslint-disable-line no-undef\n"},
		{"a.js", "f();\n", "/** @jest-environment ./x.js */\nf();\n"},
		{"a.js", "f();\n", "/* istanbul ignore file */\nf();\n"},
		{"a.py", "f()\n", "# mypy: ignore-errors\nf()\n"},
		{"a.py", "f()\n", "f()  # type: ignore\n"},
		{"a.py", "f()\n", "f()  # noqa: E501\n"},
		{"a.py", "f()\n", "# pylint: disable=all\nf()\n"},
		{"a.py", "f()\n", "f()  # pragma: no cover\n"},
		{"a.sh", "f $x\n", "# shellcheck disable=SC2086\nf $x\n"},
		{"a.c", "f();\n", "f(); // NOLINT\n"},
		{"A.java", "f();\n", "// CHECKSTYLE:OFF\nf();\n"},
		{"a.css", "a{b:c}\n", "/* stylelint-disable */\na{b:c}\n"},
	} {
		if Same(c.file, []byte(c.was), []byte(c.is)) {
			t.Errorf("%s: %q", c.file, c.is)
		}
	}
	for _, c := range []struct{ file, was, is string }{
		{"a.ts", "// @ts-nocheck\nf(a,b);\n", "// @ts-nocheck\n// The type of f comes later.\nf(a, b);\n"},
		{"a.py", "f()  # noqa\n", "# Ignore what f says.\nf()  # noqa\n"},
		{"A.java", "/* \\u00e9 */\nf(a,b);\n", "/* \\u00e9 */\nf(a, b); // skip the rest\n"},
	} {
		if !Same(c.file, []byte(c.was), []byte(c.is)) {
			t.Errorf("%s: %q says something else", c.file, c.is)
		}
	}
}

// TestSameWritesNothing: the texts are read where they lie, also behind their end, by several at once.
func TestSameWritesNothing(t *testing.T) {
	for p, text := range map[string]string{
		"a.sh": "#!/bin/sh", "a": "#!/bin/bash\necho one\n", "a.py": "#!/usr/bin/python3\nprint(1)", "a.go": "package a",
		"a.js": "#!/usr/bin/node\nf()", "a.json": `{"a": 1}`, "a.yaml": "a: 1", "a.toml": "a = 1", "a.md": "# A",
		"Makefile": "a:\n\tb", ".gitignore": "a", "a.c": "int a;", "a.rs": "fn a() {}",
		"a.ini": "[a]\nb = 1", "go.mod": "module a",
	} {
		all := []byte(text + "XXXXXXXX")
		was := all[:len(text)]
		Same(p, was, append([]byte(text), "\n "...))
		if string(all) != text+"XXXXXXXX" {
			t.Errorf("%s is %q now", p, all)
		}
	}
}
