package recipe

import (
	"strings"
	"testing"
)

// TestASectionSaysWhatItDrops: a permission outlives a limit of the same
// section; of the rest, what is not repeated is gone, and said.
func TestASectionSaysWhatItDrops(t *testing.T) {
	f := world(t, files(
		"base.md",
		"version: 1\n\n## Constraints\nmax_steps: 7\nmax_cost: 1\nallow_classes: safe, shared\n\n## Hooks\n"+
			"### guard\nevent: pre_tool_use\ncommand: exit 2\n\n## Sandbox\nnetwork: none\nmemory: 1GiB\n",
		"recipe.md",
		"version: 1\n\n## Metadata\nextends: base.md\n\n## Constraints\nmax_steps: 3\n\n## Hooks\n### mine\n"+
			"event: session_start\ncommand: exit 0\n\n## Sandbox\n",
		"plain.md", "version: 1\n\n## Constraints\nbash_timeout: 3\n",
	))
	r, err := f.Discover("recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "classes", r.Constraints.AllowClasses, []string{"safe", "shared"})
	same(t, "cost", r.Constraints.MaxCost, 0.0)
	got := r.Dropped().Error()
	for _, want := range []string{"recipe.md:6:4: warning: this section drops what base.md has in it: max_cost\n",
		"recipe.md:9:4: warning: this section drops what base.md has in it: guard"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "memory") || strings.Contains(got, "allow_classes") {
		t.Errorf("an empty section, and what is kept, are complained of:\n%s", got)
	}
	if r, err = f.Discover("plain.md"); err != nil || len(r.Dropped()) > 0 {
		t.Errorf("the defaults are no recipe that anything is dropped of: %v, %v", r.Dropped(), err)
	}
}

func TestZerosThatAreWritten(t *testing.T) {
	r := mustParse(t, "## Constraints\nmax_steps: 0\n\n## Sandbox\nallow_local_fetch: false\n")
	text := r.MarshalMarkdown()
	for _, line := range []string{"- max_steps: 0\n", "- allow_local_fetch: false\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is lost:\n%s", line, text)
		}
	}
	if strings.Contains(text, "max_cost") || strings.Contains(text, "network") {
		t.Errorf("what nobody set is written:\n%s", text)
	}
	for _, bad := range []string{"## Model Parameters\nmax_tokens: 0\n",
		"## Model Profiles\n### a/b\ncontext_budget: 0\n"} {
		if _, err := ParseContent([]byte("version: 1\n\n" + bad)); err == nil || !strings.Contains(err.Error(),
			"of at least 1") {
			t.Errorf("%s gives %v", bad, err)
		}
	}
}
