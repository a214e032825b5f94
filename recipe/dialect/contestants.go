package dialect

import (
	"strings"

	"cookoff/contestant"
	"cookoff/recipe/source"
)

// Contestant reads a contestant's name: provider/model, or agent: provider/model,
// in its one spelling. Whether there is such an agent is for later.
func (p *Reader) Contestant(v source.Span) (source.Span, bool) {
	before, _, _ := strings.Cut(v.Plain(), "/")
	if !strings.Contains(before, ":") {
		return v, p.ModelID(v)
	}
	agent, _ := contestant.Split(v.Plain())
	if !contestant.IsAgentName(agent) {
		p.Problem(v.Off, "for example opencode: openai/gpt-5-mini",
			"%q is not of the shape agent: provider/model: %q can't name an agent", source.FirstLine(v.Plain(), 80), agent)
		return v, false
	}
	ok := p.ModelID(v.From(strings.Index(v.Text, ":") + 1).Trim())
	return source.Span{Text: contestant.Canonical(v.Plain()), Off: v.Off}, ok
}
