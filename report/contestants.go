package report

import (
	"cmp"
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

// What says what differs, or that nothing does.
func (d Difference) What() string { return cmp.Or(d.Given, "as the recipe has it") }
