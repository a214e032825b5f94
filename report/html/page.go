package html

import (
	"cmp"
	"cookoff/report/number"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cookoff/report"
	"cookoff/trial"
)

// page is what the template shows. Its strings are safe to read: foreign text
// in them was made visible, and html/template escapes it.
type page struct {
	Title, Run, Source, Digest, Version string
	State                               string
	Begun                               bool // the plan is known
	Answer                              string
	About                               string // what the recipe says of itself
	Contestants                         []report.Difference
	Legend                              []string
	Tiles                               []tile
	Warnings, MoreWarnings              []string // the weightiest, the others
	Gates                               []gate
	Board                               board
	Plot                                *plot
	Map                                 heatMap
	Detail                              grid
	Trials                              []trialRow
	Filters                             []filter
}

type tile struct{ Name, Value, Note string }

type gate struct {
	Name, Model, Why string
	Held             bool
}

// grid is a plain table; its first column names the rows.
type grid struct {
	Head []string
	Rows [][]string
}

type filter struct {
	Name   string
	Values []string
}

type trialRow struct {
	ID, Run, Model, Task, Status, Glyph, Word, Cause, Stop, Steps, Time, Cost string
	TimeSort, CostSort                                                        string // empty for unknown
	N, Attempts                                                               int
}

// newPage makes what the template of a report shows. Texts from outside are made visible
// here.
func newPage(r *report.Report, all []shownTrial) page {
	p := page{
		Title: cmp.Or(visibleLine(r.Run.Recipe), "comparison"), Run: visibleLine(r.Run.ID),
		Source: visibleLine(r.Run.Source), Digest: visibleLine(r.Run.Digest), Version: visibleLine(r.Run.Version),
		State: string(r.State), Answer: visibleLine(r.Answer), About: visibleLine(report.About(r)),
		Begun: r.Run.ID != "" ||
			len(r.Models) > 0,
		Tiles: tiles(r), Board: newBoard(r), Plot: newPlot(r), Map: newHeatMap(r), Detail: detail(r),
	}
	for _, d := range report.Differences(r.Run.Contestants) {
		p.Contestants = append(p.Contestants, report.Difference{Name: visibleLine(d.Name), Model: visibleLine(d.Model),
			Given: visibleLine(d.Given)})
	}
	for _, l := range report.Legend(r) {
		p.Legend = append(p.Legend, visibleLine(l))
	}
	for _, w := range r.Warnings {
		p.Warnings = append(p.Warnings, visibleLine(w))
	}
	if n := firstWarnings; len(p.Warnings) > n+1 {
		p.Warnings, p.MoreWarnings = p.Warnings[:n], p.Warnings[n:]
	}
	for _, g := range r.Gates {
		p.Gates = append(p.Gates, gate{visibleLine(g.Gate), visibleLine(g.Model), visibleLine(g.Why), g.Held})
	}
	for _, t := range all {
		p.Trials = append(p.Trials, newTrialRow(t))
	}
	p.Filters = filters(p.Trials)
	return p
}

// firstWarnings is how many warnings stand before the numbers at once.
const firstWarnings = 5

// shortNames gives the models' names without their providers where they stay
// apart, as the table has them.
func shortNames(ms []report.Model) map[string]string {
	short, taken := map[string]string{}, map[string]bool{}
	for _, m := range ms {
		name := visibleLine(m.Name)
		if _, base, ok := strings.Cut(name, "/"); ok && base != "" {
			name = base
		}
		short[m.Name], taken[name] = name, true
	}
	if len(taken) < len(short) {
		for name := range short {
			short[name] = visibleLine(name)
		}
	}
	return short
}

// allTrials gives the finished trials, then those to come.
func allTrials(r *report.Report) []report.Trial { return slices.Concat(r.Trials, r.Pending) }

// tiles gives the numbers at the top of a report, each with a note.
func tiles(r *report.Report) []tile {
	void := 0
	for _, m := range r.Models {
		void += m.Void
	}
	judged := tile{"trials", strconv.Itoa(len(r.Trials) + len(r.Pending)), fmt.Sprintf("%d judged", r.Judged())}
	if void > 0 {
		judged.Note += fmt.Sprintf(", %d void", void)
	}
	if n := len(r.Pending); n > 0 {
		judged.Note += fmt.Sprintf(", %d open", n)
	}
	money := tile{"spent", "unknown", "a price or usage is missing"}
	if spent := r.SpentUSD(); spent != nil {
		money.Value, money.Note = number.Money(spent), "on the whole run"
	}
	each := "one trial each"
	if k := r.Repeats(); k > 1 {
		each = fmt.Sprintf("%d trials each", k)
	}
	took := tile{"took", number.Seconds(r.Seconds), fmt.Sprintf("%d at once", max(r.Run.Parallel, 1))}
	return []tile{
		{"models", strconv.Itoa(len(r.Models)), "baseline " + cmp.Or(visibleLine(r.Run.Baseline), "-")},
		{"tasks", strconv.Itoa(len(r.Tasks)), each}, judged, money, took,
	}
}

// detail says where trials, calls and time went.
func detail(r *report.Report) grid {
	var causes []trial.Cause
	for _, m := range r.Models {
		for c := range m.Causes {
			if !slices.Contains(causes, c) {
				causes = append(causes, c)
			}
		}
	}
	slices.Sort(causes)
	g := grid{Head: []string{"model"}}
	for _, c := range causes {
		g.Head = append(g.Head, cmp.Or(visibleLine(string(c)), "no cause"))
	}
	g.Head = append(g.Head, "agent time", "provider", "tools", "waited", "judging")
	used := make([]bool, len(counters(trial.Counters{})))
	for _, m := range r.Models {
		for i, c := range counters(m.Counters) {
			used[i] = used[i] || c.n > 0
		}
	}
	for i, c := range counters(trial.Counters{}) {
		if used[i] {
			g.Head = append(g.Head, c.name)
		}
	}
	for _, m := range r.Models {
		row := []string{visibleLine(m.Name)}
		for _, c := range causes {
			row = append(row, strconv.Itoa(m.Causes[c]))
		}
		for _, s := range []float64{m.Time.Agent, m.Time.Provider, m.Time.Tools, m.Time.Wait, m.Time.Judge} {
			row = append(row, number.Seconds(s))
		}
		for i, c := range counters(m.Counters) {
			if used[i] {
				row = append(row, strconv.FormatInt(c.n, 10))
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

type counter struct {
	name string
	n    int64
}

func counters(c trial.Counters) []counter {
	return []counter{
		{"tool calls", int64(c.ToolCalls)}, {"malformed calls", int64(c.Malformed)},
		{"refused classes", int64(c.RefusedClasses)},
		{"denied", int64(c.Denied)}, {"tool errors", int64(c.ToolErrors)}, {"repeated calls", int64(c.Repeated)},
		{"retries", int64(c.Retries)}, {"replies lost", int64(c.Lost)}, {"reminders", int64(c.Reminders)},
		{"compactions", int64(c.Compactions)}, {"bytes cut", c.OutputCut},
	}
}

func newTrialRow(t shownTrial) trialRow {
	o := t.Outcome
	row := trialRow{
		ID: visibleLine(t.ID), Run: t.Run, Model: visibleLine(t.Model), Task: visibleLine(t.Task), N: t.N,
		Attempts: t.Attempt,
		Status:   statusOf(t.Trial), Cause: visibleLine(string(o.Cause)), Stop: visibleLine(string(o.Stop)),
	}
	row.Glyph, row.Word = glyph(row.Status), word(row.Status)
	if row.Status != open {
		row.Steps, row.Time, row.Cost = strconv.Itoa(o.Steps), number.Seconds(o.Seconds.Agent), number.Money(o.CostUSD)
		row.TimeSort = sortKey(o.Seconds.Agent)
		if o.CostUSD != nil {
			row.CostSort = sortKey(*o.CostUSD)
		}
	}
	return row
}

func filters(rows []trialRow) []filter {
	fs := []filter{{Name: "model"}, {Name: "task"}, {Name: "status"}, {Name: "cause"}}
	for _, r := range rows {
		for i, v := range []string{r.Model, r.Task, r.Status, r.Cause} {
			if v != "" && !slices.Contains(fs[i].Values, v) {
				fs[i].Values = append(fs[i].Values, v)
			}
		}
	}
	slices.Sort(fs[3].Values)
	if run := runFilter(rows); len(run.Values) > 0 {
		fs = append([]filter{run}, fs...)
	}
	return fs
}

func runFilter(rows []trialRow) filter {
	f := filter{Name: "run"}
	for _, r := range rows {
		if r.Run != "" && !slices.Contains(f.Values, r.Run) {
			f.Values = append(f.Values, r.Run)
		}
	}
	return f
}

// open is the status of a trial without an outcome.
const open = "open"

// known gives one of the statuses that there are signs for: classes and signs
// are never made of foreign text.
func known(s trial.Status) string {
	switch s {
	case trial.Pass, trial.Fail, trial.Void:
		return string(s)
	}
	return open
}

func statusOf(t report.Trial) string { return known(t.Outcome.Status) }

func held(s trial.VerdictStatus) string {
	switch s {
	case trial.Held, trial.NotHeld:
		return string(s)
	}
	return string(trial.Undecided)
}

// glyph and word say what became of a trial, so that no colour is needed.
func glyph(status string) string {
	return map[string]string{"pass": "✓", "fail": "✗", "void": "?", open: "…"}[status]
}

func word(status string) string {
	return map[string]string{"pass": "fixed", "fail": "not fixed", "void": "void", open: "open"}[status]
}
