package alike

import "testing"

func TestSameTS(t *testing.T) {
	const was = "import {a} from './a'\n// why\nexport type Price = {net: number, gross?: number}\n" +
		"export const total = (list: Price[], of = x => x.net): number => list.map(p => of(p)).reduce((a, b) " +
		"=> a + b, 0)\n" +
		"export class Box<T> { private items: Array<Map<string, T>> = []; get(n: number): T { return " +
		"this.items[n]!.get(`n${n}`)! } }\n" +
		"const half = total([]) / 2, re = /['\"]x\\/y/g\n"
	const is = "import { a } from \"./a\";\n// why\nexport type Price = { net: number, gross?: number };\n" +
		"export const total = (\n  list: Price[],\n  of = (x) => x.net,\n" +
		"): number => list.map((p) => of(p)).reduce((a, b) => a + b, 0);\n" +
		"export class Box<T> {\n  private items: Array<Map<string, T>> = [];\n  get(n: number): T {\n" +
		"    return this.items[n]!.get(`n${n}`)!;\n  }\n}\n" +
		"const half = total([]) / 2,\n  re = /['\"]x\\/y/g;\n"
	if !Same("a.ts", []byte(was), []byte(is)) || !Same("a.mts", []byte(is), []byte("// more\n"+was)) {
		t.Error("what a formatter wrote is another program")
	}
	for _, pair := range [][2]string{ // members of types
		{"type A = { a: string, b: [x, y], c: { d: Map<K, V>, e: 1 } }",
			"type A = {\n  a: string;\n  b: [x, y];\n  c: { d: Map<K, V>; e: 1 };\n};\n"},
		{"export interface A<T> extends B { a: T, f(x: T, y: T): void, }",
			"export interface A<T> extends B {\n  a: T;\n  f(x: T, y: T): void;\n}\n"},
		{"let a: {b: 1, c: 2} = {b: 1, c: 2}", "let a: { b: 1; c: 2 } = { b: 1, c: 2 };"},
	} {
		if !Same("a.ts", []byte(pair[0]), []byte(pair[1])) {
			t.Errorf("%q is not as %q", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{"type A = { f(a: 1, b: 2): 3 }", "type A = { f(a: 1, c: 2): 3 }"}, {"type A = [a, b]", "type A = [a]"},
		{"a = {b, c}", "a = {b; c}"}, {"type = {b, c}", "type = {b; c}"}, {"enum A { B, C }", "enum A { B; C }"},
		{was, is + "export default 1\n"}, {was, is[:len(is)-3] + "i;\n"}, {"// why\nx()", "x()"},
		{"a\n(b)", "a;\n(b)"}, {"return\nx", "return x"}, {"f(() => 1)", "f(1)"}, {"[,]", "[]"},
		{"for (a; b;);", "for (; a; b);"}, {"a; ++b", "a ++\nb"},
		{"x = `'a'`", "x = `\"a\"`"}, {"x = 'a\\'b'", "x = \"a\\\"b\""}, {"x = /a b/", "x = /a  b/"},
		{"f(x)=>1", "f x=>1"}, {"x = 'a b'", "x = 'a  b'"}, {"a - -b", "a --b"},
	} {
		if Same("a.ts", []byte(pair[0]), []byte(pair[1])) {
			t.Errorf("%q is as %q", pair[0], pair[1])
		}
	}
}

func TestSameCSS(t *testing.T) {
	const was = "/* page */\n@import 'a.css';\na:hover,.b   > c{color:red;margin:0 auto}\n" +
		"@media (max-width: 9em){ p::before{content:'x y'} }\n"
	const is = "/* page */\n@import \"a.css\";\n\na:hover,\n.b > c {\n  color: red;\n  margin: 0 auto;\n}\n" +
		"@media (max-width: 9em) {\n  p::before {\n    content: \"x y\";\n  }\n}\n"
	if !Same("a.css", []byte(was), []byte(is)) || !Same("a.css", []byte(is), []byte(was)) {
		t.Error("what a formatter wrote is another style sheet")
	}
	for _, pair := range [][2]string{
		{was, is + "p{}"}, {was, is[11:]}, {"a :hover{}", "a:hover{}"}, {"a b{}", "a,b{}"},
		{"a{margin:0 1px}", "a{margin:01px}"},
		{".a.b{}", ".a .b{}"}, {"a{content:'x  y'}", "a{content:'x y'}"},
		{"a{color:red;color:blue}", "a{color:blue;color:red}"},
	} {
		if Same("a.css", []byte(pair[0]), []byte(pair[1])) {
			t.Errorf("%q is as %q", pair[0], pair[1])
		}
	}
}

// FuzzSameTS: no text stops the judge, and each says what it says itself.
func FuzzSameTS(f *testing.F) {
	f.Add("const a: Array<B<C>> = 'b'; // c\n")
	f.Add("x => ({...y, [z]: `a${b}`})")
	f.Add("a{b:c}/")
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := tsTokens([]byte(text)); ok && !sameTS([]byte(text), []byte(text)) {
			t.Error("it is not the same as itself")
		}
		if _, _, ok := cssTokens([]byte(text)); ok && !sameCSS([]byte(text), []byte(text)) {
			t.Error("it is not the same as itself")
		}
	})
}
