package resolve

import (
	"cookoff/model/baseline"
	v1 "cookoff/runner/v1"
)

// context checks how the conversation is to be kept.
func (c *checker) context() {
	x := c.recipe.Context
	if x.Strategy == v1.ManualCompact && !c.given.Attended {
		c.warn("context.strategy", "write auto_compact to have it done at the threshold",
			"with strategy: manual a person compacts by hand; a run has none, so nothing is")
	}
	if x.Strategy != v1.AutoCompact && x.CompactThreshold != 0 {
		c.at("context.compact_threshold", "", "compact_threshold has no effect without strategy: auto_compact")
	}
	if x.Strategy != v1.AutoCompact && x.Strategy != v1.ManualCompact && c.recipe.SummarizationPrompt != "" {
		c.warn("context_summarization_prompt", "",
			"nothing is summarized without strategy: auto_compact or manual in Context")
	}
	if x.Strategy != v1.AutoCompact {
		return
	}
	for _, name := range c.recipe.Names() {
		id := c.recipe.Behind(name)
		if c.recipe.ModelProfiles[v1.ProfileOf(c.recipe, id)].ContextBudget == 0 && !baseline.Is(id) {
			c.warn(c.keyOf(name), "give it a context_budget in Model Profiles",
				"how much %s can read at once is not known; %d tokens are assumed", id, v1.AssumedBudget)
		}
	}
}
