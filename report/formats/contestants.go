package formats

import (
	"bytes"
	"fmt"

	"cookoff/internal/ui/text"
	"cookoff/report"
)

// contestants says what the contestants are that have names of their own.
func (p *page) contestants() {
	all := report.Differences(p.r.Run.Contestants)
	if len(all) == 0 {
		return
	}
	p.b.WriteString("\ncontestants\n")
	for _, d := range all {
		p.item("·", text.Visible(fmt.Sprintf("%s (%s): %s", d.Name, d.Model, d.What())))
	}
}

func mdContestants(b *bytes.Buffer, r *report.Report) {
	all := report.Differences(r.Run.Contestants)
	if len(all) == 0 {
		return
	}
	mdRow(b, []string{"contestant", "model", "what differs"})
	mdRow(b, []string{"---", "---", "---"})
	for _, d := range all {
		mdRow(b, []string{inTable(code(d.Name)), inTable(code(d.Model)), mdText(d.What())})
	}
	b.WriteByte('\n')
}

// contestantProperties say what a contestant is, for a suite of its own.
func contestantProperties(r *report.Report, name string) (out []junitProperty) {
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
