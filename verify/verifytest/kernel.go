package verifytest

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/verify"
)

// ToolAt asks a command for the directory of a tool.
func ToolAt(t *testing.T, where []string) []string {
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

// Kernel opens real sandboxes, the task's directories first on PATH.
func Kernel(t testing.TB, path ...string) verify.Opening {
	t.Helper()
	return KernelOf(t, nil, path...)
}

// KernelOf opens worlds that have further tools.
func KernelOf(t testing.TB, tools []string, path ...string) verify.Opening {
	t.Helper()
	goEnv := func(name string) string {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	b := native.New(native.Options{Dir: t.TempDir(), GoCache: goEnv("GOCACHE")})
	if err := b.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	tools = append([]string{goEnv("GOROOT")}, tools...)
	return func(ctx context.Context, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		return b.Open(ctx, sandbox.Spec{Network: sandbox.NoNetwork, State: st, Profile: p, Path: path,
			ToolPaths: tools})
	}
}
