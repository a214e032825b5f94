package container

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMake: of all that an engine says, its error is told, and no more than fits; another
// runtime is tried where the usual one starts nothing.
func TestMake(t *testing.T) {
	dir := t.TempDir()
	script := `#!/bin/sh
case "$*" in
*--runtime*) echo "Error: ` + strings.Repeat("long ", 500) + `the end"; echo later; exit 1 ;;
*) echo "cgroup: no such thing" >&2; exit 1 ;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "podman"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	err := Make(context.Background(), Build{Context: dir, Name: "x", To: filepath.Join(dir, "to")})
	if err == nil || !strings.HasPrefix(err.Error(), "podman: Error: long ") ||
		!strings.HasSuffix(err.Error(), "the end") || len(err.Error()) > 500 {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := Make(context.Background(), Build{}); err == nil ||
		!strings.Contains(err.Error(), "neither podman nor docker") {
		t.Errorf("%v", err)
	}
}
