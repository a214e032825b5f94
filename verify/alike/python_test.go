package alike

import "testing"

func TestSamePython(t *testing.T) {
	const was = "import os\n\n# up\ndef up(s, *a):\n    'Upper'\n    return {'a':s.upper(),\n" +
		"     'b':[1,2]}\nx = (1,)\n"
	for name, c := range map[string]struct {
		is   string
		want bool
	}{
		"formatted": {"import os\n\n\n# up\ndef up(s, *a):\n  \"\"\"Upper\"\"\"\n  return {\n" +
			"    \"a\": s.upper(),\n    \"b\": [1, 2],\n  }\n\n\nx = (1,)\n", true},
		"black": {"import os\n\n\n# up\ndef up(s, *a):\n  \"Upper\"\n  return {\n    \"a\": s.upper(),\n" +
			"    \"b\": [1, 2],\n  }\n\n\nx = (1,)\n", true},
		"comments":       {"# a\n" + was + "# end\n", true},
		"an interpreter": {"#!/bin/other\n" + was, false},
		"hints": {"import os\nfrom typing import Any\n\n# up\ndef up(s: str, *a: Any) -> dict[str, \"Any\"]:\n" +
			"    'Upper'\n" +
			"    return {'a':s.upper(),\n     'b':[1,2]}\nx = (1,)\n", true},
		"a hint that calls": {"import os\n\n# up\ndef up(s: print(1), *a):\n    'Upper'\n    return {'a':s.upper(),\n" +
			"     'b':[1,2]}\nx = (1,)\n", false},
		"a hint of nobody": {"import os\n\n# up\ndef up(s: Nobody, *a):\n    'Upper'\n    return {'a':s.upper(),\n" +
			"     'b':[1,2]}\nx = (1,)\n", false},
		"a default": {"import os\n\n# up\ndef up(s=1, *a):\n    'Upper'\n    return {'a':s.upper(),\n" +
			"     'b':[1,2]}\nx = (1,)\n", false},
		"a docstring": {"'Mine'\n" + was, true},
		"no docstring": {"import os\n\n# up\ndef up(s, *a):\n    return {'a':s.upper(),\n     'b':[1,2]}\nx = (1,)\n",
			false},
		"no comment": {"import os\ndef up(s, *a):\n    'Upper'\n    return {'a':s.upper(),\n     'b':[1,2]}\n" +
			"x = (1,)\n", false},
		"no tuple": {"import os\n\n# up\ndef up(s, *a):\n    'Upper'\n    return {'a':s.upper(),\n" +
			"     'b':[1,2]}\nx = (1)\n", false},
		"other depth": {"import os\n\n# up\ndef up(s, *a):\n    'Upper'\n    return {'a':s.upper(),\n" +
			"     'b':[1,2]}\n    x = (1,)\n", false},
		"a string runs": {"f'{print(1)}'\n" + was, false},
		"an encoding":   {"# coding: utf-7\n" + was, false},
		"an import":     {"import sys\n" + was, false},
		"cut":           {was[:len(was)-3], false},
		"line ends": {"\ufeffimport os\r\n\r\n# up\r\ndef up(s, *a):\r\n    'Upper'\r\n" +
			"    return {'a':s.upper(),\r\n     'b':[1,2]}\r\nx = (1,)\r\n", true},
	} {
		if got := Same("a.py", []byte(was), []byte(c.is)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, c := range [][2]string{
		{"a = x[1,]\n", "a = x[1]\n"}, {"a = 'it\\'s'\n", "a = \"it is\"\n"}, {"if a:\n  b\nc\n", "if a:\n  b\n  c\n"},
		{"a = r'\\d'\n", "a = '\\d'\n"}, {"f(lambda x: x)\n", "f(lambda x: y)\n"}, {"x = 1\n", "x: int = 1\n"},
		{"def f(a=lambda x: x): pass\n", "def f(a=lambda x: z): pass\n"}, {"return (a,)\n", "return (a)\n"},
	} {
		if Same("a.py", []byte(c[0]), []byte(c[1])) {
			t.Errorf("%q and %q say the same", c[0], c[1])
		}
	}
}

func FuzzPython(f *testing.F) {
	f.Add("def f(a: int) -> str:\n  '''x'''\n  return [a,]\n")
	f.Fuzz(func(t *testing.T, src string) {
		if p := readPython(src); p.whole && !samePython([]byte(src), []byte(src)) {
			t.Errorf("%q is not itself", src)
		}
	})
}
