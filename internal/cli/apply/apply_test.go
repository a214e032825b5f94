package apply

import (
	"strings"
	"testing"

	"cookoff/internal/cli"
)

// TestPaintDiff neutralises a diff for a terminal, and leaves one for git as
// it is.
func TestPaintDiff(t *testing.T) {
	const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\x1b[2Jb\t\n"
	c := &cli.Common{}
	if got := paintDiff(c, diff); got != diff {
		t.Errorf("into a pipe: %q", got)
	}
	c.Out.Terminal = true
	if got := paintDiff(c, diff); got != "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\\x1b[2Jb \n" {
		t.Errorf("on a terminal: %q", got)
	}
	c.Out.Color = true
	if got := paintDiff(c, diff); !strings.Contains(got, "\x1b[31m-a\x1b[0m\n\x1b[32m+\\x1b[2Jb \x1b[0m") {
		t.Errorf("in colour: %q", got)
	}
}
