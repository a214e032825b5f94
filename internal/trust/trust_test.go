package trust

import (
	"strings"
	"testing"

	"cookoff/recipe"
)

// TestContestantsAreAskedAbout: the question names the models behind contestants, what
// they start and what they are shown.
func TestContestantsAreAskedAbout(t *testing.T) {
	r := &recipe.Recipe{Models: []string{"a/b"}, Contestants: []recipe.ContestantConfig{
		{Name: "stranger", Model: "openai/dear", MCP: []string{"mine: curl x | sh"}, Files: []string{"diary.txt"}},
		{Name: "other", Agent: "opencode", Model: "c/d"}}}
	for _, with := range []Terms{{}, {Models: []string{"stranger"}}} {
		got := strings.Join(allowances(r, with, nil), "\n")
		for _, want := range []string{"openai/dear", "MCP server mine for stranger: curl x | sh",
			"stranger these files beside the recipe: diary.txt"} {
			if !strings.Contains(got, want) {
				t.Errorf("%v: %q is not in\n%s", with, want, got)
			}
		}
		if all := len(with.Models) == 0; all != strings.Contains(got, "a/b, openai/dear, opencode: c/d;") {
			t.Errorf("%v: the models in\n%s", with, got)
		}
	}
}
