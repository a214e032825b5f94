package verify

import (
	"regexp"
	"strings"
	"testing"
)

func TestControlName(t *testing.T) {
	check := func(script, selected string) {
		t.Helper()
		name, ok := controlName(script)
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
