package substitutes

import (
	"testing"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// TestDistrustedCaches: each build cache that a contestant writes to is taken away, also
// where what is there never counts as a change; none that the task names.
func TestDistrustedCaches(t *testing.T) {
	for _, p := range []string{"~/.ccache/x", "~/.cache/ccache/x", "~/.cache/sccache/x", "~/.cache/go-build/00/x-d",
		"~/.gradle/caches/build-cache-1/x", "~/.cache/bazel/x", "~/.cache/mypy/x", "~/.cache/ruff/x",
		"a/.pytest_cache/v/x",
		".mypy_cache/x", ".ruff_cache/x", ".pytype/x", ".pyre/x", ".parcel-cache/x", ".turbo/x", ".nx/x", ".swc/x",
		".gradle/x", "target/.fingerprint/x", "node_modules/.cache/x", "node_modules/.vite/x", ".next/cache/x",
		".angular/cache/x", "a.tsbuildinfo", ".eslintcache", ".stylelintcache"} {
		final := sandbox.Manifest{{Path: p, Mode: 0o644, Sum: "x"}}
		items := Rule{}.settings(Kept{}, tree.Changes(nil, final), final)
		if len(items) != 1 || items[0].Path != p || !items[0].Gone {
			t.Errorf("%s: %v", p, items)
		}
		if name, _ := tree.IsBuildCache(p); len(Rule{About: name}.settings(Kept{}, nil, final)) > 0 {
			t.Errorf("%s: named by the task, and taken away", p)
		}
		if len(Rule{}.settings(Kept{Files: final}, nil, final)) > 0 {
			t.Errorf("%s: of the start, and taken away", p)
		}
	}
}
