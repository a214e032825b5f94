// Package canonical writes Markdown in canonical form: blocks, items and the
// entries of maps one way, and what has no such form as it stands in the source.
package canonical

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/recipe/dialect"
	"cookoff/recipe/source"
)

// Gap says what stands between two pieces of what is written.
type Gap int

const (
	AsWas Gap = iota // an empty line where the source has any
	Loose            // an empty line
	Tight            // none
)

// Writer writes a file anew, piece by piece, in the order of the source.
type Writer struct {
	*dialect.Reader
	out  strings.Builder
	last int // offset behind the source of what was written last
}

// NewWriter gives a writer of what the reader reads, which has written nothing yet.
func NewWriter(r *dialect.Reader) *Writer { return &Writer{Reader: r} }

// Begin forgets what was written.
func (w *Writer) Begin() {
	w.out.Reset()
	w.last = 0
}

// Written gives what was written since it began.
func (w *Writer) Written() string { return w.out.String() }

// Put writes a piece of the output that stands for the source from..to.
func (w *Writer) Put(text string, from, to int, g Gap) {
	if text == "" {
		return
	}
	if w.out.Len() > 0 {
		between := w.Raw[min(w.last, from):from]
		if g == Loose || g == AsWas && strings.Count(between, "\n") > 1 {
			w.out.WriteByte('\n')
		}
	}
	w.out.WriteString(text)
	w.out.WriteByte('\n')
	w.last = to
}

// Copy writes the source from..to as it is, without empty lines around it.
func (w *Writer) Copy(from, to int, g Gap) {
	for from < to && source.Blank(w.Raw[from:min(w.NextLine(from), to)]) {
		from = w.NextLine(from)
	}
	if from >= to {
		return
	}
	s := strings.TrimRight(w.Raw[from:to], " \t\n")
	w.Put(s, from, from+len(s), g)
}

// Node writes a block as it is.
func (w *Writer) Node(n ast.Node, g Gap) { w.Copy(w.LineStart(n.Pos()), w.End(n), g) }

// HeadingText gives the text of a heading as it was written.
func (w *Writer) HeadingText(h *ast.Heading) string {
	if h.Lines().Len() == 0 {
		return ""
	}
	seg := h.Lines().At(0)
	return trimBlanks(w.Raw[seg.Start:seg.Stop])
}

// ListItems writes the items of lists with one kind of bullet, what is no list as it is.
func (w *Writer) ListItems(nodes []ast.Node) {
	g := Loose
	for _, n := range nodes {
		if !source.IsKind[*ast.List](n) {
			if g == Tight {
				g = AsWas
			}
			w.Node(n, g)
			g = AsWas
			continue
		}
		for it := n.FirstChild(); it != nil; it = it.NextSibling() {
			from := w.LineStart(it.FirstChild().Pos())
			to := from + len(strings.TrimRight(w.Raw[from:w.End(it)], " \t\n"))
			w.Put("- "+w.ItemText(it, "  "), from, to, g)
			g = Tight
		}
	}
}

// ItemText gives the text of an item as it was written, its further lines
// indented by indent.
func (w *Writer) ItemText(it ast.Node, indent string) string {
	cols := 0
	for a := it; a != nil; a = a.Parent() {
		if li, ok := a.(*ast.ListItem); ok {
			cols += li.Offset
		}
	}
	from, to := it.FirstChild().Pos(), w.End(it)
	var b strings.Builder
	for at := from; at < to; at = w.NextLine(at) {
		line := w.Raw[at:min(w.NextLine(at), to)]
		if at != from {
			if line = source.CutColumns(line, cols); line != "\n" {
				b.WriteString(indent)
			}
		}
		b.WriteString(line)
	}
	return trimBlanks(b.String())
}

// EachBlock writes the headings of a section's blocks, and has write write what stands below each.
func (w *Writer) EachBlock(s *dialect.Section, write func(dialect.SubBlock)) {
	before, bs := w.Reader.Blocks(s)
	w.ListItems(before)
	for _, b := range bs {
		h := b.Heading
		w.Put(strings.TrimRight("### "+w.HeadingText(h), " "), w.LineStart(h.Pos()), b.Start-1, Loose)
		write(b)
	}
}
