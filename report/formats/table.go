package formats

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/number"
	"cookoff/trial"
)

// Options says how a format for people looks. The zero value is plain text of
// any width.
type Options struct {
	Width int  // columns of the terminal; 0: no limit
	Color bool // ANSI colours; they repeat what marks and words say
}

// How short names may get before columns are left out, and at most.
const (
	nameFair = 28
	nameMin  = 8
	gap      = 2 // columns between columns
)

// Table writes the answer in a sentence, the main table with the highest rate
// first, the task × model matrix, and notes with what has
// to be known before the numbers are believed. No row is wider than o.Width:
// first model names are cut in the middle to 28 columns, then columns are left
// out in this order: tokens, steps, cost/fix, pass^k, spent, cost, time, open, void, Δ;
// then names are cut to 8. The matrix is broken into several.
func Table(w io.Writer, r *report.Report, o Options) error {
	p := &page{r: r, o: o}
	p.title()
	left := p.mainTable()
	p.matrixTables()
	p.groupTables()
	p.contestants()
	p.notes(left)
	_, err := w.Write(p.b.Bytes())
	return err
}

// page is what is printed so far.
type page struct {
	b bytes.Buffer
	r *report.Report
	o Options
}

func (p *page) title() {
	r := p.r
	name := text.Visible(r.Run.Recipe)
	if name == "" {
		name = "comparison"
	}
	p.line(r.Answer)
	line := fmt.Sprintf("%s: %s, %s, %s each · run %s · seed %d", name,
		text.Count(len(r.Models), "model"), text.Count(len(r.Tasks), "task"),
		text.Count(r.Repeats(), "trial"), number.OrDash(text.Visible(r.Run.ID)),
		r.Run.Seed)
	p.line(line)
	if about := text.Visible(report.About(r)); about != "" {
		p.line(about)
	}
	if r.State != report.Finished {
		p.line(p.o.paint(trial.Void, text.Visible(r.Warnings[0])))
	}
	p.b.WriteByte('\n')
}

// grid is a table as text: what is in it, and which columns stand right.
type grid struct {
	head  []string
	rows  [][]string
	left  []bool
	state func(row, col int) trial.Status // colour of a cell; nil: none
}

func (g *grid) widths() []int {
	ws := make([]int, len(g.head))
	for i, h := range g.head {
		ws[i] = text.Width(h)
		for _, row := range g.rows {
			ws[i] = max(ws[i], text.Width(row[i]))
		}
	}
	return ws
}

func (g *grid) width() int {
	total := gap * (len(g.head) - 1)
	for _, w := range g.widths() {
		total += w
	}
	return total
}

// drop removes a column.
func (g *grid) drop(i int) {
	g.head, g.left = slices.Delete(g.head, i, i+1), slices.Delete(g.left, i, i+1)
	for j := range g.rows {
		g.rows[j] = slices.Delete(g.rows[j], i, i+1)
	}
}

// cut shortens the text of a column to max.
func (g *grid) cut(col, max int) {
	for _, row := range g.rows {
		row[col] = text.Middle(row[col], max)
	}
}

// fit makes the main table fit, and says which columns it left out.
func (g *grid) fit(limit int, order []string) (left []string) {
	g.cut(0, report.NameMax)
	if limit <= 0 {
		return nil
	}
	if over := g.width() - limit; over > 0 {
		g.cut(0, max(nameFair, g.widths()[0]-over))
	}
	for _, head := range order {
		i := slices.Index(g.head, head)
		if i < 0 || g.width() <= limit {
			continue
		}
		g.drop(i)
		left = append(left, head)
	}
	if over := g.width() - limit; over > 0 {
		g.cut(0, max(nameMin, g.widths()[0]-over))
	}
	return left
}

func (p *page) mainTable() (left []string) {
	if len(p.r.Models) == 0 {
		return nil
	}
	g := mainGrid(p.r)
	left = g.fit(p.o.Width, dropOrder(p.r))
	p.grid(g)
	return left
}

func mainGrid(r *report.Report) *grid {
	g := &grid{}
	for _, c := range columns(r) {
		g.head, g.left = append(g.head, c.head), append(g.left, c.left)
	}
	for _, m := range report.Ranked(r.Models) {
		var row []string
		for _, c := range columns(r) {
			row = append(row, c.cell(r, m))
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// grid draws a grid: a line under the head, no frame, nothing wrapped.
func (p *page) grid(g *grid) {
	widths := g.widths()
	p.row(g, widths, g.head, nil)
	p.b.WriteString(strings.Repeat("─", g.width()) + "\n")
	for i, row := range g.rows {
		p.row(g, widths, row, func(col int) trial.Status {
			if g.state == nil {
				return ""
			}
			return g.state(i, col)
		})
	}
}

// row draws one row, without spaces at its end; state colours its cells, where there is one.
func (p *page) row(g *grid, widths []int, cells []string, state func(col int) trial.Status) {
	var line strings.Builder
	spaces := 0 // owed before the next text
	for i, cell := range cells {
		pad := widths[i] - text.Width(cell)
		if !g.left[i] {
			spaces, pad = spaces+pad, 0
		}
		if cell != "" {
			line.WriteString(strings.Repeat(" ", spaces))
			spaces = 0
			if state != nil {
				cell = p.o.paint(state(i), cell)
			}
			line.WriteString(cell)
		}
		spaces += pad + gap
	}
	p.b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

const reset = "\x1b[0m"

// paint gives text the colour of what became of a trial.
func (o Options) paint(s trial.Status, text string) string {
	code := map[trial.Status]string{trial.Pass: "32", trial.Fail: "31", trial.Void: "33"}[s]
	if !o.Color || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + reset
}

// notes writes what stands under the tables.
func (p *page) notes(left []string) {
	p.b.WriteByte('\n')
	for _, l := range report.Legend(p.r) {
		p.line(l)
	}
	p.leftOut(left)
	for i, w := range p.r.Warnings {
		if i > 0 || p.r.State == report.Finished { // else it stands above the table
			p.item("!", text.Visible(w))
		}
	}
	for _, g := range p.r.Gates {
		mark, word, state := report.MarkPass, "holds", trial.Pass
		if !g.Held {
			mark, word, state = report.MarkFail, "does not hold", trial.Fail
		}
		p.item(p.o.paint(state, mark), text.Visible(gateText(g, word)))
	}
}

// leftOut says which columns had no room.
func (p *page) leftOut(left []string) {
	if len(left) > 0 {
		p.line(fmt.Sprintf("left out at %d columns: %s (--format json has all)", p.o.Width, strings.Join(left, ", ")))
	}
}

func gateText(g report.GateResult, word string) string {
	who := ""
	if g.Model != "" {
		who = " for " + g.Model
	}
	return fmt.Sprintf("--%s%s %s: %s", g.Gate, who, word, g.Why)
}

// line writes text in lines that fit.
func (p *page) line(text string) {
	for _, l := range wrap(text, p.o.Width) {
		p.b.WriteString(l + "\n")
	}
}

// item writes text behind a mark of one column, further lines indented.
func (p *page) item(mark, text string) {
	for i, l := range wrap(text, max(p.o.Width-2, 0)) {
		if i > 0 {
			mark = " "
		}
		p.b.WriteString(mark + " " + l + "\n")
	}
}

// Wrap breaks text at spaces into lines of at most columns; 0 is no limit.
func Wrap(text string, columns int) string {
	return strings.Join(wrap(text, columns), "\n") + "\n"
}

// wrap breaks text into lines of at most limit columns, at spaces where there
// are any; 0 is no limit.
func wrap(s string, limit int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && (limit <= 0 || text.Width(line)+1+text.Width(word) <= limit) {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for limit > 0 && text.Width(word) > limit {
			head := text.Head(word, limit)
			if head == "" {
				break
			}
			lines, word = append(lines, head), word[len(head):]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
