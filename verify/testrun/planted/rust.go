package planted

import (
	"fmt"
	"strings"

	"cookoff/internal/pattern"
)

// rustTest is a test with no attribute between the one that makes it one and the function.
var rustTest = pattern.New(
	`(?m)^[ \t]*#\[(?:\w+::)*test\][ \t]*\r?\n([ \t]*)(?:pub )?(?:async )?fn (\w+)\(\)[^{;]*\{`)

// Rust has tests of files that hold nothing else print values: a module of tests that
// stands in a file of code is the contestant's as that code is. No test is added.
func Rust() *Language {
	return &Language{
		glob: "**/{tests/**/*.rs,*_test.rs,*_tests.rs,test.rs,tests.rs}", is: pattern.New(`\.rs$`),
		tests: func(text string) (list []testAt) {
			for _, m := range rustTest.FindAllStringSubmatchIndex(text, -1) {
				if !rustAttributes(text[:m[0]]) {
					list = append(list, testAt{name: text[m[4]:m[5]], at: m[1], indent: text[m[2]:m[3]]})
				}
			}
			return list
		},
		says: func(_ testAt, v value, fails bool) string {
			end := ""
			if fails {
				end = " seen::panic!();"
			}
			return fmt.Sprintf(" { #[allow(unused_extern_crates)] extern crate std as seen; "+
				"seen::println!(\"{}\", %du64.wrapping_mul(%du64));%s }", v.a, v.b, end)
		},
		added: func(string, []Addition, bool) (string, bool) { return "", false },
		named: func(name, _ string) string { return name },
		file:  func(base, _ string) string { return base },
	}
}

// rustAttributes reports whether a text ends with an attribute: of a test it may say that it
// must panic.
func rustAttributes(before string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.HasSuffix(line, "]") && (strings.Contains(line, "#[") ||
		strings.HasPrefix(strings.TrimSpace(line), ")"))
}
