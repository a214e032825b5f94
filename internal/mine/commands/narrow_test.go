package commands

import (
	"strings"
	"testing"

	"cookoff/internal/history"
)

// TestDiscovered: tests of the modules that a commit changes are found without the others.
func TestDiscovered(t *testing.T) {
	has := map[string]history.File{"tests/test_a.py": {}, "tests/test_b.py": {}, "tests/test_cx.py": {}, "tests/test_cy.py": {}}
	for _, c := range []struct{ command, changed, want string }{
		{"python3 -m unittest", "tests/test_a.py tests/x.json", "python3 -m unittest discover -s . -p test_a.py"},
		{"python3 -m unittest discover -v -s tests", "tests/test_a.py", "python3 -m unittest discover -v -s tests -p test_a.py"},
		{"python3 -m unittest", "tests/test_a.py tests/test_b.py", "python3 -m unittest discover -s . -p 'test_[ab]*.py'"},
		{"python3 -m unittest", "tests/test_a.py tests/test_cx.py", ""},
		{"python3 -m unittest discover -s other", "tests/test_a.py", ""},
		{"python3 -m unittest tests.test_a", "tests/test_a.py", ""},
		{"python3 -m unittest -k a", "tests/test_a.py", ""},
		{"python3 -m pytest", "tests/test_a.py", ""},
	} {
		var list []history.Change
		for p := range strings.FieldsSeq(c.changed) {
			list = append(list, history.Change{Path: p, Now: history.File{ID: "1"}})
		}
		if got, ok := Discovered(c.command, list, has); got != c.want || ok != (c.want != "") {
			t.Errorf("%s for %s: %q, %v", c.command, c.changed, got, ok)
		}
	}
}

func TestNarrowed(t *testing.T) {
	has := map[string]history.File{"a/a_test.go": {}, "b/b_test.go": {}, "m_test.go": {}}
	check := func(command, want string, paths ...string) {
		t.Helper()
		var list []history.Change
		for _, p := range paths {
			list = append(list, history.Change{Path: p, Now: history.File{ID: "1"}})
		}
		if got, _ := Narrowed(command, list, has); got != want {
			t.Errorf("%s for %s: %q, want %q", command, paths, got, want)
		}
	}
	check("go test ./...", "go test ./a", "a/a_test.go", "a/testdata/x/y")
	check("go test -race ./...", "go test -race . ./b", "b/b_test.go", "m_test.go")
	check("go test -run Foo ./...", "go test -run Foo ./a", "a/a_test.go")
	check("go test ./... && go vet ./...", "go test ./... && go vet ./...", "a/a_test.go")
	check("go test ./...", "go test .", "fixtures/x.json")
	check("python3 -m pytest tests", "python3 -m pytest tests/test_a.py", "tests/test_a.py")
	check("python3 -m pytest", "python3 -m pytest", "tests/conftest.py", "tests/test_a.py")
	has["tests/test_a.py"], has["tests/test_b.py"] = history.File{}, history.File{}
	check("python3 -m unittest", "python3 -m unittest discover -s . -p test_a.py", "tests/test_a.py", "tests/__init__.py")
	check("python3 -m unittest discover", "python3 -m unittest discover -s . -p test_b.py", "tests/test_b.py")
	check("python3 -m unittest", "python3 -m unittest", "tests/test_a.py", "tests/helpers.py")
	check("python3 -m unittest -k x", "python3 -m unittest -k x", "tests/test_a.py")
	has["a/go.mod"], has["a/x y/b/c_test.go"], has["d/go.mod"] = history.File{}, history.File{}, history.File{}
	check("go test -race ./...", "cd a && go test -race ./ './x y/b'", "a/a_test.go", "a/x y/b/c_test.go")
	check("go test ./...", "go test ./...", "a/a_test.go", "b/b_test.go")
	check("go test ./...", "go test ./b", "b/b_test.go")
	has["go.work"] = history.File{}
	check("go test ./...", "go test ./a", "a/a_test.go")
	check("node --test", "node --test test/a.js", "test/a.js")
	check("node --test", "node --test", "test/fixtures/a.js")
	check("npm test", "npm test", "test/a.js")
	delete(has, "go.work")
	delete(has, "a/go.mod")
	// Values of flags stay where they are.
	check("go test -race -coverprofile cover.out ./...", "go test -race -coverprofile cover.out ./b", "b/b_test.go")
	check("go test -v ./a/ ./b/", "go test -v ./b", "b/b_test.go")
	check("python3 -m pytest --ignore tests/slow -q tests", "python3 -m pytest --ignore tests/slow -q tests/test_a.py", "tests/test_a.py")
	check("node --test --import ./setup.js test/", "node --test --import ./setup.js test/a.js", "test/a.js")
	check("go test ./... -args -config x.json", "go test ./... -args -config x.json", "b/b_test.go")
	// So do tests that the command does not choose.
	check("python3 -m pytest tests/unit", "python3 -m pytest tests/unit/test_a.py", "tests/unit/test_a.py", "tests/system/test_a.py")
	check("python3 -m pytest tests/unit", "python3 -m pytest tests/unit", "tests/system/test_a.py")
	check("python3 -m pytest tests/test_a.py::test_x", "python3 -m pytest tests/test_a.py", "tests/test_a.py")
	check("go test ./a/...", "go test ./a/...", "b/b_test.go")
	check("go test ./a/...", "go test ./a", "a/a_test.go", "b/b_test.go")
	check("go test .", "go test .", "b/b_test.go", "m_test.go")
	check("go test . ./b", "go test ./b", "b/b_test.go")
	check("go test example.org/m/...", "go test ./b", "b/b_test.go")
	has["lib/x.js"] = history.File{}
	check("node --test lib", "node --test lib", "test/a.js")
}
