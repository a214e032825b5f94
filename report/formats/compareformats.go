package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/compare"
	"cookoff/report/number"
)

// ComparisonSchema names the version of the JSON of a comparison. Keys are only
// ever added to it.
const ComparisonSchema = "cookoff.comparison/1"

// ComparisonFormats are the formats of a comparison, the default first.
func ComparisonFormats() []string { return []string{"table", "json", "markdown"} }

// WriteComparison prints the comparison in the format of that name; an unknown one is an
// error.
func WriteComparison(w io.Writer, format string, c *compare.Result, o Options) error {
	var b bytes.Buffer
	var err error
	switch format {
	case "table":
		err = comparisonTable(&b, c, o)
	case "json":
		err = comparisonJSON(&b, c)
	case "markdown":
		comparisonMarkdown(&b, c)
	default:
		return fmt.Errorf("no format %q for a comparison\n  hint: one of %s", format,
			strings.Join(ComparisonFormats(), ", "))
	}
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	return err
}

// changeRows are the cells of the main table, names as they are.
func changeRows(c *compare.Result) (head []string, rows [][]string) {
	head = []string{"model", "run", "tasks", "A", "now", "Δ vs A", "interval", "time", "cost/trial"}
	for _, ch := range c.Changes {
		d := ch.Delta
		rows = append(rows, []string{ch.Model, compare.Letter(ch.Side), fmt.Sprint(d.Tasks),
			ch.Was.Text(), ch.Now.Text(),
			report.Model{Delta: &d}.DeltaText(), number.Points(d.Interval), ch.Time(), ch.Cost()})
	}
	return head, rows
}

func taskRows(c *compare.Result) (head []string, rows [][]string) {
	head = []string{"changed task", "model"}
	for i := range c.Sides {
		head = append(head, compare.Letter(i))
	}
	for _, t := range c.Tasks {
		rows = append(rows, append([]string{t.Task, t.Model}, t.Cells...))
	}
	return head, rows
}

// comparisonTable writes a comparison of runs as a table for a terminal.
func comparisonTable(b *bytes.Buffer, c *compare.Result, o Options) error {
	p := &page{o: o}
	for _, l := range c.Legends() {
		p.line(text.Visible(l))
	}
	p.b.WriteByte('\n')
	g := &grid{left: []bool{true, true, false, false, false, false, false, false, false}}
	g.head, g.rows = changeRows(c)
	left, err := p.fitted(g, []string{"time", "cost/trial", "interval", "tasks", "A"})
	if err != nil {
		return err
	}
	p.b.WriteByte('\n')
	if len(c.Tasks) > 0 {
		g := &grid{left: append([]bool{true}, bools(len(c.Sides)+1)...)}
		g.head, g.rows = taskRows(c)
		for _, row := range g.rows {
			row[0], row[1] = text.Visible(row[0]), text.Middle(text.Visible(row[1]), nameFair)
		}
		g.squeeze(o.Width)
		if _, err := p.fitted(g, nil); err != nil {
			return err
		}
		p.b.WriteString("\nworth reading, side by side (--format html -o FILE)\n")
		for _, l := range readingLines(c) {
			p.item(" ", text.Visible(l))
		}
	} else {
		p.line("no task changed")
	}
	p.b.WriteByte('\n')
	p.line(c.Explained())
	p.leftOut(left)
	for _, n := range c.Notes {
		p.item("!", text.Visible(n))
	}
	_, err = b.Write(p.b.Bytes())
	return err
}

// squeeze makes room for many runs: where too little is left of the names of
// tasks, cells keep only their marks, then models get short names too.
func (g *grid) squeeze(limit int) {
	over := func() bool { return limit > 0 && g.width()-max(g.widths()[0]-nameFair, 0) > limit }
	if over() {
		for _, row := range g.rows {
			for col := 2; col < len(row); col++ {
				if mark, _, cut := strings.Cut(row[col], " "); cut && mark != "" {
					row[col] = mark
				}
			}
		}
	}
	if over() {
		g.cut(1, nameMin)
	}
}

// fitted draws a grid whose first column holds foreign names.
func (p *page) fitted(g *grid, order []string) (left []string, err error) {
	for _, row := range g.rows {
		row[0] = text.Visible(row[0])
	}
	left = g.fit(p.o.Width, order)
	return left, p.grid(g)
}

func bools(n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}

// comparisonMarkdown writes a comparison of runs as tables of Markdown.
func comparisonMarkdown(b *bytes.Buffer, c *compare.Result) {
	b.WriteString("## Comparison\n\n")
	for _, l := range c.Legends() {
		b.WriteString("- " + mdText(l) + "\n")
	}
	b.WriteByte('\n')
	table := func(head []string, rows [][]string, names int) {
		rule := make([]string, len(head))
		for i := range head {
			head[i], rule[i] = mdText(head[i]), "---"
		}
		mdRow(b, head)
		mdRow(b, rule)
		for _, row := range rows {
			for i := range row {
				if i < names {
					row[i] = inTable(code(row[i]))
				} else {
					row[i] = mdText(row[i])
				}
			}
			mdRow(b, row)
		}
		b.WriteByte('\n')
	}
	head, rows := changeRows(c)
	table(head, rows, 1)
	if head, rows = taskRows(c); len(rows) > 0 {
		table(head, rows, 2)
		b.WriteString("Worth reading:\n\n")
		for _, l := range readingLines(c) {
			b.WriteString("- " + mdText(l) + "\n")
		}
		b.WriteByte('\n')
	} else {
		b.WriteString("No task changed.\n\n")
	}
	b.WriteString(mdText(c.Explained()) + "\n\n")
	for _, n := range c.Notes {
		b.WriteString("- ⚠ " + mdText(n) + "\n")
	}
}

type jsonComparison struct {
	Schema string            `json:"schema"`
	Alpha  float64           `json:"alpha"`
	Runs   []jsonSide        `json:"runs"`
	Models []jsonChange      `json:"models"`
	Tasks  []jsonTaskChanges `json:"tasks"`
	Notes  []string          `json:"notes"`
}

type jsonSide struct {
	Letter string     `json:"letter"`
	Name   string     `json:"name"`
	Run    string     `json:"run"`
	Recipe jsonRecipe `json:"recipe"`
}

type jsonChange struct {
	Model      string    `json:"model"`
	Run        string    `json:"run"` // letter
	Was        jsonScore `json:"was"`
	Now        jsonScore `json:"now"`
	Delta      jsonDelta `json:"delta"`
	Regression bool      `json:"regression"`
}

type jsonScore struct {
	Pass     int         `json:"pass"`
	Judged   int         `json:"judged"`
	Rate     *float64    `json:"rate"`
	Interval *[2]float64 `json:"interval"`
	Seconds  *float64    `json:"seconds"`  // median time of the fixes
	CostUSD  *float64    `json:"cost_usd"` // mean of the judged trials
}

type jsonTaskChanges struct {
	Task  string     `json:"task"`
	Model string     `json:"model"`
	Rates []*float64 `json:"rates"` // one a run; null: not judged
	// Trials are the ids of those that show the change best, one a run; "": none.
	Trials []string `json:"trials"`
}

func comparisonJSON(b *bytes.Buffer, c *compare.Result) error {
	j := jsonComparison{Schema: ComparisonSchema, Alpha: c.Alpha, Runs: []jsonSide{}, Models: []jsonChange{},
		Tasks: []jsonTaskChanges{}, Notes: list(c.Notes)}
	for i, s := range c.Sides {
		r := s.Report.Run
		j.Runs = append(j.Runs,
			jsonSide{compare.Letter(i), s.Name, r.ID, jsonRecipe{r.Recipe, r.Digest, r.Source, r.Metadata}})
	}
	for _, ch := range c.Changes {
		d := ch.Delta
		d.Baseline = c.Sides[0].Report.Run.ID
		j.Models = append(j.Models, jsonChange{ch.Model, compare.Letter(ch.Side), newJSONScore(ch.Was),
			newJSONScore(ch.Now), *newJSONDelta(&d), ch.Regression()})
	}
	for _, t := range c.Tasks {
		rates := []*float64{}
		for _, x := range t.Rates {
			rates = append(rates, finite(x))
		}
		j.Tasks = append(j.Tasks, jsonTaskChanges{t.Task, t.Model, rates, t.Trials})
	}
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetIndent("", "  ")
	if err := enc.Encode(j); err != nil {
		return fmt.Errorf("writing the comparison as JSON: %w", err)
	}
	b.Write(text.JSON(doc.Bytes()))
	return nil
}

func newJSONScore(s compare.Score) jsonScore {
	return jsonScore{s.Pass, s.Judged, finite(s.Rate), ends(s.Interval), finite(s.Seconds), pointed(s.CostUSD)}
}

// maxReading is how many changed tasks a comparison tells people to read.
const maxReading = 5

// readingLines name the trials to read, the most telling first.
func readingLines(c *compare.Result) []string {
	var out []string
	all := c.Reading()
	for _, t := range all[:min(len(all), maxReading)] {
		what, trials := "gained", ""
		if t.Lost() {
			what = "lost"
		}
		for i, id := range t.Trials {
			if id != "" {
				trials += fmt.Sprintf(", %s %s", compare.Letter(i), id)
			}
		}
		out = append(out, fmt.Sprintf("%s: %s, %s%s", what, t.Task, t.Model, trials))
	}
	if more := len(all) - maxReading; more > 0 {
		out = append(out, "and "+text.Count(more, "more changed task"))
	}
	return out
}
