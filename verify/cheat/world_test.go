package cheat

import (
	"context"
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
	b := native.New(native.Options{Dir: t.TempDir()})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	return func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		return b.Open(ctx, sandbox.Spec{Network: sandbox.NoNetwork, State: st, Profile: p, Path: path})
	}
}
