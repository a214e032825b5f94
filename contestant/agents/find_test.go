package agents_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/contestant/agents"
	"cookoff/internal/hint"
	"cookoff/sandbox"
)

// TestFindBeside: what a program needs beside its package is shown where it lies, or
// said to be missing before anything runs.
func TestFindBeside(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, path string) {
		t.Helper()
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	python := filepath.Join(home, ".pyenv/versions/3.12.1")
	write(".pyenv/versions/3.12.1/bin/python3", "\x7fELF")
	write("venv/pyvenv.cfg", "home = "+python+"/bin\nversion = 3.12.1\n")
	link(python+"/bin/python3", "venv/bin/python")
	write("plain/run", "#!/bin/sh\n")
	write("src/run", "\x7fELF")
	link(filepath.Join(home, "src/run"), "linked/run")
	link(filepath.Join(home, "venv"), "to-venv")
	place := agents.Place{Home: home}
	check := func(dir, program, wrong string, want ...sandbox.Mount) {
		t.Helper()
		i, err := place.Find(t.Context(), agents.Agent{Name: "a", Package: filepath.Join(home, dir),
			Program: agents.Names{program}, Protocol: agents.Exec})
		if wrong != "" {
			_, missing := errors.AsType[*agents.MissingError](err)
			msg, next := "", ""
			if err != nil {
				msg, next = hint.Of(err)
			}
			if !missing || !strings.Contains(msg, wrong) || next == "" {
				t.Errorf("%s: %v, want %q and what to do", dir, err, wrong)
			}
			return
		}
		if err != nil || len(i.Mounts) != 1+len(want) {
			t.Errorf("%s: %v, mounts %v", dir, err, i.Mounts)
			return
		}
		for n, m := range want {
			if i.Mounts[1+n] != m {
				t.Errorf("%s: %v, want %v", dir, i.Mounts[1+n], m)
			}
		}
	}
	check("plain", "run", "")
	check("venv", "bin/python", "", sandbox.Mount{Source: python, Target: python})
	check("to-venv", "bin/python", "", sandbox.Mount{Source: python, Target: python})
	check("linked", "run", "it needs "+filepath.Join(home, "src")+", which no sandbox shows")
}
