// Package table prints rows in columns on a terminal.
package table

import (
	"io"
	"slices"
	"strings"

	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// Table prints rows in columns, every cell made safe to show. No row is wider
// than limit, where there is one: the widest columns are cut, the first last.
// The first row is the head.
type Table struct {
	To    io.Writer
	Limit int  // columns of the terminal; 0: none
	Keep  int  // so many columns from the left are cut after all others
	Below bool // the last column stands under its rows where it has no room beside them, and so does
	// what else would have those of Keep cut
	Rows [][]string
}

// New begins a table on a stream, as wide as its terminal.
func New(s screen.Stream) *Table {
	t := &Table{To: s}
	if s.Terminal {
		t.Limit, _ = s.Size()
	}
	return t
}

// Row adds a row. Cells are texts of one line: what would break the table in them is made
// visible.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = text.Line(c)
	}
	t.Rows = append(t.Rows, row)
}

const (
	tableGap   = 2  // blanks between columns
	leastWidth = 10 // of a column that is cut
)

// widths gives the width of each column.
func (t *Table) widths() []int {
	var ws []int
	for _, row := range t.Rows {
		for i, c := range row {
			if i == len(ws) {
				ws = append(ws, 0)
			}
			ws[i] = max(ws[i], text.Width(c))
		}
	}
	return ws
}

// Width is how many columns a row takes that is not cut.
func (t *Table) Width() int {
	sum := -tableGap
	for _, w := range t.widths() {
		sum += w + tableGap
	}
	return sum
}

// fit narrows columns until they have room in so many terminal columns, or none
// can be narrowed further: the first after all others, and those before keep
// after the rest.
func fit(ws []int, room, keep int) {
	sum := tableGap * (len(ws) - 1)
	for _, w := range ws {
		sum += w
	}
	for ; sum > room; sum-- {
		at := widest(ws, max(keep, 1), len(ws))
		if at < 0 {
			at = widest(ws, 1, keep)
		}
		if at < 0 {
			at = widest(ws, 0, 1)
		}
		if at < 0 {
			return
		}
		ws[at]--
	}
}

// widest is the widest column of those from to end that can be narrowed; -1:
// none can.
func widest(ws []int, from, end int) int {
	at := -1
	for i := from; i < min(end, len(ws)); i++ {
		if ws[i] > leastWidth && (at < 0 || ws[i] > ws[at]) {
			at = i
		}
	}
	return at
}

// beside is how many columns stand beside each other where the last has no room.
func (t *Table) beside(ws []int) int {
	last, keep := len(ws)-1, max(t.Keep, 1)
	for ; last > 1; last-- {
		sum := -tableGap
		for i, w := range ws[:last] {
			if i >= keep {
				w = min(w, leastWidth)
			}
			sum += w + tableGap
		}
		if sum <= t.Limit {
			break
		}
	}
	return last
}

// below is what stands under a row: the cells that are not empty.
func below(cells []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(cells), func(c string) bool { return c == "" }), ", ")
}

// Flush prints what was gathered, and begins anew.
func (t *Table) Flush() error {
	ws := t.widths()
	last := len(ws) // column; that and all behind it stand below
	if t.Limit > 0 && len(ws) > 0 {
		if t.Below && t.Width() > t.Limit {
			last = t.beside(ws)
		}
		fit(ws[:last], t.Limit, t.Keep)
	}
	var b strings.Builder
	for n, row := range t.Rows {
		line := ""
		for i, c := range row[:min(last, len(row))] {
			line += text.Fit(c, ws[i]) + strings.Repeat(" ", tableGap)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		if under := below(row[min(last, len(row)):]); n > 0 && under != "" {
			for _, piece := range text.Wrap(under, max(t.Limit-tableGap, leastWidth)) {
				b.WriteString(strings.Repeat(" ", tableGap) + strings.TrimSpace(piece) + "\n")
			}
		}
	}
	t.Rows = nil
	_, err := io.WriteString(t.To, b.String())
	return err
}
