package runnertest

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Golden compares with a golden file, or rewrites it with -update.
func Golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (rewrite with -update only if this is a new version):\n%s", path, d)
	}
}

// Seconds matches what differs from one machine to the next.
var Seconds = regexp.MustCompile(`"(seconds|agent|provider|tools|wait|stage|judge)":[0-9.e-]+,?`)
