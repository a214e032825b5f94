package resolve

import (
	"maps"
	"slices"

	"cookoff/runner/v1"
)

// profiles checks what the recipe says of models.
func (c *checker) profiles() {
	used := map[string]bool{}
	for _, name := range c.recipe.Names() {
		used[v1.ProfileOf(c.recipe, c.recipe.Behind(name))] = true
	}
	if s := c.recipe.SubAgent.Model; s != "" {
		used[v1.ProfileOf(c.recipe, s)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.recipe.ModelProfiles)) {
		key, p := "model_profiles."+name, c.recipe.ModelProfiles[name]
		if !used[name] {
			c.warn(key, "* stands for anything but /, ** for anything", "profile %q is of none of this recipe's models", name)
		}
		if p.SystemRole != nil && !*p.SystemRole && p.MidConvoSystem != nil && *p.MidConvoSystem {
			c.at(key+".mid_convo_system", "", "a model without system_role can't have mid_convo_system")
		}
	}
}
