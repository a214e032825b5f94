package alike

import "testing"

func TestSameJS(t *testing.T) {
	const was = "#!/usr/bin/env node\nconst a = require('a'), re = /['\"]x\\/y/;\n// why\n" +
		"module.exports = x => { if (x) return {b: 1, 'c': `it's ${x}`}\n  else return [1,2] }\n"
	for _, c := range []struct {
		is   string
		want bool
	}{
		{"#!/usr/bin/env node\nconst a = require(\"a\"),\n  re = /['\"]x\\/y/;\n// why\nmodule.exports = (x) => {\n" +
			"  if (x) return { b: 1, 'c': `it's ${x}` };\n  else return [1, 2];\n};\n", true},
		{"#!/usr/bin/env node\n// more\n" + was[20:], true},
		{"#!/usr/bin/env node\nconst a = require(\"a\"), re = /['\"]x\\/y/;\n" +
			"module.exports = x => { if (x) return {b: 1, 'c': `it's ${x}`}\n  else return [1,2] }\n", false},
		{was[:len(was)-6] + "3] }\n", false},
		{was[20:], false},
		{was + "module.exports = 1\n", false},
		{was + "(", false},
	} {
		if got := Same("a.js", []byte(was), []byte(c.is)); got != c.want {
			t.Errorf("%s: %v", c.is, got)
		}
	}
	for _, pair := range [][2]string{{"x = 'a\\n'", "x = \"a\\n\""}, {"x = 'it\\'s'", "x = \"it's\""},
		{"x = '\"\\\\'", "x = \"\\\"\\\\\""}, {"t\n  .split('\\n')", "t.split(\"\\n\")"}} {
		if !Same("a.js", []byte(pair[0]), []byte(pair[1])) {
			t.Errorf("%q is not as %q", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"a\n(b)", "a;(b)"}, {"x = 'a\\n'", "x = 'a\\\\n'"}, {"x = '\\n'", "x = 'n'"},
		{"return_\nx", "return_ x"},
		{"function f() { return\n1 }", "function f() { return 1 }"},
		{"x = `'a'`", "x = `\"a\"`"}, {"x = 'a\\'b'", "x = \"a\\\"b\""}, {"x = /a b/", "x = /a  b/"}} {
		if Same("a.js", []byte(pair[0]), []byte(pair[1])) {
			t.Errorf("%q is as %q", pair[0], pair[1])
		}
	}
}

// FuzzSameJS: no text stops the judge, and each says what it says itself.
func FuzzSameJS(f *testing.F) {
	f.Add("const a = 'b'; // c\n")
	f.Add("x => ({...y, [z]: `a${b}`})")
	f.Add("((((((((")
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := program([]byte(text)); ok && !sameJS([]byte(text), []byte(text)) {
			t.Error("it is not the same as itself")
		}
	})
}
