package html

import (
	"fmt"
	"io"
	"math"

	"cookoff/report"
	"cookoff/report/compare"
	"cookoff/report/number"
	"cookoff/trial"
)

// sidedID names a trial of run i of a comparison.
func sidedID(i int, id string) string { return compare.Letter(i) + "/" + id }

// Side takes the events of run i of a comparison, for WriteComparison.
func (t *Transcripts) Side(i int) trial.Sink { return side(i, t) }

// Side takes the events of run i of a comparison, as those that its page was made of.
func (w *Wholes) Side(i int) trial.Sink { return side(i, w) }

func side(i int, to trial.Sink) trial.Sink {
	return trial.SinkFunc(func(e trial.Event) error {
		if e.Trial != "" {
			e.Trial = sidedID(i, e.Trial)
		}
		return to.Emit(e)
	})
}

// WriteComparison prints the page of a comparison, with the transcripts of its
// runs side by side; t took them with Side. A run that was read from a report
// has none.
func WriteComparison(w io.Writer, c *compare.Result, t *Transcripts) error {
	_, err := WriteComparisonCut(w, c, t, Options{})
	return err
}

// WriteComparisonCut is WriteComparison, and says which trials the page shows cut.
func WriteComparisonCut(w io.Writer, c *compare.Result, t *Transcripts, o Options) (Cut, error) {
	return writeComparison(w, c, t, document{Options: o, style: style(), script: script()})
}

func writeComparison(w io.Writer, c *compare.Result, t *Transcripts, d document) (Cut, error) {
	var all []shownTrial
	open := map[string]bool{} // those that have no outcome
	for i, s := range c.Sides {
		for n, tr := range allTrials(s.Report) {
			tr.ID = sidedID(i, tr.ID)
			open[tr.ID] = n >= len(s.Report.Trials)
			all = append(all, shownTrial{tr, compare.Letter(i)})
		}
	}
	short, err := d.write(w, "compare.tmpl", t, all, func(common chrome) any {
		return struct {
			chrome
			comparisonPage
		}{common, newComparisonPage(c, all)}
	})
	cut := Cut{}
	for _, n := range short {
		cut[all[n].ID] = cutTrial{shownTrial: all[n], n: n, open: open[all[n].ID]}
	}
	return cut, err
}

// comparisonPage is what compare.tmpl shows.
type comparisonPage struct {
	Title, Explained string
	Begun            bool
	Legends          []legend
	Notes            []string
	Changes          []changeRow
	Tasks            []taskRow
	Trials           []trialRow
	Filters          []filter
}

type legend struct{ Letter, Text string }

type changeRow struct{ Model, Run, Tasks, Was, Now, Delta, Interval, Time, Cost, Class, Word string }

type taskRow struct {
	Task, Model, Class, Change string
	Cells                      []taskCell
}

// taskCell is what became of a task in one run; First and Second are the trials
// that it opens.
type taskCell struct{ Text, Class, First, Second, Label string }

func newComparisonPage(c *compare.Result, all []shownTrial) comparisonPage {
	p := comparisonPage{Title: "What changed between runs", Explained: visibleLine(c.Explained()), Begun: true}
	for i, l := range c.Legends() {
		p.Legends = append(p.Legends, legend{compare.Letter(i), visibleLine(l[len(compare.Letter(i))+2:])})
	}
	for _, n := range c.Notes {
		p.Notes = append(p.Notes, visibleLine(n))
	}
	for _, ch := range c.Changes {
		row := changeRow{Model: visibleLine(ch.Model), Run: compare.Letter(ch.Side), Tasks: fmt.Sprint(ch.Delta.Tasks),
			Was: ch.Was.Text(), Now: ch.Now.Text(),
			Delta: report.Model{Delta: &ch.Delta}.DeltaText(), Interval: number.Points(ch.Delta.Interval),
			Time: ch.Time(), Cost: ch.Cost(), Class: "open", Word: "may be chance"}
		if ch.Delta.Significant {
			row.Class, row.Word = "pass", "▲ better"
		}
		if ch.Regression() {
			row.Class, row.Word = "fail", "▼ worse"
		}
		p.Changes = append(p.Changes, row)
	}
	for _, t := range c.Reading() {
		p.Tasks = append(p.Tasks, newTaskRow(t))
	}
	for _, t := range all {
		p.Trials = append(p.Trials, newTrialRow(t))
	}
	p.Filters = filters(p.Trials)
	return p
}

func newTaskRow(t compare.TaskChange) taskRow {
	row := taskRow{Task: visibleLine(t.Task), Model: visibleLine(t.Model), Class: "pass", Change: "▲ gained"}
	if t.Lost() {
		row.Class, row.Change = "fail", "▼ lost"
	}
	for i, text := range t.Cells {
		cell := taskCell{Text: visibleLine(text), Class: shade(t.Rates[i]),
			Label: visibleLine(fmt.Sprintf("%s in %s: %s", t.Task, compare.Letter(i), text))}
		if id := t.Trials[i]; id != "" {
			cell.First = visibleLine(sidedID(i, id))
			if i > 0 && t.Trials[0] != "" {
				cell.First, cell.Second = visibleLine(sidedID(0, t.Trials[0])), cell.First
			}
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// shade is the class of a share, as the heat map has it.
func shade(rate float64) string {
	if math.IsNaN(rate) {
		return "none"
	}
	return shareClass(rate)
}
