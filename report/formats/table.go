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

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
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
	left, err := p.mainTable()
	if err != nil {
		return err
	}
	if err := p.matrixTables(); err != nil {
		return err
	}
	if err := p.groupTables(); err != nil {
		return err
	}
	p.contestants()
	p.notes(left)
	_, err = w.Write(p.b.Bytes())
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

func (p *page) mainTable() (left []string, err error) {
	if len(p.r.Models) == 0 {
		return nil, nil
	}
	g := mainGrid(p.r)
	left = g.fit(p.o.Width, dropOrder(p.r))
	return left, p.grid(g)
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
func (p *page) grid(g *grid) error {
	var align tw.Alignment
	for _, left := range g.left {
		if left {
			align = append(align, tw.AlignLeft)
		} else {
			align = append(align, tw.AlignRight)
		}
	}
	var out bytes.Buffer
	t := newTable(&out, align)
	t.Header(g.head)
	for i, row := range g.rows {
		painted := slices.Clone(row)
		for j := range painted {
			if g.state != nil {
				painted[j] = p.o.paint(g.state(i, j), painted[j])
			}
		}
		if err := t.Append(painted); err != nil {
			return fmt.Errorf("drawing a table: %w", err)
		}
	}
	if err := t.Render(); err != nil {
		return fmt.Errorf("drawing a table: %w", err)
	}
	total := g.width()
	for line := range strings.Lines(out.String()) {
		p.b.WriteString(tidy(line, total) + "\n")
	}
	return nil
}

// newTable sets the library up: no frame, no wrapping, text as it is.
func newTable(w io.Writer, align tw.Alignment) *tablewriter.Table {
	return tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Lines: tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On,
					ShowFooterLine: tw.Off}, Separators: tw.SeparatorsNone,
			},
		})),
		tablewriter.WithEastAsian(tw.Off), // or the bytes would depend on the locale
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithRowAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithPadding(tw.Padding{Right: strings.Repeat(" ", gap), Overwrite: true}),
		tablewriter.WithAlignment(align),
	)
}

// tidy takes away the padding after the last column; the library ends each
// padded coloured cell with a reset of its own.
func tidy(line string, total int) string {
	text := strings.TrimRight(line, " \n")
	for strings.HasSuffix(text, reset) {
		text = strings.TrimRight(strings.TrimSuffix(text, reset), " ")
	}
	switch {
	case strings.Trim(text, "─") == "":
		return strings.Repeat("─", total)
	case strings.Contains(text, "\x1b"):
		return text + reset
	}
	return text
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
