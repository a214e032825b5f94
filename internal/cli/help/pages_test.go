package help

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHintsNamePages: each page that a message of the program tells people to read is one.
func TestHintsNamePages(t *testing.T) {
	pages, hint, found := pageNames(), regexp.MustCompile(`cookoff help (docs/[\w.-]+)`), 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range hint.FindAllSubmatch(text, -1) {
			if name := string(m[1]); name != "docs/NAME.md" && !slices.Contains(pages, name) {
				t.Errorf("%s: no page is called %s", path, name)
			}
			found++
		}
		return err
	})
	if err != nil || found < 5 {
		t.Fatalf("%d hints found: %v", found, err)
	}
}
