package warm

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cookoff/sandbox"
)

// TestStandIns: of a test that only the judge sees, what it imports from elsewhere is
// compiled before, and nothing that it tests can be read there.
func TestStandIns(t *testing.T) {
	dir := t.TempDir()
	mod := []byte("// it\nmodule example.com/own // x\n")
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o644); err != nil {
		t.Fatal(err)
	}
	item := func(p, text string) sandbox.Item { return sandbox.Item{Path: p, Mode: 0o644, Data: []byte(text)} }
	got := StandIns(dir, []sandbox.Item{
		{Path: "a", Mode: os.ModeDir | 0o755},
		item("a/a.go", "package a"),
		item("a/a_test.go", "//go:build !slow\n\n// answers\npackage a_test\n\nimport (\n\t\"testing\"\n"+
			"\treq \"example.org/require\"\n\t\"example.com/own/new\"\n\t\"example.com/own\"\n)\n\nfunc TestSecret(t *testing.T) {}\n"),
		item("b_test.go", "no Go"),
		item("it's/b_test.go", "package b\nimport \"C\"\nfunc TestB(t"),
	})
	want := []Stand{
		{"a/cookoff_warm_1_test.go",
			"//go:build !slow\n\npackage a_test\n\nimport _ \"example.org/require\"\nimport _ \"testing\"\n"},
		{"it's/cookoff_warm_2_test.go", "package b\n\n"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("stand-ins %q", got)
	}
	if got := laying(want[1:]); got != "mkdir -p './it'\\''s' && cat > './it'\\''s/cookoff_warm_2_test.go' "+
		"<<'STAND IN ENDS'\npackage b\n\nSTAND IN ENDS\n" {
		t.Errorf("laying: %s", got)
	}
}
