package mine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cookoff/internal/config"
	"cookoff/internal/host"
	"cookoff/internal/mine"
	"cookoff/recipe"
)

// TestProgramsOfTheCommand: worlds show the programs that the test command names, of a
// project that has no file that says so.
func TestProgramsOfTheCommand(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "mytests"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := recipe.ParseContent([]byte(ground(&mine.Options{Dir: t.TempDir(),
		Test: "cd sub && mytests --all | cat"})))
	if err != nil {
		t.Fatal(err)
	}
	h := &host.Host{Dir: t.TempDir(), Config: &config.Config{},
		Getenv: func(name string) string { return map[string]string{"PATH": bin}[name] }}
	if got := h.ProgramsOf(r); !slices.Equal(got, []string{"mytests"}) {
		t.Errorf("they show %q", got)
	}
}
