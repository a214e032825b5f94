package offers

import (
	"strings"
	"testing"
)

func TestLost(t *testing.T) {
	const (
		goText = "package limit\n\ntype Limit struct{ n int }\n\nfunc (l *Limit) Allow() bool { return l.n > 0 }\n\n" +
			"// Forget forgets.\nfunc (l *Limit) Forget() { l.n = 0 }\n\nfunc helper() {}\n"
		pyText = "def parse(text):\n    return int(text)\n\n\ndef _own():\n    pass\n\n\ndef total(texts):\n" +
			"    \"\"\"All.\"\"\"\n    return sum(parse(t) for t in texts)\n"
		jsText = "const split = (l) => l.split(',');\n\nfunction count(l) {\n  return split(l).length;\n}\n\n" +
			"module.exports = { split, count };\n"
	)
	for _, c := range []struct {
		path, was, is, others string
		users                 []string
		want                  string
	}{
		{"limit.go", goText, strings.Replace(goText, "> 0", ">= 0", 1), "", nil, ""},
		{"limit.go", goText, "package limit\n\ntype Limit struct{ n int }\n\n// Forget is gone.\n" +
			"func (l *Limit) Allow() bool { return true }\n", "", nil, "gone Forget"},
		{"limit.go", goText, strings.Replace(goText, "{ l.n = 0 }", "{}", 1), "", nil, "hollow Forget"},
		{"limit.go", goText, strings.Replace(goText, "{ l.n = 0 }", "{\n\treturn\n}", 1), "", nil, "hollow Forget"},
		{"limit.go", goText, "package limit\n", goText, nil, ""},                              // in another file
		{"limit.go", goText, "", strings.ReplaceAll(goText, "Limit", "L"), nil, "gone Limit"}, // under another name
		{"limit.go", goText, "package limit\n\ntype Limit struct{ n int }\n\nfunc (l *Limit) Allow() bool " +
			"{ return true }\n", "", []string{"func main() { l.Forget() }"}, ""},
		{"parse.py", pyText, "def parse(text):\n    return int(text or 0)\n", "", nil, "gone total"},
		{"parse.py", pyText, "from ._parser import parse, total\n", "", nil, ""},
		{"parse.py", pyText, "from ._parser import *\n", "def parse(text): ...", nil, ""},
		{"parse.py", pyText, "", "def parse(text):\n    return 1\n\n\ndef total(x):\n    return 2\n", nil, ""},
		{"parse.py", pyText, "def parse(text):\n    return int(text)\n\n\ndef total(texts):\n    " +
			"\"\"\"All.\"\"\"\n    pass\n",
			"", nil, "hollow total"},
		{"split.js", jsText, strings.Replace(jsText, ", count }", " }", 1), "", nil, "gone count"},
		{"split.js", jsText, "exports.split = 1;\nexports.count = 2;\n", "", nil, ""},
		{"split.js", jsText, "module.exports = require('./new');\n", "", nil, ""},
		{"split.js", jsText, "module.exports = { ...require('./new') };\n", "", nil, ""},
		{"split.js", jsText, "export { a as split };\nexport function count(l) {\n  return null;\n}\n", "", nil,
			"hollow count"},
		{"split.js", jsText, "process.exit(0)\n", "", nil, ""}, // checks miss it
		{"split.ts", "export const a = 1;\nexport interface B {}\n", "export const a = 2;\n", "", nil, "gone B"},
	} {
		gone, hollow := Module{c.path, c.was, c.users}.Lost(c.is, c.others)
		var got []string
		for _, name := range gone {
			got = append(got, "gone "+name)
		}
		for _, name := range hollow {
			got = append(got, "hollow "+name)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s now %q: %s, want %s", c.path, c.is, text, c.want)
		}
	}
}

func TestOutside(t *testing.T) {
	for _, c := range []struct {
		path, text string
		inPackage  bool
		want       bool
	}{
		{"limit/limit.go", "package limit\n", false, true}, {"main.go", "package main\n", false, false},
		{"internal/x/x.go", "package x\n", false, false}, {"a/b.py", "def x(): pass\n", true, true},
		{"b.py", "def x(): pass\n", false, false}, {"a/cli.py", "if __name__ == '__main__':\n", true, false},
		{"lib/a.js", "exports.a = 1\n", false, true}, {"bin/a.js", "#!/usr/bin/env node\n", false, false},
		{"a.rb", "", true, false},
	} {
		if got := Outside(c.path, c.text, c.inPackage); got != c.want {
			t.Errorf("%s: %v", c.path, got)
		}
	}
}
