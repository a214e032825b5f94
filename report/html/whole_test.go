package html

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cookoff/report"
	"cookoff/trial"
)

// split writes the page of events for which there is little room, and the pages of the
// trials that it cuts, as files; home has another name than others expect.
func split(t testing.TB, events []trial.Event, most int, act string) (dir string, cut Cut) {
	t.Helper()
	b, said := report.New(), NewTranscripts()
	said.most = most
	for _, e := range events {
		if err := trial.Tee(b, said).Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	dir = t.TempDir()
	const home = "of 100% #1.html"
	var page bytes.Buffer
	o := Options{Beside: "./" + url.PathEscape("of 100% #1.transcripts")}
	short, err := write(&page, b.Report(), said, document{Options: o, style: style(), script: driving(act)})
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, page []byte) error { return os.WriteFile(filepath.Join(dir, name), page, 0o644) }
	if err := put(home, page.Bytes()); err != nil {
		t.Fatal(err)
	}
	cut = newCut(b.Report(), short)
	beside := filepath.Join(dir, "of 100% #1.transcripts")
	if err := os.Mkdir(beside, 0o755); err != nil {
		t.Fatal(err)
	}
	w := cut.NewWholes("../"+url.PathEscape(home), func(name string, page []byte) error {
		if name != filepath.Base(name) || !regexp.MustCompile(`^\d{4}\.html$`).MatchString(name) {
			t.Errorf("a page is called %q", name)
		}
		return put(filepath.Join(filepath.Base(beside), name), page)
	})
	for _, e := range events {
		if err := w.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, cut
}

// driving is the page's script, followed by one of a test.
func driving(act string) string { return script() + "(() => {" + driver + act + "})();\n" }

// What a page has no room for is whole on pages of their own, whatever the ids are and
// wherever the run was cut off; only what is cut has one, and each is what it leads to.
func TestWholePagesHaveWhatIsCut(t *testing.T) {
	events := bigRun(2, 2, 20, 20_000)
	events = slices.DeleteFunc(events, func(e trial.Event) bool { // the last trial never ends
		return e.Kind == trial.RunFinished || e.Kind == trial.TrialFinished && e.Trial == "t0004"
	})
	names := map[string]string{"t0001": "../../../escape", "t0002": "short", "t0003": "a/b\x00\"><i>", "t0004": "con"}
	for i := range events {
		e := &events[i]
		e.Trial = names[e.Trial]
		if e.Run != nil {
			for j := range e.Run.Trials {
				e.Run.Trials[j].ID = names[e.Run.Trials[j].ID]
			}
		}
	}
	events = slices.DeleteFunc(events, func(e trial.Event) bool { return e.Trial == "short" && e.Returned != nil })
	dir, cut := split(t, events, 1_100_000, "")

	files, err := filepath.Glob(filepath.Join(dir, "*.transcripts", "*"))
	if err != nil || len(files) != 3 || len(cut) != 3 {
		t.Fatalf("%d of 3 trials are cut, %q", len(cut), files)
	}
	page, err := os.ReadFile(filepath.Join(dir, "of 100% #1.html"))
	if err != nil {
		t.Fatal(err)
	}
	d := dataOf(t, string(page))
	if !strings.HasPrefix(d.Note, "Long transcripts and final states are cut here to") {
		t.Errorf("the page says %q", d.Note)
	}
	for _, tr := range d.Trials {
		if tr.ID == "short" {
			if tr.Cut || tr.Whole != "" {
				t.Errorf("what is whole already leads to %q", tr.Whole)
			}
			continue
		}
		address, err := url.Parse(tr.Whole)
		if err != nil || !tr.Cut {
			t.Fatalf("%s leads to %q: %v", tr.ID, tr.Whole, err)
		}
		whole, err := os.ReadFile(filepath.Join(dir, address.Path))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(whole[:2<<10], []byte(Generator)) {
			t.Errorf("the page of %s does not say what made it", tr.ID)
		}
		one := dataOf(t, string(whole))
		if len(one.Trials) != 1 || one.Trials[0].ID != tr.ID || one.Trials[0].Cut || one.Note != "" {
			t.Fatalf("the page of %s holds %+v", tr.ID, one.Trials)
		}
		for _, e := range events {
			if e.Returned != nil && visibleLine(e.Trial) == tr.ID &&
				!slices.ContainsFunc(one.Trials[0].Attempts[0].Entries,
					func(x dataEntry) bool { return x.Out == e.Returned.Text }) {
				t.Errorf("%s: what step %d gave is not there as it was", tr.ID, e.Step)
			}
		}
	}
}

// The second reading holds the trials that are under way and no more, and cuts them
// only where they are too many at once.
func TestWholePagesAreMadeOneByOne(t *testing.T) {
	cut := Cut{}
	for n := range 40 {
		id := fmt.Sprintf("t%03d", n+1)
		cut[id] = cutTrial{shownTrial: shownTrial{Trial: report.Trial{Trial: trial.Trial{ID: id, Model: "m", Task: "t"},
			Attempt: 1}}, n: n}
	}
	pages, highest, sum := 0, 0, 0
	var w *Wholes
	w = cut.NewWholes("../x.html", func(_ string, page []byte) error {
		if len(w.transcripts.trials) != 0 {
			t.Errorf("%d trials are kept that have a page", len(w.transcripts.trials))
		}
		pages++
		sum += len(page)
		return nil
	})
	w.transcripts.most = 3 << 20 // one has 760 kB
	long(func(e trial.Event) {
		if err := w.Emit(e); err != nil {
			t.Fatal(err)
		}
		highest = max(highest, w.transcripts.weight)
	})
	if pages != 40 || sum < 40*700_000 || highest > 2<<20 || w.transcripts.weight != 0 || w.transcripts.level != 0 {
		t.Errorf("%d pages of %d bytes, at most %d were kept, in the end %d", pages, sum, highest, w.transcripts.weight)
	}
}

// From a file, without a server: the way from a cut transcript to the whole one and
// back, and what is there. Nothing is asked of a network.
func TestBrowserOpensWholePages(t *testing.T) {
	chrome := browser(t)
	const act = `
drive(async () => {
  location.hash = all(".trials tbody a")[1].hash;
  await settle();
  report.note = find("#transcript .banner").textContent.startsWith("Long transcripts");
  report.way = find("#transcript .banner a").href;
});`
	dir, _ := split(t, bigRun(2, 2, 20, 20_000), 300_000, act)
	home := "file://" + dir + "/" + url.PathEscape("of 100% #1.html")
	got := reported(t, chrome, []string{"--user-data-dir=" + filepath.Join(dir, "profile"), home})
	equal(t, got, map[string]any{"note": true, "violations": "[]"})
	way, _ := got["way"].(string)
	if !strings.HasSuffix(way, ".transcripts/0002.html") || !strings.HasPrefix(way, "file://"+dir) {
		t.Fatalf("the transcript leads to %s", way)
	}
	out, err := command(t.Context(), chrome, []string{"--user-data-dir=" + filepath.Join(dir, "profile"),
		"--virtual-time-budget=5000", "--dump-dom", way}).Output()
	if err != nil {
		t.Fatal(err)
	}
	var back []string
	entries := 0
	for n := range parse(t, string(out)).Descendants() {
		if n.Data == "a" && attr(n, "class") == "button" {
			back = append(back, attr(n, "href"))
		}
		if strings.HasPrefix(attr(n, "class"), "entry ") {
			entries++
		}
	}
	if entries != 42 || !slices.Equal(back, []string{"../of%20100%25%20%231.html"}) {
		t.Errorf("the whole transcript has %d of 42 entries, and leads back to %q", entries, back)
	}
}
