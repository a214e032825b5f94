package verify

import (
	"regexp"
	"strings"
	"testing"
)

func TestControlName(t *testing.T) {
	check := func(script, selected string) {
		t.Helper()
		var name string
		ok := testRunOf(script) != nil
		if _, args, is := strings.Cut(script, "go test"); ok && is {
			name, ok = goTestName("w", strings.Fields(strings.ReplaceAll(args, "'", "")))
		}
		if ok != (selected != "") || ok && !regexp.MustCompile(selected).MatchString(name) {
			t.Errorf("%s: %q %v, want %q", script, name, ok, selected)
		}
		if ok && !strings.HasPrefix(name, "Test") {
			t.Errorf("%s: %q is no test", script, name)
		}
	}
	check("go test ./...", "^TestC")
	check("go test -count=1 -v -race ./...", "^TestC")
	check("cd sub && go test ./...", "^TestC")
	check("env CGO_ENABLED=0 /usr/local/go/bin/go test", "^TestC")
	check("go test -run TestAdd ./...", "TestAdd")
	check("go test -run='^TestAdd/sub' ./...", "^TestAdd")
	check("go test -run 'TestAdd|TestSub'", "TestAdd|TestSub")
	check("go test -run '^TestAdd$' ./...", "")
	check("go test -run NONE -bench .", "")
	check("go test -c", "")
	check("go test ./... || true", "")
	check("go test ./... | tee log", "")
	check("! go test ./...", "")
	check("go vet ./... ; go test ./...", "")
	check("go build ./...", "")
	check("echo go test", "")
}

func TestPackageName(t *testing.T) {
	check := func(src, want string) {
		t.Helper()
		if got := packageName(src); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
	check("package a\n", "a")
	check("// Copyright\n//go:build linux\n\n/* package no\n   package either */\n\npackage a // b\n", "a")
	check("/* x */\npackage a_test;import \"x\"\n", "a_test")
	check("import \"x\"\npackage a\n", "")
	check("", "")
}

func TestTestRunOf(t *testing.T) {
	check := func(script string, want bool) {
		t.Helper()
		if got := testRunOf(script) != nil; got != want {
			t.Errorf("%s: %v", script, got)
		}
	}
	check("python3 -m unittest", true)
	check("python3 -m unittest discover -v", true)
	check("cd app && python -m unittest", true)
	check("python3 -m unittest tests.test_a", false)
	check("python3 -m unittest discover -p 'check_*.py'", false)
	check("pytest -q --tb=short", true)
	check("pytest tests/test_a.py", false)
	check("pytest -k one", false)
	check("python3 -m pytest", true)
	check("node --test", true)
	check("node --test --test-reporter=tap", true)
	check("node --test one.test.js", false)
	check("node app.js", false)
	check("npm test", false)
	check("python3 tests.py", false)
}

func TestBeside(t *testing.T) {
	check := func(base, want string) {
		t.Helper()
		if got := beside(base, "w"); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
	check("test_a.py", "test_w_a.py")
	check("tests.py", "test_w_tests.py")
	check("a_test.py", "w_a_test.py")
	check("a.test.js", "w_a.test.js")
	check("test-a.mjs", "test-w-a.mjs")
	check("test.py", "test_w_test.py")
}
