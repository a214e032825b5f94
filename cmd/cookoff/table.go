package main

import (
	"io"
	"strings"
	"text/tabwriter"

	"cookoff/cmd/cookoff/internal/screen"
)

// table prints rows in columns, every cell made safe to show.
type table struct{ w *tabwriter.Writer }

func newTable(w io.Writer) table { return table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

func (t table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = screen.Clean(c)
	}
	io.WriteString(t.w, strings.Join(cells, "\t")+"\n") // kept in memory until flush
}

func (t table) flush() error { return t.w.Flush() }
