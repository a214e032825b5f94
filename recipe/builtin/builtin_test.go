package builtin_test

import (
	"testing"

	"cookoff/recipe"
	"cookoff/recipe/builtin"
)

func TestBuiltinRecipesAreSound(t *testing.T) {
	for _, name := range builtin.Names() {
		r, err := recipe.Discover(builtin.Prefix + name)
		if err != nil {
			t.Errorf("builtin:%s: %v", name, err)
			continue
		}
		if len(r.Models) == 0 || len(r.Tasks) == 0 {
			t.Errorf("builtin:%s has %d models and %d tasks", name, len(r.Models), len(r.Tasks))
		}
	}
	if d := recipe.Default(); d.Source() != "builtin:default" || d.SectionSource("tasks") != "builtin:default" {
		t.Errorf("the default recipe says it comes from %q, its tasks from %q", d.Source(), d.SectionSource("tasks"))
	}
}
