package cheat

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/trial"
	"cookoff/verify"
)

// one is a list of one check.
func one(script string) []recipe.Check { return []recipe.Check{{Script: script}} }

// kernel opens real sandboxes, the task's directories first on PATH.
func kernel(t *testing.T, path ...string) verify.Opening {
	t.Helper()
	return kernelOf(t, nil, path...)
}

// kernelOf opens worlds that have further tools.
func kernelOf(t *testing.T, tools []string, path ...string) verify.Opening {
	t.Helper()
	b := native.New(native.Options{Dir: t.TempDir()})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	return func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		return b.Open(ctx, sandbox.Spec{Network: sandbox.NoNetwork, State: st, Profile: p, Path: path,
			ToolPaths: tools})
	}
}

// toolAt gives the directories of a tool that a command prints; none: it is the system's.
func toolAt(t *testing.T, where []string) []string {
	t.Helper()
	if where == nil {
		return nil
	}
	out, err := exec.Command(where[0], where[1:]...).Output()
	if err != nil {
		t.Skipf("%s: %v", strings.Join(where, " "), err)
	}
	return []string{strings.TrimSpace(string(out))}
}

// TestFileThatCounts: what is done to a file to see whether it is protected is done to one that counts, not to one
// that programs keep, that they write on, that the checks make, that the solution changes or that the task leaves free.
func TestFileThatCounts(t *testing.T) {
	c, err := verify.NewCase(&recipe.Recipe{}, recipe.Task{Title: "t",
		Setup:     "for f in .coverage a.log b.out c.txt d.free z.cfg; do echo 1 > $f; done",
		After:     one("grep -qx 2 c.txt && date +%s%N > b.out"),
		Solution:  "echo 2 > c.txt",
		MayChange: []string{"*.free"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &player{Admission: verify.Admission{Case: c, Open: kernel(t)}}
	x, err := p.Admit(t.Context(), p.Open, nil)
	if x != nil || err != nil {
		t.Fatal(x, err)
	}
	if err := p.look(t.Context()); err != nil || p.other != "z.cfg" {
		t.Errorf("%q, %v", p.other, err)
	}
}

// TestEqualStates: of repairs that leave the same files the user alone is asked, whose world may be another.
func TestEqualStates(t *testing.T) {
	var opened atomic.Int64 // witnesses open worlds side by side
	real := kernel(t)
	open := func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		opened.Add(1)
		return real(ctx, st, p)
	}
	c, err := verify.NewCase(&recipe.Recipe{}, recipe.Task{Title: "t", Setup: "echo 1 > a",
		After: one("grep -qx 2 a && test ! -e /tmp/s.sh"), Solution: "echo 2 > a"})
	if err != nil {
		t.Fatal(err)
	}
	play := func(names ...string) []Attempt {
		opened.Store(0)
		named := func(_, name string) bool { return slices.Contains(names, name) }
		got, err := Honest(t.Context(), c, open, Tries{Keep: named})
		if err != nil || got.Exclude != nil || len(got.Made) != len(names) {
			t.Fatal(got, err)
		}
		return got.Made
	}
	play("twice")
	alone := opened.Load()
	list := play("twice", "strict", "from a file")
	for i, want := range []trial.Status{trial.Pass, trial.Pass, trial.Fail} {
		if list[i].Status != want {
			t.Errorf("%s: %s", list[i].Name, list[i].Sentence())
		}
	}
	play("twice", "strict")
	if more := opened.Load() - alone; more > 3 {
		t.Errorf("equal files are judged in %d worlds more", more)
	}
}
