package shootout

import (
	"strings"

	"cookoff/internal/shootout/diffs"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// diffPage is the page of a diff, with how the trial went above it.
func diffPage(title string, files []diffs.File, head []fact) *overlay {
	o := painted(title, nil)
	o.lines = func(s screen.Stream, width int) []string {
		out := verdictLines(s, head, width)
		for _, f := range files {
			for _, l := range f.Lines {
				out = append(out, diffs.Draw(s, l, width))
			}
		}
		return out
	}
	n := len(head)
	for _, f := range files {
		o.marks = append(o.marks, n)
		n += len(f.Lines)
		for _, l := range f.Lines {
			o.full = max(o.full, diffs.Lead+text.Width(l.Text))
		}
	}
	return o
}

// fact is a line on how a trial went.
type fact struct {
	text  string
	style screen.Style
}

func verdictLines(s screen.Stream, facts []fact, width int) []string {
	var out []string
	for _, f := range facts {
		out = append(out, "  "+s.Paint(f.style, text.Cut(f.text, max(width-2, 0))))
	}
	return out
}

// besidePage is the page of two diffs beside each other.
func besidePage(title string, pairs []diffs.Pair) *overlay {
	o := painted(title, func(s screen.Stream, width int) []string { return besideLines(s, pairs, width) })
	n, widest := 0, 0
	for _, p := range pairs {
		o.marks = append(o.marks, n)
		n++
		if p.Same {
			n++
			continue
		}
		n += max(len(p.Rows), 1)
		for _, r := range p.Rows {
			for _, l := range []*diffs.Line{r.Left, r.Right} {
				if l != nil {
					widest = max(widest, diffs.Lead+text.Width(l.Text))
				}
			}
		}
	}
	o.full = 2*widest + 3
	return o
}

// besideLines draws the changes of two contestants beside each other, a half of the width
// each.
func besideLines(s screen.Stream, pairs []diffs.Pair, width int) []string {
	half := (width - 3) / 2
	var out []string
	for _, p := range pairs {
		out = append(out, s.Paint(screen.Bold, text.Fit(p.Path, width)))
		if p.Same {
			out = append(out, s.Paint(screen.Dim, text.Fit("   both left it the same", width)))
			continue
		}
		for _, r := range p.Rows {
			line := ""
			for i, l := range []*diffs.Line{r.Left, r.Right} {
				if i == 1 {
					line += s.Paint(screen.Dim, " │ ")
				}
				if l == nil {
					line += strings.Repeat(" ", half)
				} else {
					line += diffs.Draw(s, *l, half)
				}
			}
			out = append(out, line)
		}
		if len(p.Rows) == 0 {
			out = append(out, s.Paint(screen.Dim, text.Fit("   no text to compare", width)))
		}
	}
	if len(pairs) == 0 {
		out = append(out, "   neither changed anything")
	}
	return out
}
