package repairs

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"cookoff/internal/contract"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/tools/repair"
)

// TestWritingRepairs: the example of the guide loads, and keeps its contract.
func TestWritingRepairs(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "writing-repairs.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```yaml repairs/([a-z-]+\\.yaml)\n(.*?)```").FindSubmatch(doc)
	if m == nil {
		t.Fatal("the guide has no example")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, string(m[1])), m[2], 0o644); err != nil {
		t.Fatal(err)
	}
	if ps, n, err := lintRepairs(dir, ""); err != nil || n != 1 || len(ps) > 0 {
		t.Fatalf("%d repairs: %v (%v)", n, ps, err)
	}
	lib, err := repair.Load(os.DirFS(dir), dir)
	if err != nil {
		t.Fatal(err)
	}
	backend := native.New(native.Options{Dir: t.TempDir()})
	if err := backend.Check(t.Context()); err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	all, err := contract.Of(lib.Repairs())
	if err != nil || len(all) != 1 {
		t.Fatalf("%d contracts (%v)", len(all), err)
	}
	bench, err := contract.NewBench(t.Context(), func(ctx context.Context, task recipe.Task, st sandbox.State,
		p sandbox.Profile) (sandbox.Sandbox, error) {
		return backend.Open(ctx, sandbox.Spec{State: st, Profile: p, Path: task.Path})
	}, all)
	if err != nil {
		t.Fatal(err)
	}
	o, err := all[0].Run(t.Context(), bench)
	if err != nil || o.Verdict() != "pass" {
		t.Errorf("%s: %s (%v)", o.Verdict(), o.Detail, err)
	}
}
