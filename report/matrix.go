package report

import (
	"bytes"

	"cookoff/trial"
)

// The widest that a task's name and, where space is short, a model's may be in
// the matrix.
const (
	taskMax = 36
	headMax = 14
)

// matrixTables writes the task × model matrix, broken into as many tables as it
// needs to fit.
func matrixTables(b *bytes.Buffer, r *Report, o Options) error {
	if len(r.Tasks) == 0 || len(r.Models) == 0 {
		return nil
	}
	heads := matrixHeads(r, o.Width)
	for from := 0; from < len(r.Models); {
		g, states := matrixGrid(r, heads, from, len(r.Models))
		for n := len(g.head); o.Width > 0 && n > 2 && g.width() > o.Width; n-- {
			g.drop(n - 1)
		}
		if over := g.width() - o.Width; o.Width > 0 && over > 0 {
			g.cut(0, max(nameMin, g.widths()[0]-over))
		}
		g.state = func(row, col int) trial.Status {
			if col == 0 {
				return ""
			}
			return states[row][col-1]
		}
		b.WriteByte('\n')
		if err := g.print(b, o); err != nil {
			return err
		}
		from += len(g.head) - 1
	}
	return nil
}

func matrixGrid(r *Report, heads []string, from, to int) (*grid, [][]trial.Status) {
	g := &grid{head: []string{"task"}, left: []bool{true}}
	for _, h := range heads[from:to] {
		g.head, g.left = append(g.head, h), append(g.left, true)
	}
	cells := matrix(r)
	var states [][]trial.Status
	for _, task := range r.Tasks {
		row := []string{shorten(visible(task), taskMax)}
		var st []trial.Status
		for _, m := range r.Models[from:to] {
			c, ok := cells[[2]string{task, m.Name}]
			if !ok {
				c = cell{text: dash}
			}
			row, st = append(row, shorten(c.text, nameFair)), append(st, c.state)
		}
		g.rows, states = append(g.rows, row), append(states, st)
	}
	return g, states
}

// matrixHeads gives the models' names, in full where that fits, else without
// the provider where they stay apart, else cut.
func matrixHeads(r *Report, limit int) []string {
	full := make([]string, len(r.Models))
	for i, m := range r.Models {
		full[i] = shorten(visible(m.Name), nameMax)
	}
	fits := func(heads []string) bool {
		g, _ := matrixGrid(r, heads, 0, len(heads))
		return limit <= 0 || g.width() <= limit
	}
	if fits(full) {
		return full
	}
	short := make([]string, len(full))
	seen := map[string]bool{}
	for i, m := range r.Models {
		short[i] = visible(baseName(m.Name))
		seen[short[i]] = true
	}
	if len(seen) < len(short) {
		short = full
	}
	if fits(short) {
		return short
	}
	for i := range short {
		short[i] = shorten(short[i], headMax)
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
