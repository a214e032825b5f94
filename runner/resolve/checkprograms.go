package resolve

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/contestant/agents"
	"cookoff/contestant/gateway/translate"
	"cookoff/internal/hint"
	"cookoff/model"
	"cookoff/model/wire"
	"cookoff/recipe"
)

// noTrial stands for any trial.
var noTrial model.TrialID

// agentChecker checks the contestants that are agent programs.
type agentChecker struct{ *checker }

// agent finds an agent program and where its model is asked, and says what of the
// recipe can't hold for it.
func (c *agentChecker) agent(key, id, name, of string) {
	if strings.HasPrefix(of, "baseline/") {
		c.at(key, "name a model behind it: "+name+": openai/gpt-5-mini", "%s is no model that the agent %s could ask",
			of, name)
		return
	}
	if c.given.Agent == nil {
		c.at(key, "", "agents can't be contestants here: %s", id)
		return
	}
	found, absent := c.given.Agent(name)
	if absent != nil {
		msg, next := hint.Of(absent)
		c.at(key, next, "%s", msg)
	}
	if of == "" {
		c.at(key, "name one behind it: "+name+": openai/gpt-5-mini", "the agent %s has no model", name)
		return
	}
	chat, err := c.given.Chat(id)
	if err != nil {
		msg, next := hint.Of(err)
		c.at(key, next, "%s", msg)
	}
	if absent != nil || err != nil {
		return
	}
	a := &Agent{found, of, chat}
	up := a.Upstream(noTrial)
	if len(up.Dialects) == 0 {
		c.at(key, "", "%s has no address where an agent could ask it", of)
		return
	}
	if strings.ContainsAny(up.Model, "\"\\{}$`'") {
		c.at(key, "", "an agent can't be told of a model called %q", up.Model)
	}
	if !up.HasDialect(wire.Dialect(a.Dialect)) && !translated(a, up) {
		c.at(key, "choose a model of a provider that speaks it: "+
			"dialect under [providers.NAME] in cookoff.toml says which do, and cookoff help docs/agents.md which are translated",
			"the agent %s speaks %s, and the provider of %s does not", name, a.Dialect, of)
	}
	c.out.Models[id] = contestant{Agent: a, ID: of}
	c.beside(key, id, a)
}

// translated reports whether the gateway puts the agent's requests into a dialect that
// the provider speaks.
func translated(a *Agent, up wire.Upstream) bool {
	return up.HasDialect(wire.Chat) && translate.Can(wire.Dialect(a.Dialect))
}

// beside says what of the recipe an agent does without.
func (c *agentChecker) beside(key, id string, a *Agent) {
	own := c.out.OwnOf(id)
	r := own.Recipe
	if r.Sandbox.Network == "full" {
		c.at(key, "use network: allow with allow_hosts",
			"an agent reaches its model through a gateway in a network of its own, and network: full is the host's: %s",
			id)
	}
	c.servedToAgents(key, id, a)
	c.impossible(key, own)
	c.unread(key, own, a)
	var without []string
	for _, w := range []struct {
		there bool
		what  string
	}{
		{r.SystemPrompt != "" && c.own("system prompt") && own.Given("system_prompt") == "", "the system prompt"},
		{r.Tools != nil && c.recipe.Tools != nil && c.own("tools"), "the list of tools"},
		{r.ToolGuidance != "" || len(r.ToolDescriptions) > 0, "texts about tools"},
		{slices.ContainsFunc(r.Tasks, func(t recipe.Task) bool { return len(t.Tools) > 0 }), "tools of tasks"},
		{len(r.OutputProcessing) > 0, "output processing"},
		{r.Context.Strategy != "" && r.Context.Strategy != "off" || r.Context.MaxHistoryTurns > 0,
			"the context's rules"}, {len(r.Hooks) > 0, "hooks"},
		{len(r.SystemReminders) > 0, "system reminders"},
		{r.SubAgent.MaxDepth > 0, "sub-agents"},
		{r.Constraints.MaxToolCalls > 0, "max_tool_calls"},
		{c.recipe.ModelParams != (recipe.ModelParamsConfig{}), "model parameters"},
		{r.Context.TaskMode == "sequential", "what was said in the task before"},
	} {
		if w.there {
			without = append(without, w.what)
		}
	}
	if len(without) > 0 {
		c.warn(key, "an agent has its own: cookoff help docs/agents.md says what holds for agents", "%s works without %s", id,
			joinAnd(without))
		c.problems[len(c.problems)-1].Note = true
		c.out.Without[id] = without
	}
}

// own reports whether a section is the recipe's, and not a default.
func (c *agentChecker) own(section string) bool {
	from := c.recipe.SectionSource(section)
	return from != recipe.FromDefaults && !strings.HasPrefix(from, "builtin:")
}

// servedToAgents says which MCP servers of the recipe an agent can't be handed.
func (c *agentChecker) servedToAgents(key, id string, a *Agent) {
	for _, s := range c.out.Servers {
		if !slices.Contains(c.out.OwnOf(id).Servers, s.Name) {
			continue
		}
		why := ""
		switch {
		case a.Protocol == agents.Exec || a.MCP == "none":
			why = "it can be handed none"
		case s.URL != "":
			why = "it lies outside of the sandbox, and the agent works inside"
		}
		if why != "" {
			c.at(key, "take the server out, or the agent", "the agent %s can't use the MCP server %q: %s",
				id, s.Name, why)
		}
	}
}

func joinAnd(words []string) string {
	if n := len(words); n > 1 {
		return fmt.Sprintf("%s and %s", strings.Join(words[:n-1], ", "), words[n-1])
	}
	return words[0]
}

// impossible reports what a contestant has of its own and an agent could not be told.
func (c *agentChecker) impossible(key string, own *Own) {
	if own.config == nil {
		return
	}
	agent := own.config.Agent
	for _, w := range []struct{ key, hint string }{
		{"system_prompt", "give it as a file that the agent reads, as files: AGENTS.md"},
		{"tools", "an agent has tools of its own; mcp: gives it servers"},
		{"add_tools", "an agent has tools of its own; mcp: gives it servers"},
		{"drop_tools", "an agent has tools of its own"},
		{"temperature", "an agent asks its model as it likes"}, {"top_p", "an agent asks its model as it likes"},
		{"max_tokens", "an agent asks its model as it likes"},
		{"seed", "an agent asks its model as it likes"}, {"reasoning_effort", "an agent asks its model as it likes"},
		{"parallel_tool_calls", "an agent asks its model as it likes"},
	} {
		if own.Given(w.key) != "" {
			c.at(key+"."+w.key, w.hint, "%s can't hold for contestant %q, which is an agent: %s", w.key,
				own.config.Name, agent)
		}
	}
}
