package propose

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAlone: only a part of a repository is told that trials see nothing of the rest.
func TestAlone(t *testing.T) {
	top := t.TempDir()
	part := filepath.Join(top, "services", "my api")
	if err := os.MkdirAll(part, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Alone(part, "make test"); got != "" {
		t.Errorf("no repository: %q", got)
	}
	if err := os.Mkdir(filepath.Join(top, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	const want = "trials see a copy of this directory only: where the tests need others of the repository, cd ../.. " +
		`and cookoff init --test-command "cd 'services/my api' && make test"`
	if got := Alone(part, "make test"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Alone(top, "make test"); got != "" {
		t.Errorf("the repository itself: %q", got)
	}
}
