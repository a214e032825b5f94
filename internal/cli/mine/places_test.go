package mine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/mine"
)

// TestPlaces: neither the recipe nor the files beside it are written through a link of
// the project, and what was found is kept elsewhere.
func TestPlaces(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	t.Setenv("HOME", out)
	t.Setenv("XDG_CACHE_HOME", out)
	for at, to := range map[string]string{"a.recipe.md": "/nowhere", "b.files": out, "dir": out} {
		if err := os.Symlink(to, filepath.Join(dir, at)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.recipe.md", "b.recipe.md", "dir/c.recipe.md"} {
		m := &mining{Door: &door.Door{Common: &cli.Common{Dir: dir}}, flags: flags{output: name, force: true}, top: dir}
		if err := m.places(&mine.Options{}); err == nil || !strings.Contains(err.Error(), "is a link") {
			t.Errorf("%s: %v", name, err)
		}
	}
	below := &mining{Door: &door.Door{Common: &cli.Common{Dir: filepath.Join(dir, "sub")}},
		flags: flags{output: "../dir/c.recipe.md"}, top: dir}
	if err := below.places(&mine.Options{}); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a link of the repository beside the project: %v", err)
	}
	m := &mining{Door: &door.Door{Common: &cli.Common{Dir: dir}}, flags: flags{output: "d.recipe.md"}, top: dir}
	var o mine.Options
	if err := m.places(&o); err != nil || !strings.HasPrefix(o.Record, out) {
		t.Errorf("%q, %v", o.Record, err)
	}
	if err := os.Symlink("/nowhere", filepath.Join(dir, "d.recipe.md")); err != nil {
		t.Fatal(err)
	}
	if err := m.save("text"); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a link that came meanwhile: %v", err)
	}
}
