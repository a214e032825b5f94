package alike

import "testing"

func TestBuilds(t *testing.T) {
	const link = "app: main.o csv.o\n\tcc -o $@ $^\n\nmain.o csv.o: csv.h\n"
	const objects = "OBJS = build/main.o \\\n  build/csv.o\napp: $(OBJS)\n\tcc -o $@ $^\n"
	const recipe = "test: t.c csv.c\n\tcc -o $@ t.c csv.c\n\tsh run.sh\n"
	const cmake = "project(x C)\nadd_library(csv\n  csv.c\n)\nadd_executable(app main.c)\n"
	for _, row := range []struct {
		name, p, was, is string
		want             bool
	}{
		{"an object", "Makefile", link, "app: main.o csv.o walk.o\n\tcc -o $@ $^\n\nmain.o csv.o: csv.h\n", true},
		{"and what it depends on", "Makefile", link,
			"app: main.o csv.o walk.o\n\tcc -o $@ $^\n\nmain.o csv.o: csv.h\ncsv.o walk.o: walk.h\n", true},
		{"in lines that go on", "Makefile", objects,
			"OBJS = build/main.o \\\n  build/csv.o \\\n  build/walk.o\napp: $(OBJS)\n\tcc -o $@ $^\n", true},
		{"a source in a recipe", "Makefile", recipe, "test: t.c csv.c walk.c\n\tcc -o $@ t.c csv.c walk.c\n\tsh run.sh\n",
			true},
		{"below", "src/Makefile", "a: b.o\n\tcc $^\n", "a: b.o more.o\n\tcc $^\n", true},
		{"a list of CMake", "CMakeLists.txt", cmake,
			"project(x C)\nadd_library(csv\n  csv.c\n  walk.c\n)\nadd_executable(app main.c)\n", true},
		{"nothing else", "Makefile", link, link, true},
		{"the first of a list", "Makefile", "t: t.c\n\tcc $<\n", "t: walk.c t.c\n\tcc $<\n", false},
		{"what was there", "Makefile", link, "app: main.o csv.o other.o\n\tcc -o $@ $^\n\nmain.o csv.o: csv.h\n", false},
		{"one for another", "Makefile", link, "app: main.o walk.o\n\tcc -o $@ $^\n\nmain.o csv.o: csv.h\n", false},
		{"another recipe", "Makefile", link, "app: main.o csv.o walk.o\n\ttrue\n\nmain.o csv.o: csv.h\n", false},
		{"a rule", "Makefile", link, link + "csv.o: csv.c walk.h\n\ttrue\n", false},
		{"another library", "CMakeLists.txt", cmake, cmake + "add_library(walk walk.c)\n", false},
		{"another command of CMake", "CMakeLists.txt", "include(a.c)\n", "include(a.c walk.c)\n", false},
		{"for a script", "Makefile", recipe, "test: t.c csv.c\n\tcc -o $@ t.c csv.c\n\tsh run.sh walk.c\n", false},
		{"another file", "build.sh", "cc a.c\n", "cc a.c walk.c\n", false},
	} {
		fresh := []string{"walk.c", "walk.h", "src/more.c"}
		if got := Builds(row.p, []byte(row.was), []byte(row.is), fresh); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
	if Builds("Makefile", []byte(link), []byte(link), nil) {
		t.Error("nothing is new, and a Makefile names it")
	}
}
