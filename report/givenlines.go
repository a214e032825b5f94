package report

import (
	"bytes"
	"cookoff/internal/ui/text"
	"fmt"
)

// contestants says what the contestants are that have names of their own.
func (p *page) contestants() {
	all := Differences(p.r.Run.Contestants)
	if len(all) == 0 {
		return
	}
	p.b.WriteString("\ncontestants\n")
	for _, d := range all {
		p.item("·", text.Visible(fmt.Sprintf("%s (%s): %s", d.Name, d.Model, orElse(d.Given, asTheRecipe))))
	}
}

func mdContestants(b *bytes.Buffer, r *Report) {
	all := Differences(r.Run.Contestants)
	if len(all) == 0 {
		return
	}
	mdRow(b, []string{"contestant", "model", "what differs"})
	mdRow(b, []string{"---", "---", "---"})
	for _, d := range all {
		mdRow(b, []string{inTable(code(d.Name)), inTable(code(d.Model)), mdText(orElse(d.Given, asTheRecipe))})
	}
	b.WriteByte('\n')
}

// contestantProperties say what a contestant is, for a suite of its own.
func contestantProperties(r *Report, name string) (out []junitProperty) {
	c := r.Run.Contestant(name)
	if c == nil {
		return nil
	}
	out = append(out, junitProperty{"contestant.model", text.Visible(r.Run.Behind(name))})
	for _, g := range c.Given {
		out = append(out, junitProperty{"contestant." + text.Visible(g.Key), text.Visible(g.Text)})
	}
	return out
}
