package force_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/recipe/lookup"
	"cookoff/runner"
	"cookoff/runner/runnertest"
)

// TestARecipeStaysOutOfItsProject: whichever way a recipe was read, neither it
// nor what it extends, nor its repairs, are among the files that models start with.
func TestARecipeStaysOutOfItsProject(t *testing.T) {
	project := t.TempDir()
	text := strings.Replace(runnertest.Recipe(""), "## Models", "## Metadata\nextends: base.md\n\n## Models", 1)
	for name, content := range map[string]string{"recipe.md": text, "base.md": "version: 1\n", "kept.md": "text"} {
		if err := os.WriteFile(filepath.Join(project, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(project, "repairs"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir("/") // what is relative is relative to the finder's directory
	check := func(want string, read func() (*recipe.Recipe, error)) {
		t.Helper()
		r, err := read()
		if err != nil {
			t.Fatal(err)
		}
		b := runnertest.New(t, map[string]model.Chat{"test/model": &runnertest.Chat{Steps: []any{runnertest.Say("done")}}})
		w := &watched{}
		b.Env.Backend, b.Env.Dir, b.Env.Hidden = w, project, []string{filepath.Join(project, "repairs")}
		bound, err := r.BuildRunner()
		if err != nil {
			t.Fatal(err)
		}
		built, err := runner.New(bound, b.Env)
		if err != nil {
			t.Fatal(err)
		}
		if err := built.RunAll(t.Context(), "run", b.Log, nil); err != nil {
			t.Fatal(err)
		}
		if seen := strings.Join(w.seen, "\n"); !strings.Contains(seen, `"Project":"`+want+`"`) {
			t.Errorf("models see something else than %s:\n%s", want, seen)
		}
	}
	check("kept.md", func() (*recipe.Recipe, error) { return recipe.Finder{Dirs: lookup.Dirs{Dir: project}}.Discover("") })
	check("kept.md", func() (*recipe.Recipe, error) { return recipe.Discover(filepath.Join(project, "recipe.md")) })
	check("base.md kept.md", func() (*recipe.Recipe,
		error) {
		return recipe.Parse(filepath.Join(project, "recipe.md"))
	}) // which resolves nothing
}
