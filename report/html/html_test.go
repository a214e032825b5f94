package html

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/report"
	"cookoff/trial"

	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "write the golden files anew")

// folded is a journal as both folds have it.
type folded struct {
	report *report.Report
	said   *Transcripts
}

func recorded(t testing.TB, name string) folded {
	t.Helper()
	b, said := report.New(), NewTranscripts()
	path := filepath.Join("..", "..", "testdata", "journals", name+".jsonl")
	if _, err := trial.ReadFile(path, trial.Tee(b, said).Emit); err != nil {
		t.Fatal(err)
	}
	return folded{b.Report(), said}
}

func emitted(t testing.TB, events []trial.Event) folded {
	t.Helper()
	b, said := report.New(), NewTranscripts()
	for _, e := range events {
		if err := trial.Tee(b, said).Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	return folded{b.Report(), said}
}

func (f folded) page(t testing.TB, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f.report, f.said, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page of every recorded journal, without the style and the script, which
// have their own files. The bytes are the same each time.
func TestGoldens(t *testing.T) {
	for _, name := range []string{"mixed", "interrupted"} {
		page := recorded(t, name).page(t, Options{})
		if page != recorded(t, name).page(t, Options{}) {
			t.Errorf("the page of %s is not the same twice", name)
		}
		got := page
		for _, x := range [][2]string{{style(), "…style.css…"}, {script(), "…script…"}} {
			if !strings.Contains(got, x[0]) {
				t.Fatalf("the page does not hold %s as it is", x[1])
			}
			got = strings.Replace(got, x[0], x[1], 1)
		}
		got = regexp.MustCompile(`sha256-([^&]|&#43;)*`).ReplaceAllString(got, "sha256-…")
		path := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs (-update writes it anew); got:\n%s", path, got)
		}
	}
}

// hostile are texts that want to be more than text.
func hostile() []string {
	return []string{
		"<img src=x onerror=alert(1)>", "</script><script>document.title='pwned'</script>", "<!--<script>", "]]>",
		"'\"><svg onload=alert(1)>",
		"javascript:alert(1)", "\x1b]52;c;ZXZpbA==\x07", "\x1b[2Ja\rb\bc\x00", "\u202eevil\u2066",
		"zero\u200bwidth\ufeff\U000e0041", "a\u2028b\u2029c",
		"{{.}} ${x} `tick`", "&lt;b&gt;&amp;", "a\tb\nc", "t=1&b=2#x,%41", strings.Repeat("漢", 300), "",
	}
}

// hostileEvents are a run that has every such text in every place.
func hostileEvents() []trial.Event {
	hs := hostile()
	every := strings.Join(hs, "")
	run := trial.Run{ID: every, Recipe: every, Source: every, Digest: every, Version: every,
		Models: append(hs[:5:5], every), Tasks: hs, Baseline: every,
		Warnings: hs, Excluded: []trial.Exclude{{Task: every, Phase: every, Why: every}}}
	var events []trial.Event
	for i, task := range hs {
		for _, m := range run.Models {
			run.Trials = append(run.Trials, trial.Trial{ID: fmt.Sprintf("%s/%d/%d", task, i, len(run.Trials)), Model: m,
				Task: task, N: 1})
		}
	}
	events = append(events, trial.Event{Kind: trial.RunStarted, Run: &run})
	for i, tr := range run.Trials {
		x := hs[i%len(hs)]
		at := func(kind trial.Kind, e trial.Event) {
			e.Kind, e.Trial, e.Attempt, e.Step = kind, tr.ID, 1, 1
			events = append(events, e)
		}
		raw, _ := json.Marshal(map[string]string{x: x})
		v := trial.Verdict{Check: x, Status: trial.VerdictStatus(x), Strength: trial.Strength(x), Detail: x,
			Evidence: &trial.Evidence{Command: x, Signal: x, Reason: x, Pattern: x, Version: x, Binary: x, Tail: x}}
		at(trial.TrialStarted, trial.Event{Start: &tr})
		at(trial.ModelCalled, trial.Event{Called: &trial.Called{New: []model.Message{{Role: model.Role(x), Content: x}},
			Tools: []model.ToolSpec{{Name: x}}}})
		at(trial.ModelReplied,
			trial.Event{Replied: &trial.Replied{Reply: model.Reply{Finish: model.Finish(x), Served: x,
				Message: model.Message{Content: x, Calls: []model.Call{{ID: x, Name: x, Arguments: x}}}}}})
		at(trial.ToolCalled, trial.Event{Tool: &trial.Tool{CallID: x, Name: x}})
		at(trial.ToolReturned, trial.Event{Returned: &trial.Returned{CallID: x, Name: x, Text: x}})
		at(trial.ToolCalled, trial.Event{Tool: &trial.Tool{CallID: x + "2", Name: x, Args: raw}})
		at(trial.HookDecided, trial.Event{Hook: &trial.Hook{Name: x, Point: x, Decision: x, Reason: x}})
		at(trial.Note, trial.Event{Note: &trial.NoteText{Kind: x, Text: x}})
		at(trial.Judged, trial.Event{Verdicts: []trial.Verdict{v}})
		status := []trial.Status{trial.Pass, trial.Fail, trial.Void, trial.Status(x)}[i%4]
		at(trial.TrialFinished, trial.Event{Outcome: &trial.Outcome{Status: status, Cause: trial.Cause(x),
			Stop: trial.Stop(x), Detail: x, CostUSD: new(0.1), Verdicts: []trial.Verdict{v}}})
	}
	return append(events, trial.Event{Kind: trial.RunFinished, End: &trial.End{Error: every}})
}

// U02: whatever stood in the journal, the page holds the elements, attributes
// and addresses of its template and nothing else, and every character of it
// can be seen.
func TestForeignTextStaysText(t *testing.T) {
	f := emitted(t, hostileEvents())
	every := strings.Join(hostile(), "")
	f.report.Gates = []report.GateResult{{Gate: every, Model: every, Why: every}}
	doc := parse(t, f.page(t, Options{}))
	elements := strings.Fields(
		`html head meta title style body a header div span nav button noscript p main section h1 h2 code
		dl dt dd small details summary ul li b table thead tbody tr th td svg rect line text path g circle
		form label input select option dialog kbd footer script`)
	attributes := strings.Fields(
		`lang charset http-equiv content name class href aria-hidden type id title tabindex aria-labelledby role scope
		data-sortable data-sort viewbox preserveaspectratio x y x1 x2 y1 y2 dx dy width height
		transform text-anchor d cx cy r aria-label aria-pressed
		data-rate data-id data-model data-task data-status data-cause
		hidden autocomplete placeholder data-filter value method for`)
	classes := regexp.MustCompile(`^[a-z0-9 ]*$`)
	scripts := 0
	for n := range doc.Descendants() {
		switch n.Type {
		case html.ElementNode:
			if !slices.Contains(elements, strings.ToLower(n.Data)) {
				t.Errorf("an element %q", n.Data)
			}
			if n.Data == "script" {
				scripts++
			}
		case html.TextNode:
			if p := n.Parent.Data; p != "script" && p != "style" && p != "noscript" {
				seen(t, n.Data)
			}
		}
		for _, a := range n.Attr {
			switch {
			case !slices.Contains(attributes, strings.ToLower(a.Key)):
				t.Errorf("<%s> has the attribute %q", n.Data, a.Key)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
				t.Errorf("a link leads to %q", a.Val)
			case a.Key == "class" && !classes.MatchString(a.Val), a.Key == "id" &&
				!regexp.MustCompile(`^[a-z-]+$`).MatchString(a.Val):
				t.Errorf("<%s> has the %s %q", n.Data, a.Key, a.Val)
			}
			seen(t, a.Val)
		}
	}
	if scripts != 2 {
		t.Errorf("%d scripts, want the data and the page's own", scripts)
	}
}

// seen reports characters that a reader can't see, or that change how others
// are read.
func seen(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r != '\n' && r != '\t' && !strconv.IsPrint(r) {
			t.Errorf("%q holds %q", s, r)
			return
		}
	}
}

// The data that the page's script shows is JSON that can't end its element,
// and every text of it can be seen.
func TestDataIsSafeToEmbed(t *testing.T) {
	f := emitted(t, hostileEvents())
	raw := content(t, parse(t, f.page(t, Options{})), "data")
	if i := strings.IndexAny(raw, "<>&\u2028\u2029"); i >= 0 {
		t.Errorf("the data holds %q", raw[i:min(len(raw), i+20)])
	}
	var d data
	if err := json.Unmarshal([]byte(raw), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Trials) != len(hostile())*6 {
		t.Errorf("%d trials", len(d.Trials))
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			seen(t, v)
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	var all any
	_ = json.Unmarshal([]byte(raw), &all) // it was read above
	walk(all)
	for _, tr := range d.Trials {
		if a := tr.Attempts[0]; !slices.Contains([]string{"pass", "fail", "void", "open"}, tr.Status) ||
			len(a.Entries) < 6 ||
			a.Verdicts[0].Status != "void" {
			t.Fatalf("trial %q: %s with %d entries", tr.ID, tr.Status, len(a.Entries))
		}
	}
}

// The policy names the hashes of the style and the script that are in the page
// and allows nothing else; only a live page may connect, to where it is from.
func TestPolicy(t *testing.T) {
	f := recorded(t, "mixed")
	check := func(o Options, connect bool) {
		t.Helper()
		doc := parse(t, f.page(t, o))
		var policy, style, script string
		for n := range doc.Descendants() {
			switch {
			case n.Data == "meta" && attr(n, "http-equiv") == "Content-Security-Policy":
				policy = attr(n, "content")
			case n.Data == "style":
				style = n.FirstChild.Data
			case n.Data == "script" && attr(n, "type") == "":
				script = n.FirstChild.Data
			}
		}
		if !strings.HasPrefix(policy, "default-src 'none'; script-src "+hash(script)+"; style-src "+hash(style)+";") ||
			strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is %q", policy)
		}
		if strings.Contains(policy, "connect-src 'self'") != connect || policy != Policy(o) {
			t.Errorf("live %v: the policy is %q", o.Live, policy)
		}
	}
	check(Options{}, false)
	check(Options{Live: true}, true)
}

// The script never turns text into markup or code. The browser forbids most of
// these under the page's policy; not every browser does.
func TestScriptMakesNoMarkup(t *testing.T) {
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(",
		"DOMParser", "setHTML", "srcdoc", "fetch(", "http:", "https:"} {
		if strings.Contains(script(), bad) || strings.Contains(style(), bad) {
			t.Errorf("the page's own files hold %q", bad)
		}
	}
	if strings.Contains(style(), "url(") || strings.Contains(style(), "@import") {
		t.Error("the style asks for another file")
	}
}

func parse(t testing.TB, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func content(t testing.TB, doc *html.Node, id string) string {
	t.Helper()
	for n := range doc.Descendants() {
		if attr(n, "id") == id {
			var b strings.Builder
			for c := range n.Descendants() {
				if c.Type == html.TextNode {
					b.WriteString(c.Data)
				}
			}
			return b.String()
		}
	}
	t.Fatalf("nothing has the id %q", id)
	return ""
}
