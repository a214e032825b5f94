package formats

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/gates"
	"cookoff/report/reporttest"
	"cookoff/trial"
)

// Names and texts that want to be more than text.
func hostile() []string {
	return []string{
		"\x1b]52;c;ZXZpbA==\x07", "\x1b[2J\x1b[1;1H", "\u009b31m", "a\rb\bc", "\u202eevil\u2066",
		"zero\u200bwidth\ufeff", "\U000e0041tag",
		"bad\xff\xfeutf8", "a\nb\n| c | d |", "=1+1", "+1", "-1", "@SUM(A1)", " =1+1", "\t=1+1",
		"<img src=x onerror=alert(1)>", "</testcase>]]>&amp;",
		"[x](javascript:alert(1)) ![i](http://e.example/i.png) http://e.example www.e.example <http://e.example> " +
			"a@e.example",
		"`a``b```", "``", "**b** _i_ ~~s~~ $x$ @user #1",
		"../../etc/passwd", strings.Repeat("x", 300), strings.Repeat("漢字", 100), "\x00", "", "[2/2] claude PASS",
		"e\u0301\u0301\u0301",
	}
}

// hostileReport has every such text in every place that a journal may.
func hostileReport(t *testing.T) *report.Report {
	t.Helper()
	b := report.New()
	hs := hostile()
	run := trial.Run{ID: hs[0], Recipe: hs[15], Source: hs[1], Digest: hs[3], Models: hs[:4], Tasks: hs,
		Baseline: hs[0], Warnings: hs,
		Excluded: []trial.Exclude{{Task: hs[16] + "!", Phase: hs[4], Why: hs[16]}}}
	for i, task := range hs {
		for j, m := range run.Models {
			run.Trials = append(run.Trials, trial.Trial{ID: fmt.Sprintf("t%d-%d", i, j), Model: m, Task: task, N: 1})
		}
	}
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunStarted, Run: &run})
	for i, tr := range run.Trials {
		text := hs[i%len(hs)]
		o := trial.Outcome{Status: []trial.Status{trial.Pass, trial.Fail, trial.Void}[i%3], Cause: trial.Cause(text),
			Stop: trial.Stop(text), Detail: text,
			Verdicts: []trial.Verdict{{Check: text, Status: trial.NotHeld, Strength: trial.Strength(text), Detail: text,
				Evidence: &trial.Evidence{Command: text, Tail: text}}}}
		reporttest.Emit(t, b, trial.Event{Kind: trial.TrialFinished, Trial: tr.ID, Attempt: 1, Outcome: &o})
	}
	reporttest.Emit(t, b, trial.Event{Kind: trial.RunFinished,
		End: &trial.End{Error: hs[1] + hs[15], Interrupted: true}})
	r := b.Report()
	r.Gates = gates.Set{FailUnder: []gates.MinRate{{Rate: 0.5}}}.Check(r)
	return r
}

func write(t *testing.T, format string, r *report.Report, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, format, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// U01, U05: whatever stood in the journal, a terminal gets printable text only.
func TestOnlyPrintableTextLeaves(t *testing.T) {
	r := hostileReport(t)
	for _, format := range Formats() {
		for _, w := range []int{0, 80} {
			out := write(t, format, r, Options{Width: w})
			for i, c := range out {
				if c != '\n' && !strconv.IsPrint(c) || c == utf8.RuneError && !strings.HasPrefix(out[i:], "\ufffd") {
					t.Fatalf("%s at width %d prints %q: …%q", format, w, c, out[max(0, i-40):min(len(out), i+20)])
				}
			}
		}
	}
}

func TestNoRowIsWiderThanTheTerminal(t *testing.T) {
	ansi := regexp.MustCompile("\x1b\\[[0-9]*m")
	check := func(r *report.Report, w int) {
		t.Helper()
		var b strings.Builder
		if err := Table(&b, r, Options{Width: w, Color: true}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			line = ansi.ReplaceAllString(strings.TrimSuffix(line, "\n"), "")
			if text.Width(line) > w {
				t.Errorf("%d columns at width %d: %q", text.Width(line), w, line)
			}
		}
	}
	for _, w := range []int{40, 60, 80, 100, 132} {
		check(hostileReport(t), w)
		for _, name := range []string{"mixed", "repeats", "interrupted"} {
			check(reporttest.Fold(t, name), w)
		}
	}
}

// Columns line up where names are wide: the "fixed" column ends at the same
// place in every row.
func TestWideCharactersAlign(t *testing.T) {
	out := write(t, "table", reporttest.Fold(t, "mixed"), Options{})
	lines := strings.Split(out, "\n")
	end := -1
	for _, l := range lines[2:7] {
		m := regexp.MustCompile(`(fixed|\d/\d)  `).FindStringIndex(l)
		if m == nil {
			continue
		}
		at := text.Width(l[:m[1]])
		if end >= 0 && at != end {
			t.Errorf("column ends at %d, before at %d: %q", at, end, l)
		}
		end = at
	}
	if end < 0 {
		t.Fatal("no rows found")
	}
}

func TestColourRepeatsWhatMarksSay(t *testing.T) {
	r := reporttest.Fold(t, "mixed")
	var plain, coloured strings.Builder
	_ = Table(&plain, r, Options{Width: 80})
	_ = Table(&coloured, r, Options{Width: 80, Color: true})
	stripped := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(coloured.String(), "")
	if plain.String() != stripped {
		t.Error("without its colours the table must be the plain one")
	}
	if coloured.String() == plain.String() {
		t.Error("colour was asked for")
	}
}

// U03: nothing in a Markdown report links, embeds or breaks out of its cell.
func TestMarkdownIsInert(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	r := hostileReport(t)
	src := write(t, "markdown", r, Options{})
	var html bytes.Buffer
	if err := md.Convert([]byte(src), &html); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<a ", "<img", "<del", "<em>", "javascript:alert(1)\"", "onerror=alert(1)>"} {
		if strings.Contains(html.String(), bad) {
			t.Errorf("%s in\n%s", bad, html.String())
		}
	}
	if strings.Count(html.String(), "<strong>") != 1 { // the line that says it was interrupted
		t.Error("foreign text turned bold")
	}
	if got, want := strings.Count(html.String(), "<tr>"), 3+len(r.Models)+len(r.Tasks)+len(r.Trials); got != want {
		t.Errorf("%d table rows, want %d", got, want)
	}
	if got, want := strings.Count(html.String(), "<td"),
		len(r.Models)*len(columns(r))+len(r.Tasks)*(1+len(r.Models))+len(r.Trials)*8; got != want {
		t.Errorf("%d cells, want %d", got, want)
	}
	if regexp.MustCompile(`@[a-zA-Z]`).MatchString(regexp.MustCompile("`+[^\n]*?`+").ReplaceAllString(src, "")) {
		t.Error("a mention outside a code span")
	}
}

func TestCSVHoldsNoFormula(t *testing.T) {
	r := hostileReport(t)
	rows, err := csv.NewReader(strings.NewReader(write(t, "csv", r, Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+len(r.Trials)+len(r.Pending) {
		t.Errorf("%d rows for %d trials", len(rows), len(r.Trials))
	}
	for _, row := range rows {
		for i, field := range row {
			if f := strings.TrimSpace(field); f != "" && strings.ContainsAny(f[:1], "=+-@") {
				t.Errorf("column %s holds a formula: %q", rows[0][i], field)
			}
		}
	}
}

func TestJUnitIsWellFormedAndCounts(t *testing.T) {
	r := hostileReport(t)
	doc := write(t, "junit", r, Options{})
	dec := xml.NewDecoder(strings.NewReader(doc))
	seen := map[string]int{}
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := tok.(xml.StartElement); ok {
			seen[s.Name.Local]++
		}
	}
	fails, voids := 0, 0
	for _, m := range r.Models {
		fails, voids = fails+m.Fail, voids+m.Void
	}
	if seen["failure"] != fails || seen["error"] != voids || seen["testcase"] != len(r.Trials)+len(r.Models) ||
		seen["skipped"] != len(r.Models) {
		t.Errorf("%v for %d fails, %d voids, %d trials and a task left out for %d models", seen, fails,
			voids, len(r.Trials), len(r.Models))
	}
	var all junitSuites
	if err := xml.Unmarshal([]byte(doc), &all); err != nil {
		t.Fatal(err)
	}
	if all.Failures != fails || all.Errors != voids {
		t.Errorf("the totals say %d failures and %d errors", all.Failures, all.Errors)
	}
}

// The JSON report keeps text as it is: what escapes stand for is what was there.
func TestJSONKeepsText(t *testing.T) {
	r := hostileReport(t)
	var got jsonReport
	if err := json.Unmarshal([]byte(write(t, "json", r, Options{})), &got); err != nil {
		t.Fatal(err)
	}
	for i, task := range r.Tasks {
		if want := strings.ToValidUTF8(task, "\ufffd"); got.Tasks[i] != want && utf8.ValidString(task) {
			t.Errorf("task %q came back as %q", task, got.Tasks[i])
		}
	}
}

// The keys that the design promises are there, null where a number is unknown.
func TestJSONSchema(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal([]byte(write(t, "json", reporttest.Fold(t, "mixed"), Options{})), &doc); err != nil {
		t.Fatal(err)
	}
	has := func(what string, m any, keys ...string) {
		t.Helper()
		for _, k := range keys {
			if _, ok := m.(map[string]any)[k]; !ok {
				t.Errorf("%s has no %q", what, k)
			}
		}
	}
	has("report", doc, "schema", "run", "recipe", "seed", "models", "trials", "gates", "warnings")
	has("recipe", doc["recipe"], "name", "digest")
	if doc["schema"] != "cookoff.report/1" {
		t.Error("schema is", doc["schema"])
	}
	m := doc["models"].([]any)[2].(map[string]any)
	has("model", m, "model", "pass", "fail", "void", "rate", "interval", "delta", "pass_hat_k", "seconds", "steps",
		"tokens", "cost_usd", "cost_per_fix_usd", "counters")
	has("seconds", m["seconds"], "median", "p90")
	for _, k := range []string{"cost_usd", "cost_per_fix_usd", "tokens", "spent_usd"} {
		if m[k] != nil {
			t.Errorf("%s is unknown, not %v", k, m[k])
		}
	}
	tr := doc["trials"].([]any)[0]
	has("trial", tr, "model", "task", "trial", "attempt", "status", "cause", "stop", "steps", "seconds", "cost_usd",
		"verdicts")
	has("verdict", tr.(map[string]any)["verdicts"].([]any)[0], "check", "status", "strength", "detail")
}

func TestUnknownFormat(t *testing.T) {
	var b bytes.Buffer
	err := Write(&b, "xlsx", &report.Report{}, Options{})
	if err == nil || !strings.Contains(err.Error(), `"xlsx"`) || !strings.Contains(err.Error(),
		"table, json, markdown, csv, junit") || b.Len() > 0 {
		t.Errorf("got %v and %q", err, b.String())
	}
}

// An empty report prints in every format, and says that nothing was judged.
func TestNothingAtAll(t *testing.T) {
	for _, format := range Formats() {
		out := write(t, format, report.New().Report(), Options{Width: 80})
		if out == "" {
			t.Errorf("%s prints nothing", format)
		}
		if (format == "table" || format == "markdown" || format == "json") &&
			!strings.Contains(out, "nothing was judged") {
			t.Errorf("%s does not say that nothing was judged:\n%s", format, out)
		}
	}
}

func TestSummaryLeavesOutWholeSections(t *testing.T) {
	r := reporttest.Fold(t, "mixed")
	whole := write(t, "markdown", r, Options{})
	text, left := Summary(r, len(whole))
	if string(text) != whole || left != nil {
		t.Errorf("it fits, but %q was left out", left)
	}
	last := len(whole)
	for limit := len(whole) - 1; limit >= 0; limit -= 7 {
		text, left := Summary(r, limit)
		if len(text) > limit || len(text) > last || len(left) == 0 {
			t.Fatalf("limit %d: %d bytes, left out %q", limit, len(text), left)
		}
		if len(text) > 0 && !strings.Contains(string(text), "_Left out, for want of room: the trials") {
			t.Fatalf("limit %d: does not say what is missing:\n%s", limit, text)
		}
		last = len(text)
	}
}
