package kind

import (
	"strings"
	"testing"
)

// TestOnlyRegisters: a build file that only says which tests there are is the judge's.
func TestOnlyRegisters(t *testing.T) {
	const cmake = `cmake_minimum_required(VERSION 3.10)
project(span C)
add_library(span src/span.c) # the library
enable_testing()
add_executable(test_len tests/test_len.c)
target_link_libraries(test_len PRIVATE span)
add_test(NAME len COMMAND test_len)
`
	const registers = `add_executable(test_cut tests/test_cut.c)
target_link_libraries(test_cut PRIVATE span)
add_test(NAME cut COMMAND test_cut)
set_tests_properties(cut PROPERTIES TIMEOUT 5)
`
	const loop = "project(a C)\nadd_library(a a.c)\nforeach(t one)\n  add_executable(${t} tests/${t}.c)\n" +
		"  add_test(${t} ${t})\nendforeach()\n"
	const within = "project(a C)\nadd_library(a a.c)\nif(BUILD_TESTING)\n" +
		"add_executable(t1 check/one.c)\nadd_test(one t1)\nendif()\n"
	const makefile = `CC ?= cc
TESTS = test_len
OBJS = src/span.o
all: libspan.a
libspan.a: $(OBJS)
	$(AR) rcs $@ $^
test_len: tests/test_len.c libspan.a
	$(CC) -o $@ $^
test: $(TESTS)
	./test_len
clean:
	rm -f test_len
.PHONY: all test
`
	add := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in the text", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	for _, c := range []struct {
		path, was, now string
		want           bool
	}{
		{"CMakeLists.txt", cmake, cmake + registers, true},
		{"CMakeLists.txt", cmake, strings.ReplaceAll(cmake, "# the library", "") + registers, true},
		{"CMakeLists.txt", cmake, add(cmake, "tests/test_len.c", "tests/test_len.c src/span.c"), true},
		{"CMakeLists.txt", loop, add(loop, "one", "one two"), true},
		{"CMakeLists.txt", within, add(within, "endif", "add_executable(t2 check/one.c)\nadd_test(two t2)\nendif"), true},
		{"cmake/tests.cmake", cmake, cmake + registers, true},
		{"CMakeLists.txt", cmake, add(cmake, "src/span.c", "src/span.c src/cut.c") + registers, false},
		{"CMakeLists.txt", cmake, cmake + strings.Replace(registers, "test_cut.c", "test_cut.c src/cut.c", 1), false},
		{"CMakeLists.txt", cmake, cmake + registers + "target_compile_definitions(span PRIVATE X=1)\n", false},
		{"CMakeLists.txt", cmake, cmake + "if(WIN32)\n" + registers + "target_link_libraries(span m)\nendif()\n", false},
		{"CMakeLists.txt", loop, add(loop, "  add_test", "  target_link_libraries(a m)\n  add_test"), false},
		{"CMakeLists.txt", "", cmake, false},
		{"CMakeLists.txt", cmake, cmake, false},
		{"notes.txt", cmake, cmake + registers, false},
		{"Makefile", makefile, add(add(makefile, "TESTS = test_len", "TESTS = test_len \\\n  test_cut"),
			"test: ", "test_cut: tests/test_cut.c libspan.a\n\t$(CC) -o $@ $^\ntest: "), true},
		{"Makefile", makefile, add(add(add(makefile, "\t./test_len", "\t./test_len\n\t./test_cut"), "rm -f",
			"rm -f test_cut"), ".PHONY: all", ".PHONY: test_cut all"), true},
		{"Makefile", makefile, add(makefile, "OBJS = src/span.o", "OBJS = src/span.o src/cut.o"), false},
		{"Makefile", makefile, add(makefile, "test_len: ", "test_len: src/cut.o "), false},
		{"Makefile", makefile, add(makefile, "rcs", "rcsD"), false},
	} {
		if got := OnlyRegisters(c.path, c.was, c.now); got != c.want {
			t.Errorf("%s\n%s\n%s: %v", c.path, c.was, c.now, got)
		}
	}
	for p, want := range map[string]bool{"CMakeLists.txt": true, "Makefile": true, "tests/CMakeLists.txt": false,
		"a.c": false} {
		if BuildsTests(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
}
