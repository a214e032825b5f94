package project

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestOwnDirs: where .cookoff is a link to a directory of the project, what runs recorded
// there is left out.
func TestOwnDirs(t *testing.T) {
	for _, c := range []struct {
		link string // "": a directory
		want []string
	}{
		{"", nil},
		{"store", []string{"store", "store/runs"}},
		{".cookoff2", []string{".cookoff2", ".cookoff2/runs"}},
		{".", []string{"runs"}},
		{"../else", nil},
		{"gone", nil},
	} {
		top := t.TempDir()
		dir, own := filepath.Join(top, "p"), filepath.Join(top, "p", ".cookoff")
		err := errors.Join(os.MkdirAll(filepath.Join(top, "else", "runs"), 0o755), os.Mkdir(dir, 0o755))
		switch c.link {
		case "":
			err = errors.Join(err, os.MkdirAll(filepath.Join(own, "runs"), 0o755))
		case "gone":
			err = errors.Join(err, os.Symlink(c.link, own))
		default:
			err = errors.Join(err, os.MkdirAll(filepath.Join(dir, c.link, "runs"), 0o755), os.Symlink(c.link, own))
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := ownDirs(dir); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.link, got, c.want)
		}
	}
}
