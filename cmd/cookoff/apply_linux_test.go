package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/internal/cli"
	"cookoff/sandbox/native"
)

// TestApplyAsks wants a person to be asked before work of theirs is lost, and
// to see what a model wrote without obeying it.
func TestApplyAsks(t *testing.T) {
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("value", "41\n")
	write("recipe.md", `# Value
version: 1

## Models
- baseline/oracle

## Tasks

### Value
Put 42 into value.

`+"```sh before\n! grep -qx 42 value\n```\n```sh after\ngrep -qx 42 value\n```\n```sh solution\n"+
		"printf '42\\n\\033[2Jwiped\\n' > value\n```\n")
	if seen, code := answering(t, dir, "", "run", "-q"); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, seen)
	}
	content := func(want string) {
		t.Helper()
		if b, err := os.ReadFile(filepath.Join(dir, "value")); err != nil || string(b) != want {
			t.Errorf("value is %q, %v, want %q", b, err, want)
		}
	}
	seen, code := answering(t, dir, "\n", "apply", "latest", "t001")
	if code != cli.ExitUsage || !strings.Contains(seen, "not committed: value") || !strings.Contains(seen,
		"Overwrite? [y/N]") || !strings.Contains(seen, "nothing was written") {
		t.Errorf("no: exit code %d:\n%s", code, seen)
	}
	content("41\n")
	seen, code = answering(t, dir, "y\n", "apply", "latest", "t001")
	if code != 0 || !strings.Contains(seen, "1 change applied") {
		t.Errorf("yes: exit code %d:\n%s", code, seen)
	}
	content("42\n\x1b[2Jwiped\n")
}
