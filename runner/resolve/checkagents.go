package resolve

import (
	"slices"
	"strings"

	"cookoff/internal/hint"
	"cookoff/model"
	"cookoff/runner/budget"
)

// subAgents checks what a recipe says of sub-agents.
func (c *checker) subAgents() {
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
func (c *checker) subAgentModel() {
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
