package html

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cookoff/report"
	"cookoff/report/compare"
	"cookoff/trial"
)

// comparison folds runs as "compare --format html" does.
func comparison(t testing.TB, runs ...[]trial.Event) (*compare.Result, *Transcripts) {
	t.Helper()
	said := NewTranscripts()
	var sides []compare.Side
	for i, events := range runs {
		b := report.New()
		for _, e := range events {
			if err := trial.Tee(b, said.Side(i)).Emit(e); err != nil {
				t.Fatal(err)
			}
		}
		r := b.Report()
		sides = append(sides, compare.Side{Name: r.Run.ID, Report: r})
	}
	c, err := compare.Runs(sides, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c, said
}

func eventsOf(t testing.TB, name string) (out []trial.Event) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "journals", name+".jsonl")
	if _, err := trial.ReadFile(path, func(e trial.Event) error { out = append(out, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// turned gives events in which the trials of a model that failed passed, and the
// other way round.
func turned(events []trial.Event, model string) []trial.Event {
	mine, out := map[string]bool{}, slices.Clone(events)
	for i, e := range out {
		if e.Start != nil {
			mine[e.Trial] = e.Start.Model == model
		}
		if e.Outcome != nil && mine[e.Trial] {
			o := *e.Outcome
			o.Status = map[trial.Status]trial.Status{trial.Pass: trial.Fail, trial.Fail: trial.Pass}[o.Status]
			out[i].Outcome = &o
		}
	}
	return out
}

func TestComparisonGolden(t *testing.T) {
	events := eventsOf(t, "mixed")
	c, said := comparison(t, events, turned(events, "lab/模型-大"))
	var b bytes.Buffer
	if err := WriteComparison(&b, c, said); err != nil {
		t.Fatal(err)
	}
	got := strings.Replace(strings.Replace(b.String(), style(), "…style.css…", 1), script(), "…script…", 1)
	got = regexp.MustCompile(`sha256-([^&]|&#43;)*`).ReplaceAllString(got, "sha256-…")
	got = regexp.MustCompile(`(?s)(id="data">).*?(</script>)`).ReplaceAllString(got, "$1…$2") // as on the page of a run
	path := filepath.Join("testdata", "comparison.golden")
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
		t.Errorf("%s differs (-update writes it anew)", path)
	}
}

// A cell of the changed tasks opens both transcripts; nothing that stood in a
// journal is anything but text, under the page's own policy.
func TestBrowserComparesSideBySide(t *testing.T) {
	events := eventsOf(t, "mixed")
	c, said := comparison(t, events, turned(events, "lab/模型-大"))
	got := driveComparison(t, c, said, `
drive(async () => {
  report.rows = all(".tasks tbody tr").length;
  report.first = find(".tasks tbody .out").textContent;
  find(".tasks tbody tr td:last-child a").click();
  await settle();
  report.panes = all(".pane h2").map((h) => h.textContent).join(" | ");
  report.said = all(".pane").every((p) => p.querySelector(".entry"));
  await press("Escape");
  await choose("[data-filter=run]", "B");
  report.ofB = shown(".trials tbody tr").length;
  await choose("#search", "TOOL 2.3.8");
  report.both = shown(".trials tbody tr").length > 0 && shown(".trials tbody tr").length < 21;
  report.wide = document.documentElement.scrollWidth <= innerWidth;
});`)
	equal(t, got, map[string]any{"rows": 7, "first": "▼ lost",
		"panes": "run A lab/模型-大 ✓ fixed | run B lab/模型-大 ✗ not fixed", "said": true, "ofB": 21,
		"both": true, "wide": true, "violations": "[]"})

	hostile := hostileEvents()
	c, said = comparison(t, hostile, turned(hostile, hostile[0].Run.Models[0]))
	got = driveComparison(t, c, said, `
drive(async () => {
  report.tasks = all(".tasks tbody tr").length > 0;
  report.scripts = document.scripts.length;
  report.foreign = all("main img, main iframe, main object, main script, svg").length;
  report.opened = 0;
  for (const a of all(".tasks a")) {
    location.hash = a.hash;
    await settle();
    if (all(".pane").length > 0) report.opened++;
    else report.opened = a.hash;
  }
  report.all = report.opened === all(".tasks a").length;
});`)
	equal(t, got, map[string]any{"tasks": true, "scripts": 2, "foreign": 0, "all": true, "violations": "[]"})
}

func driveComparison(t testing.TB, c *compare.Result, said *Transcripts, act string,
	flags ...string) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if _, err := writeComparison(&b, c, said, document{style: style(),
		script: script() + "(() => {" + driver + act + "})();\n"}); err != nil {
		t.Fatal(err)
	}
	return driven(t, b.Bytes(), flags...)
}

// What a comparison's page has no room for is whole beside it, each trial from its own
// run: both have one of the same id.
func TestComparisonLeadsToWholeTranscripts(t *testing.T) {
	first, second := bigRun(1, 2, 20, 20_000), bigRun(1, 2, 20, 20_000)
	for i, e := range second {
		if e.Returned != nil {
			r := *e.Returned
			r.Text = "second: " + r.Text
			second[i].Returned = &r
		}
	}
	c, _ := comparison(t, first, second)
	said := NewTranscripts()
	said.most = 300_000
	for i, events := range [][]trial.Event{first, second} {
		for _, e := range events {
			if err := said.Side(i).Emit(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	var page bytes.Buffer
	cut, err := WriteComparisonCut(&page, c, said, Options{Beside: "./x.transcripts"})
	if err != nil || len(cut) != 4 {
		t.Fatalf("%d of 4 trials are cut: %v", len(cut), err)
	}
	pages := map[string]string{}
	w := cut.NewWholes("../x.html", func(name string, page []byte) error {
		pages["./x.transcripts/"+name] = string(page)
		return nil
	})
	for i, events := range [][]trial.Event{first, second} {
		for _, e := range events {
			if err := w.Side(i).Emit(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil || len(pages) != 4 {
		t.Fatalf("%d of 4 pages: %v", len(pages), err)
	}
	for _, tr := range dataOf(t, page.String()).Trials {
		one := dataOf(t, pages[tr.Whole])
		if len(one.Trials) != 1 || one.Trials[0].ID != tr.ID || one.Trials[0].Cut {
			t.Fatalf("%s leads to %q, which holds %+v", tr.ID, tr.Whole, one.Trials)
		}
		for _, e := range one.Trials[0].Attempts[0].Entries {
			if out, is := e.Out.(string); is && out != "" &&
				strings.HasPrefix(out, "second: ") != strings.HasPrefix(tr.ID, "B/") {
				t.Errorf("%s says %.20q", tr.ID, out)
			}
		}
	}
}
