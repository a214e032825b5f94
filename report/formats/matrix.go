package formats

import (
	"slices"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/number"
	"cookoff/trial"
)

// How short names of tasks and of models may get in the matrix before it is
// broken into several.
const (
	taskFair = 32
	headFair = 14
)

// matrixTables writes the task × model matrix, broken into as many tables as it
// needs to fit.
func (p *page) matrixTables() error {
	if len(p.r.Tasks) == 0 || len(p.r.Models) == 0 {
		return nil
	}
	limit := p.o.Width
	heads := matrixHeads(p.r, limit)
	for models := p.r.Models; len(models) > 0; {
		g := matrixGrid(p.r, models, heads)
		for n := len(g.head); limit > 0 && n > 2 && g.leastWidth() > limit; n-- {
			g.drop(n - 1)
		}
		if over := g.width() - limit; limit > 0 && over > 0 {
			g.cutTasks(max(nameMin, g.widths()[0]-over))
		}
		p.b.WriteByte('\n')
		if err := p.grid(g); err != nil {
			return err
		}
		done := len(g.head) - 1
		models, heads = models[done:], heads[done:]
	}
	return nil
}

func matrixGrid(r *report.Report, models []report.Model, heads []string) *grid {
	g := &grid{head: append([]string{"task"}, heads...), left: slices.Repeat([]bool{true}, 1+len(models))}
	cells := report.Matrix(r)
	var states [][]trial.Status
	for _, task := range r.Tasks {
		row, st := []string{text.Cut(text.Visible(task), report.NameMax)}, []trial.Status{""}
		for _, m := range models {
			c, ok := cells[[2]string{task, m.Name}]
			if !ok {
				c = report.Cell{Text: number.Dash}
			}
			row, st = append(row, text.Middle(c.Text, nameFair)), append(st, c.State)
		}
		g.rows, states = append(g.rows, row), append(states, st)
	}
	g.state = func(row, col int) trial.Status { return states[row][col] }
	return g
}

// leastWidth is the width of the grid with its tasks cut as far as is fair.
func (g *grid) leastWidth() int {
	return g.width() - max(0, g.widths()[0]-taskFair)
}

func (g *grid) cutTasks(max int) {
	for _, row := range g.rows {
		row[0] = text.Cut(row[0], max)
	}
}

// matrixHeads gives the models' names, in full where that fits, else without
// the provider where they stay apart, else cut.
func matrixHeads(r *report.Report, limit int) []string {
	full := make([]string, len(r.Models))
	for i, m := range r.Models {
		full[i] = text.Middle(text.Visible(m.Name), report.NameMax)
	}
	fits := func(heads []string) bool {
		return limit <= 0 || matrixGrid(r, r.Models, heads).leastWidth() <= limit
	}
	if fits(full) {
		return full
	}
	short := make([]string, len(full))
	seen := map[string]bool{}
	for i, m := range r.Models {
		short[i] = text.Visible(baseName(m.Name))
		seen[short[i]] = true
	}
	if len(seen) < len(short) {
		short = full
	}
	if fits(short) {
		return short
	}
	for i := range short {
		short[i] = text.Middle(short[i], headFair)
	}
	return short
}

// baseName is a model's id without its provider.
func baseName(id string) string {
	for i := len(id) - 1; i > 0; i-- {
		if id[i] == '/' && i+1 < len(id) {
			return id[i+1:]
		}
	}
	return id
}
