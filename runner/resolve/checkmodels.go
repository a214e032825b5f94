package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	names "cookoff/contestant"
	"cookoff/internal/hint"
	"cookoff/model"
	"cookoff/runner/budget"
	v1 "cookoff/runner/v1"
)

// modelChecker resolves the models: those that are compared, of sub-agents, and what
// their profiles and prices allow.
type modelChecker struct{ *checker }

// all finds every contestant.
func (c *modelChecker) all() {
	all := c.recipe.Names()
	if len(all) == 0 {
		c.at("models", "list them under ## Models, as - openai/gpt-5-mini or - baseline/oracle, "+
			"or name them with --models; cookoff models says who can be asked",
			"no models to compare")
	}
	for i, id := range c.recipe.Models {
		c.model(fmt.Sprintf("models[%d]", i), id)
	}
	for _, named := range c.recipe.Contestants {
		key := c.recipe.ContestantKey(named.Name)
		if slices.Contains(c.recipe.Models, named.Name) {
			c.at(key, "give one of them another name", "contestant %q has the name of a model that is listed as well",
				named.Name)
			continue
		}
		c.model(key, named.Name)
	}
	if b := c.recipe.Comparison.Baseline; b != "" && !slices.Contains(all, b) {
		c.unknown("comparison.baseline", "model", b, slices.Compact(all))
	}
}

// model finds what stands behind the name of a contestant.
func (c *modelChecker) model(key, name string) {
	behind := c.recipe.Behind(name)
	if behind == "" {
		return // where the recipe was read
	}
	agent, id := names.Split(behind)
	if agent != "" {
		(&agentChecker{c.checker}).agent(key, name, agent, id)
		return
	}
	if provider, _, _ := strings.Cut(id, "/"); provider == "baseline" {
		if !slices.Contains(baselines, id) {
			c.unknown(key, "baseline", id, baselines)
		}
		c.out.Models[name] = contestant{baseline: id, ID: id}
		return
	}
	chat, err := c.given.Chat(name)
	if err != nil {
		msg, next := hint.Of(err)
		c.at(key, next, "%s", msg)
	}
	c.out.Models[name] = contestant{chat: chat, ID: id}
}

// subAgents checks what a recipe says of sub-agents.
func (c *modelChecker) subAgents() {
	s := c.recipe.SubAgent
	if len(c.recipe.SubAgentModes) > 0 && s.MaxDepth < 1 {
		c.warn("sub_agent_modes", "write max_depth: 1 in Sub-Agent", "there are no sub-agents to choose a mode for")
	}
	c.subAgentModel()
	if s.Tools == "" || s.Tools == "inherit" {
		return
	}
	var known []string
	for _, name := range c.out.Order {
		known = append(known, c.out.TaskOf[name].Offer(c.recipe).Set(nil, 0).Names...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for name := range strings.SplitSeq(s.Tools, ", ") {
		if !slices.Contains(known, name) && !c.served("sub_agent.tools", name) {
			c.unknown("sub_agent.tools", "tool of a sub-agent", name, known)
		}
	}
}

// subAgentModel makes the model of sub-agents. No baseline: one of them knows
// the solution.
func (c *modelChecker) subAgentModel() {
	id := c.recipe.SubAgent.Model
	if _, known := c.out.Models[id]; id == "" {
		return
	} else if strings.HasPrefix(id, "baseline/") {
		c.at("sub_agent.model", "", "a baseline can't be a sub-agent: %s", id)
		return
	} else if known {
		return
	}
	chat, err := c.given.Chat(id)
	if err != nil {
		msg, next := hint.Of(err)
		c.at("sub_agent.model", next, "%s", msg)
	}
	c.out.Models[id] = contestant{chat: chat, ID: id}
	if _, ok := budget.Cost(c.given.Prices, id, model.Usage{Known: true}); c.recipe.Constraints.MaxCost > 0 && !ok {
		c.at("sub_agent.model", "add its price under [prices] in your cookoff.toml, or drop max_cost",
			"max_cost can't be kept for %s: its price is unknown", id)
	}
}

// profiles checks what the recipe says of models.
func (c *modelChecker) profiles() {
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
			c.warn(key, "* stands for anything but /, ** for anything", "profile %q is of none of this recipe's models",
				name)
		}
		if p.SystemRole != nil && !*p.SystemRole && p.MidConvoSystem != nil && *p.MidConvoSystem {
			c.at(key+".mid_convo_system", "", "a model without system_role can't have mid_convo_system")
		}
	}
}

// costs refuses a limit in money that could not be kept, or judged.
func (c *modelChecker) costs() {
	for i, k := range c.recipe.SuccessCriteria {
		if k.Kind == "max_cost" {
			c.priced(fmt.Sprintf("success_criteria[%d]", i), "judged")
		}
	}
	if c.recipe.Constraints.MaxCost == 0 {
		return
	}
	if slices.ContainsFunc(c.recipe.Names(), func(name string) bool { // what agents ask for the gateway bounds
		agent, _ := names.Split(c.recipe.Behind(name))
		return agent == "" && c.out.OwnOf(name).Recipe.ModelParams.MaxTokens == nil
	}) {
		c.warn("constraints.max_cost", "set it in Model Parameters",
			"without max_tokens a single reply can cost more than is left of max_cost")
	}
	c.priced("constraints.max_cost", "kept")
}

// priced refuses models whose price is not known where money is limited at key.
func (c *modelChecker) priced(key, done string) {
	for _, name := range c.recipe.Names() {
		if _, ok := budget.Cost(c.given.Prices, c.recipe.Behind(name), model.Usage{Known: true}); !ok {
			c.at(c.keyOf(name), fmt.Sprintf("add its price under [prices] in your cookoff.toml, or drop max_cost at %s",
				c.recipe.Place(key)),
				"max_cost can't be %s for %s: its price is unknown", done, name)
		}
	}
}
