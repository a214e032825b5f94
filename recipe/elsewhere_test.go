package recipe

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cookoff/recipe/dialect"
	"cookoff/recipe/problem"
)

// TestKeysOfOtherSections: a key that stands in the wrong section is told where it belongs, and there it does.
func TestKeysOfOtherSections(t *testing.T) {
	tables := map[string][]dialect.Key{
		"## Sandbox": sandboxKeys(&SandboxConfig{}), "## Comparison": comparisonKeys(&ComparisonConfig{}),
		"## Constraints": constraintsKeys(&ConstraintsConfig{}), "## Model Parameters": modelParamsKeys(&ModelParamsConfig{}),
		"tasks": taskKeys(&Task{}),
	}
	told := 0
	for of, keys := range tables {
		for _, k := range keys {
			if k.Name == "timeout" {
				continue // of other things, too
			}
			_, err := ParseContent([]byte("version: 1\n\n## Context\n" + k.Name + ": 1\n"))
			var ps problem.List
			if !errors.As(err, &ps) || len(ps) != 1 {
				t.Fatalf("%s: %v", k.Name, err)
			}
			where, is := strings.CutPrefix(ps[0].Hint, "it is a key of ")
			if !is {
				if of != "tasks" && !strings.HasPrefix(ps[0].Hint, "did you mean") {
					t.Errorf("%s of %s: nothing says where it belongs: %q", k.Name, of, ps[0].Hint)
				}
				continue
			}
			told++
			named := strings.Split(strings.NewReplacer(", and of ", ", ", ", of ", ", ").Replace(where), ", ")
			if where, _, _ = strings.Cut(where, ";"); !slices.Contains(named, of) && !strings.HasPrefix(where, of) {
				t.Errorf("%s of %s: it is said to be one of %s", k.Name, of, where)
			}
		}
	}
	if told < 30 {
		t.Errorf("%d keys are told where they belong", told)
	}
}
