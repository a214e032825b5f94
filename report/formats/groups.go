package formats

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/trial"
)

// groupTables writes, for each group that tags name (kind:git, level:hard) and that has
// more than one value, how many trials of its tasks each model fixed.
func (p *page) groupTables() error {
	var names []string
	values := map[string][]string{}
	for _, task := range p.r.Tasks {
		for _, tag := range p.r.Run.Groups[task] {
			name, value, _ := strings.Cut(tag, ":")
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			if !slices.Contains(values[name], value) {
				values[name] = append(values[name], value)
			}
		}
	}
	for _, name := range names {
		if len(values[name]) < 2 {
			continue
		}
		if err := p.groupTable(name, values[name]); err != nil {
			return err
		}
	}
	return nil
}

// groupTable writes the table of one group, broken into as many as it needs to fit.
func (p *page) groupTable(name string, values []string) error {
	limit := p.o.Width
	heads := matrixHeads(p.r, limit)
	for models := p.r.Models; len(models) > 0; {
		g := p.groupGrid(name, values, models)
		g.head = append(g.head, heads...)
		for n := len(g.head); limit > 0 && n > 3 && g.width() > limit; n-- {
			g.drop(n - 1)
		}
		p.b.WriteByte('\n')
		if err := p.grid(g); err != nil {
			return err
		}
		done := len(g.head) - 2
		models, heads = models[done:], heads[done:]
	}
	return nil
}

// groupGrid counts a group's trials by value and model; the heads of the models are
// left to the caller.
func (p *page) groupGrid(name string, values []string, models []report.Model) *grid {
	type key struct{ value, model string }
	fixed, judged, tasks := map[key]int{}, map[key]int{}, map[string]int{}
	of := map[string][]string{} // task -> its values
	for _, task := range p.r.Tasks {
		for _, tag := range p.r.Run.Groups[task] {
			if v, is := strings.CutPrefix(tag, name+":"); is {
				of[task] = append(of[task], v)
				tasks[v]++
			}
		}
	}
	for _, t := range p.r.Trials {
		for _, v := range of[t.Task] {
			switch t.Outcome.Status {
			case trial.Pass:
				fixed[key{v, t.Model}]++
				judged[key{v, t.Model}]++
			case trial.Fail:
				judged[key{v, t.Model}]++
			}
		}
	}
	g := &grid{head: []string{text.Visible(name), "tasks"},
		left: slices.Concat([]bool{true}, make([]bool, 1+len(models)))}
	for _, v := range values {
		row := []string{text.Cut(text.Visible(v), report.NameMax), fmt.Sprint(tasks[v])}
		for _, m := range models {
			k := key{v, m.Name}
			row = append(row, fmt.Sprintf("%d/%d", fixed[k], judged[k]))
		}
		g.rows = append(g.rows, row)
	}
	return g
}
