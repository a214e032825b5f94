package recipe

import (
	"strings"

	"cookoff/contestant"
)

// contestant reads a contestant's name: provider/model, or agent: provider/model,
// in its one spelling. Whether there is such an agent is for later.
func (p *reader) contestant(v span) (span, bool) {
	before, _, _ := strings.Cut(v.plain(), "/")
	if !strings.Contains(before, ":") {
		return v, p.modelID(v)
	}
	agent, _ := contestant.Split(v.plain())
	if !contestant.IsAgentName(agent) {
		p.problem(v.off, "for example opencode: openai/gpt-5-mini",
			"%q is not of the shape agent: provider/model: %q can't name an agent", FirstLine(v.plain(), 80), agent)
		return v, false
	}
	ok := p.modelID(v.from(strings.Index(v.s, ":") + 1).trim())
	return span{contestant.Canonical(v.plain()), v.off}, ok
}
