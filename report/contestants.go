package report

import (
	"bytes"
	"fmt"
	"strings"

	"cookoff/trial"
)

// Difference says what a contestant is that has a name of its own, for people.
type Difference struct {
	Name, Model string
	Given       string // what differs from the recipe for it alone; "": nothing does
}

// Differences say what differs between the contestants that have names of their own, as
// the run was planned. It is foreign text.
func Differences(list []trial.Contestant) (out []Difference) {
	for _, c := range list {
		var given []string
		for _, g := range c.Given {
			given = append(given, g.Key+": "+g.Text)
		}
		d := Difference{Name: c.Name, Model: c.Model, Given: strings.Join(given, "; ")}
		if c.Agent != "" {
			d.Model = c.Agent + ": " + c.Model
		}
		out = append(out, d)
	}
	return out
}

// asTheRecipe stands for a contestant of which nothing differs.
const asTheRecipe = "as the recipe has it"

// contestants says what the contestants are that have names of their own.
func (p *page) contestants() {
	all := Differences(p.r.Run.Contestants)
	if len(all) == 0 {
		return
	}
	p.b.WriteString("\ncontestants\n")
	for _, d := range all {
		p.item("·", visible(fmt.Sprintf("%s (%s): %s", d.Name, d.Model, orElse(d.Given, asTheRecipe))))
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

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// contestantProperties say what a contestant is, for a suite of its own.
func contestantProperties(r *Report, name string) (out []junitProperty) {
	c := r.Run.Contestant(name)
	if c == nil {
		return nil
	}
	out = append(out, junitProperty{"contestant.model", visible(r.Run.Behind(name))})
	for _, g := range c.Given {
		out = append(out, junitProperty{"contestant." + visible(g.Key), visible(g.Text)})
	}
	return out
}

// redefined says which contestants of one name are not the same in two runs.
func redefined(a, b *Report, side string, say sayer) {
	for _, c := range a.Run.Contestants {
		other := b.Run.Contestant(c.Name)
		if other == nil || other.Sum == c.Sum {
			continue
		}
		d := Differences([]trial.Contestant{c, *other})
		say("the contestant %s is not the same in A and %s: %s (%s), and %s (%s)", c.Name, side,
			d[0].Model, orElse(d[0].Given, asTheRecipe), d[1].Model, orElse(d[1].Given, asTheRecipe))
	}
}
