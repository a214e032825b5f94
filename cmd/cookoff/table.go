package main

import (
	"io"
	"strings"

	"cookoff/cmd/cookoff/internal/screen"
)

// table prints rows in columns, every cell made safe to show. No row is wider
// than limit, where there is one: the widest columns are cut, the first last.
type table struct {
	to    io.Writer
	limit int // columns of the terminal; 0: none
	rows  [][]string
}

// newTable begins a table on standard output.
func (a *app) newTable() *table {
	t := &table{to: a.out}
	if a.out.Terminal {
		t.limit, _ = a.out.Size()
	}
	return t
}

func (t *table) row(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = screen.Clean(c)
	}
	t.rows = append(t.rows, row)
}

const (
	tableGap   = 2  // blanks between columns
	leastWidth = 10 // of a column that is cut
)

// widths gives the width of each column.
func (t *table) widths() []int {
	var ws []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(ws) {
				ws = append(ws, 0)
			}
			ws[i] = max(ws[i], screen.Width(c))
		}
	}
	return ws
}

// width is how many columns a row takes that is not cut.
func (t *table) width() int {
	sum := -tableGap
	for _, w := range t.widths() {
		sum += w + tableGap
	}
	return sum
}

// fit narrows columns until they have room in so many terminal columns, or none
// can be narrowed further.
func fit(ws []int, room int) {
	sum := tableGap * (len(ws) - 1)
	for _, w := range ws {
		sum += w
	}
	for ; sum > room; sum-- {
		widest := -1
		for i, w := range ws {
			if i > 0 && w > leastWidth && (widest < 0 || w > ws[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			if ws[0] <= leastWidth {
				return
			}
			widest = 0
		}
		ws[widest]--
	}
}

// flush prints what was gathered, and begins anew.
func (t *table) flush() error {
	ws := t.widths()
	if t.limit > 0 && len(ws) > 0 {
		fit(ws, t.limit)
	}
	var b strings.Builder
	for _, row := range t.rows {
		line := ""
		for i, c := range row {
			line += screen.Fit(c, ws[i]) + strings.Repeat(" ", tableGap)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	t.rows = nil
	_, err := io.WriteString(t.to, b.String())
	return err
}
