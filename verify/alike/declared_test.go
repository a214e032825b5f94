package alike

import "testing"

func TestUnreleased(t *testing.T) {
	for _, c := range []struct {
		file, was, is string
		want          bool
	}{
		{"a/__init__.py", "x = 1\n__version__ = '1.0.0'\n", "x = 1\n__version__ = '1.0.1'\n", true},
		{"a/__init__.py", "__version__ = '1.0.0'\n", "__version__ = '0.9.0'\n", false},
		{"a/__init__.py", "x = 1\n__version__ = '1.0.0'\n", "x = 2\n__version__ = '1.0.1'\n", false},
		{"setup.py", "setup(\n    version='1.9.0',\n)\n", "setup(\n    version='1.10.0',\n)\n", true},
		{"setup.py", "    min_version='1.0.0',\n", "    min_version='1.0.1',\n", false},
		{"v.go", "const Version = \"1.0.0\"\n", "const Version = \"1.1.0-rc1\"\n", true},
		{"v.h", "#define VERSION \"1.0.0\"\n", "#define VERSION \"1.0.1\"\n", true},
		{"V.java", "    static final String VERSION = \"1.0\";\n", "    static final String VERSION = \"1.1\";\n", true},
		{"v.js", "exports.version = '1.0.0';\n", "exports.version = '1.0.1';\n", true},
		{"lib.sh", "version=1.0.0\n", "version=1.0.1\n", true},
		{"VERSION", "1.0.0\n", "1.0.1\n", true},
		{"VERSION", "1.0.0\n", "one\n", false},
		{"data.json", `{"version": "1.0.0"}`, `{"version": "1.0.1"}`, false},
		{"a_test.go", "const Version = \"1.0.0\"\n", "const Version = \"1.0.1\"\n", false},
		{"pyproject.toml", "[project]\nname = 'a'\nversion = \"0.3.1\"\n[tool.x]\na = 1\n",
			"[project]\nname = 'a'\nversion = \"0.3.2\"\n[tool.x]\na = 1\n", true},
		{"pyproject.toml", "[tool.x]\nversion = '1.0'\n", "[tool.x]\nversion = '1.1'\n", false},
		{"Cargo.toml", "[package]\nversion = '1.0.0'\n[dependencies.b]\nversion = '1.0.0'\n",
			"[package]\nversion = '1.0.0'\n[dependencies.b]\nversion = '1.0.1'\n", false},
		{"Cargo.toml", "[package]\nversion = '1.0.0'\n", "[package]\nversion = '1.0.1'\n", true},
		{"setup.cfg", "[metadata]\nversion = 1.2\n", "[metadata]\nversion = 1.3\n", true},
	} {
		text, higher := Unreleased(c.file, []byte(c.was), []byte(c.is))
		if got := higher && string(text) == c.was; got != c.want {
			t.Errorf("%s: %q and %q: %v", c.file, c.was, c.is, got)
		}
	}
}

func TestDeclared(t *testing.T) {
	const (
		py = "import os\n\n\n" +
			"def a(n):\n" +
			"    return n\n\n\n" +
			"class B:\n" +
			"    def m(self):\n" +
			"        return a(1)\n\n" +
			"    def n(self):\n" +
			"        return 2\n"
		js = "'use strict';\n\n" +
			"const { a } = require('./a');\n\n" +
			"function b(n) {\n" +
			"  return a(n);\n" +
			"}\n\n" +
			"module.exports = { b };\n"
		golang = "package a\n\nimport \"fmt\"\n\nfunc A() string {\n\treturn fmt.Sprint(1)\n}\n"
		c      = "#include \"a.h\"\n\nint a(int n)\n{\n\treturn n;\n}\n"
		jv     = "final class A {\n    static int a(int n) {\n        return n;\n    }\n}\n"
	)
	put := func(text, before, more string) string {
		for i := range len(text) - len(before) + 1 {
			if text[i:i+len(before)] == before {
				return text[:i] + more + text[i:]
			}
		}
		t.Fatalf("no %q", before)
		return ""
	}
	for name, x := range map[string]struct {
		file, was, is string
		want          bool
	}{
		"a function":         {"a.py", py, py + "\n\ndef c(n):\n    return n + 1\n", true},
		"a function between": {"a.py", py, put(py, "class B", "def c(n):\n    return n + 1\n\n\n"), true},
		"a method":           {"a.py", py, put(py, "    def n", "    def o(self):\n        return 3\n\n"), true},
		"a comment in other words": {"a.py", "# Teh first.\n" + py,
			"# The first.\n" + py + "\n\ndef c(n):\n    return n\n", true},
		"a class":                {"a.py", py, py + "\n\nclass C(B):\n    \"\"\"Of its own.\"\"\"\n    x = 1\n", true},
		"a constant":             {"a.py", py, put(py, "\n\ndef a", "\nLIMIT: int = 3\n"), true},
		"an import":              {"a.py", py, "import sys\n" + py, true},
		"a decorator":            {"a.py", py, py + "\n\n@property\ndef c(n):\n    return n\n", true},
		"a name that is there":   {"a.py", py, py + "\n\ndef a(n):\n    return 0\n", false},
		"a name that it uses":    {"a.py", py, py + "\n\nos = None\n", false},
		"a call":                 {"a.py", py, py + "\n\nprint(1)\n", false},
		"an early end":           {"a.py", py, put(py, "    return n\n", "    return 0\n"), false},
		"a condition":            {"a.py", py, put(py, "    return n\n", "    if n:\n        pass\n"), false},
		"a class around methods": {"a.py", py, put(py, "    def n", "class C:\n    x = 1\n\n"), false},
		"an import of all":       {"a.py", py, py + "from os.path import *\n", false},
		"a patch":                {"a.py", py, py + "setattr(os, 'x', 1)\n", false},
		"js: a function":         {"a.js", js, put(js, "module.exp", "function c() {\n  return 1;\n}\n\n"), true},
		"js: exported":           {"a.js", js, js[:len(js)-5] + ", c };\n", false},
		"js: exported too": {"a.js", js,
			put(js[:len(js)-len("module.exports = { b };\n")]+"module.exports = { b, c };\n", "module.exp",
				"const c = () => 1;\n\n"),
			true},
		"js: exported behind": {"a.js", js, js + "module.exports.c = () => 1;\n", true},
		"js: exported anew": {"a.js", js + "module.exports.c = 1;\n",
			js + "module.exports.c = 1;\nmodule.exports.c = () => 1;\n", false},
		"js: takes more": {"a.js", js,
			put(js[:14]+"\nconst { a, z } = require('./a');\n"+js[14+len("\nconst { a } = require('./a');\n"):],
				"module.exp", ""),
			true},
		"js: a call":      {"a.js", js, js + "b(1);\n", false},
		"js: a prototype": {"a.js", js, js + "Array.prototype.x = 1;\n", false},
		"go: a function":  {"a.go", golang, golang + "\n// B is new.\nfunc B() int {\n\treturn 1\n}\n", true},
		"go: a type": {"a.go", golang,
			golang + "\ntype T struct {\n\tn int\n}\n\nfunc (t T) N() int { return t.n }\n", true},
		"go: a method": {"a.go", golang + "\ntype T int\n",
			golang + "\ntype T int\n\nfunc (t *T) N() int { return 1 }\n", true},
		"go: a method that fmt calls": {"a.go", golang + "\ntype T int\n",
			golang + "\ntype T int\n\nfunc (t T) String() string { return \"\" }\n", false},
		"go: an init":            {"a.go", golang, golang + "\nfunc init() { x() }\n", false},
		"c: a function":          {"a.c", c, c + "\nint b(int n)\n{\n\treturn n + 1;\n}\n", true},
		"c: a header":            {"a.c", c, put(c, "#include", "#include <string.h>\n"), true},
		"c: a macro":             {"a.c", c, put(c, "int a", "#define a b\n"), false},
		"c: a macro before more": {"a.c", c, put(c, "int a", "#define a b\nint c(int n);\n"), false},
		"c: at the start":        {"a.c", c, c + "\n__attribute__((constructor)) void b(void)\n{\n}\n", false},
		"java: a method more": {"A.java", jv,
			jv[:len(jv)-2] + "\n    static int b(int n) {\n        return n + 1;\n    }\n}\n", true},
		"java: at the start": {"A.java", jv,
			jv[:len(jv)-2] + "\n    static {\n        System.exit(0);\n    }\n}\n", false},
		"tests":     {"test_a.py", py, py + "\n\ndef c(n):\n    return n\n", false},
		"of others": {"vendor/a.py", py, py + "\n\ndef c(n):\n    return n\n", false},
	} {
		if got := Declared(x.file, []byte(x.was), []byte(x.is)); got != x.want {
			t.Errorf("%s: %v\n%s", name, got, x.is)
		}
	}
}
