package shipped

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"cookoff/sandbox/builds"
)

// TestFits wants to be told of each program what keeps it from being the guest.
func TestFits(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	other := "arm64"
	if runtime.GOARCH == other {
		other = "amd64"
	}
	check := func(path, arch, want string) {
		t.Helper()
		if err := (&Programs{ReadBuild: builds.Read}).fits(path, arch); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	check(filepath.Join(t.TempDir(), "none"), other, "is not there")
	check(text, other, "can't be used: ")
	check(self, other, "is for "+runtime.GOOS+"/"+runtime.GOARCH+", and containers run linux/"+other)
	if tool, err := exec.LookPath("go"); err == nil {
		check(tool, runtime.GOARCH, "is not cookoff but cmd/go")
	}
}

// TestNoGuest wants the places and the very command where the containers' kernel
// is another than this program's.
func TestNoGuest(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	ps := &Programs{Foreign: true}
	_, err := ps.Find("riscv64")
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"containers run linux/riscv64 here and this program is for " + runtime.GOOS + "/" + runtime.GOARCH,
		"/cookoff-linux-riscv64 is not there\n",
		"hint: in cookoff's source", ": GOOS=linux GOARCH=riscv64 CGO_ENABLED=0 go build -o '" + cache,
		"/cookoff-linux-riscv64' ./cmd/cookoff",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
	ps.Guest = filepath.Join(cache, "mine")
	if _, err := ps.Find("riscv64"); err == nil || !strings.Contains(err.Error(),
		"[sandbox] guest: "+ps.Guest+" is not there\nhint: in cookoff's source") {
		t.Error(err)
	}
}
