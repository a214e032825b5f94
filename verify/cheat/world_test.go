package cheat

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
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
