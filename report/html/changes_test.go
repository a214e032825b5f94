package html

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/report"
	"cookoff/trial"
	"cookoff/trial/final"

	"github.com/google/go-cmp/cmp"
)

func version(mode fs.FileMode, text string) *final.File {
	v := &final.File{Mode: mode, Size: int64(len(text))}
	v.Keep([]byte(text))
	return v
}

func link(to string) *final.File {
	return &final.File{Mode: fs.ModeSymlink | 0o777, Link: to}
}

func TestWhatBecameOfAFile(t *testing.T) {
	check := func(before, after *final.File, want fileChange) {
		t.Helper()
		want.Path = "p"
		if d := cmp.Diff(want, newFileChange(final.Change{Path: "p", Before: before, After: after},
			keptRoom())); d != "" {
			t.Error(d)
		}
	}
	check(nil, version(0o644, "a\nb\n"), fileChange{What: "created", Facts: "0644, 4 bytes",
		Diff: "@@ -0,0 +1,2 @@\n+a\n+b"})
	check(version(0o600, "a\n"), nil, fileChange{What: "deleted", Facts: "0600, 2 bytes", Diff: "@@ -1,1 +0,0 @@\n-a"})
	check(version(0o644, "a\nb\nc\n"), version(0o755, "a\nB\nc"),
		fileChange{What: "changed", Facts: "0644 → 0755, 6 bytes → 5 bytes",
			Diff: "@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n\\ No newline at end of file"})
	check(version(0o644, "a\n"), version(0o644|fs.ModeSetuid, "a\n"), fileChange{What: "changed", Facts: "0644 → 4644"})
	check(link("a"), link("b"), fileChange{What: "changed", Diff: "@@ -1,1 +1,1 @@\n-→ a\n+→ b"})
	check(version(0o644, "a\n"), link("b"),
		fileChange{What: "changed", Facts: "0644, 2 bytes → link", Diff: "@@ -1,1 +1,1 @@\n-a\n+→ b"})
	check(nil, &final.File{Mode: fs.ModeDir | 0o755}, fileChange{What: "created", Facts: "directory, 0755"})
	check(nil, version(0o644, "a\x00b"), fileChange{What: "created", Facts: "0644, 3 bytes, not text"})
	check(version(0o644, "a"), &final.File{Mode: 0o644, Size: 9, Missing: "larger than 16 MiB"},
		fileChange{What: "changed", Facts: "1 byte → 9 bytes, not kept: larger than 16 MiB"})
	check(nil, version(0o644, strings.Repeat("a\n", maxCompared)),
		fileChange{What: "created", Facts: fmt.Sprintf("0644, %d bytes, too large to be compared here", 2*maxCompared)})
	check(nil, version(0o644, "\x1b[2J\u202e\r\n"),
		fileChange{What: "created", Facts: "0644, 9 bytes", Diff: "@@ -0,0 +1,1 @@\n+\\x1b[2J\\u202e\\r"})
}

// Long diffs are cut, and many files are: what is left out is counted.
func TestLongChangesAreCutAndCounted(t *testing.T) {
	r := room{files: 200, diffs: 128 << 10, lines: 400, line: 2000}
	long := newFileChange(final.Change{Path: "p", After: version(0o644, strings.Repeat("line\n", 5000))}, r)
	if n := strings.Count(long.Diff, "\n") + 1; n != r.lines || n+long.Left != 5001 {
		t.Errorf("%d lines shown, %d left out", n, long.Left)
	}
	var all []final.Change
	for i := range 3 * r.files {
		all = append(all, final.Change{Path: fmt.Sprint("f", i),
			After: version(0o644, strings.Repeat(fmt.Sprint("text ", i, "\n"), 300))})
	}
	c := &changes{}
	c.show(all, r)
	size, hidden := 0, 0
	for _, f := range c.files {
		if size += len(f.Diff); f.Diff == "" {
			hidden++
			if f.Left != 301 {
				t.Errorf("%s: %d lines left out", f.Path, f.Left)
			}
		}
	}
	if c.count != len(all) || len(c.files) != r.files || size > r.diffs || hidden == 0 {
		t.Errorf("%d of %d files, %d bytes, %d without a diff", len(c.files), c.count, size, hidden)
	}
	f := &fitter{limit: limit{text: 100, entries: 5},
		cutter: cutter{most: 100}, seen: map[string]int{}, at: map[string]int{}}
	if d := f.changes(c); len(d.Files) != 5 || d.More != len(all)-5 {
		t.Errorf("%d files, %d more", len(d.Files), d.More)
	}
}

// Whatever many trials left, the page stays below its limit and says what
// it leaves out.
func TestManyFinalStatesFit(t *testing.T) {
	f := emitted(t, bigRun(10, 20, 8, 300))
	for id, attempts := range f.said.trials {
		var all []final.Change
		for i := range 40 {
			all = append(all, final.Change{Path: fmt.Sprint("file", i),
				After: version(0o644, strings.Repeat(fmt.Sprint(id, " wrote ", i, "\n"), 300))})
		}
		attempts[1].changes = &changes{}
		attempts[1].changes.show(all, keptRoom())
	}
	page := f.page(t, Options{})
	d := dataOf(t, page)
	if len(page) > 10<<20 || d.Note == "" {
		t.Errorf("%d bytes, note %q", len(page), d.Note)
	}
	for _, tr := range d.Trials {
		if c := tr.Attempts[0].Changes; c.Count != 40 || len(c.Files)+c.More != 40 {
			t.Fatalf("%s: %d files of %d, %d more", tr.ID, len(c.Files), c.Count, c.More)
		}
	}
}

// leaving is a run of one trial that left the changes, kept beside its journal.
func leaving(t testing.TB, changed ...final.Change) (f folded, dir string, ref *trial.StateRef) {
	t.Helper()
	dir = t.TempDir()
	tr := trial.Trial{ID: "t001", Model: "m", Task: "a", N: 1}
	states := final.NewWriter(nil)
	states.In(dir)
	ref, err := states.Store(&final.State{Trial: tr, Attempt: 1, Changes: changed}, nil)
	if err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(dir, trial.JournalFile)
	if err := os.WriteFile(journal, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return left(t, journal, tr, ref), dir, ref
}

// left folds a run of one trial whose final state is kept beside a journal.
func left(t testing.TB, journal string, tr trial.Trial, ref *trial.StateRef) folded {
	t.Helper()
	b, said := report.New(), NewTranscripts()
	defer said.In(journal)()
	for _, e := range []trial.Event{
		{Kind: trial.RunStarted, Run: &trial.Run{ID: "r", Models: []string{"m"}, Tasks: []string{"a"},
			Trials: []trial.Trial{tr}}},
		{Kind: trial.TrialStarted, Trial: tr.ID, Attempt: 1, Start: &tr},
		{Kind: trial.TrialFinished, Trial: tr.ID, Attempt: 1,
			Outcome: &trial.Outcome{Status: trial.Pass, Stop: trial.StopDone, State: ref}},
		{Kind: trial.RunFinished, End: &trial.End{Seconds: 1}},
	} {
		if err := trial.Tee(b, said).Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	return folded{b.Report(), said}
}

func TestAStateThatCantBeShownSaysWhy(t *testing.T) {
	f, dir, ref := leaving(t, final.Change{Path: "a", After: version(0o644, "x\n")})
	check := func(f folded, part string) {
		t.Helper()
		d := dataOf(t, f.page(t, Options{}))
		c := d.Trials[0].Attempts[0].Changes
		if c == nil || c.Count != 1 || !strings.Contains(c.Note, part) || (part == "") != (len(c.Files) == 1) {
			t.Errorf("%+v, want %q", c, part)
		}
	}
	check(f, "")
	tr := f.report.Trials[0].Trial
	check(left(t, "", tr, ref), "does not lie beside the journal")
	path := filepath.Join(dir, ref.File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(dir, trial.JournalFile)
	if err := os.WriteFile(path, append(text, 'x'), 0o644); err != nil {
		t.Fatal(err)
	}
	check(left(t, journal, tr, ref), "its digest differs")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check(left(t, journal, tr, ref), "does not lie beside the journal")
	if d := dataOf(t, left(t, journal, tr, nil).page(t, Options{})); d.Trials[0].Attempts[0].Changes != nil {
		t.Error("a journal without states says nothing of them")
	}
}

// A browser shows what a trial left: each file folded, its lines by their signs,
// and nothing of what it holds as anything but text.
func TestBrowserShowsWhatATrialLeft(t *testing.T) {
	all := []final.Change{
		{Path: "bin/greet", Before: version(0o644, "#!/bin/sh\necho hello\n"),
			After: version(0o755, "#!/bin/sh\necho hullo\n")},
		{Path: "mode", Before: version(0o600, "same"), After: version(0o644, "same")},
	}
	for i, x := range hostile() {
		all = append(all, final.Change{Path: fmt.Sprint("~/", i, x), After: version(0o644, x+"\n"+x)})
	}
	f, _, _ := leaving(t, all...)
	got := drive(t, f, `
drive(async () => {
  await choose("#search", "ECHO HULLO"); // stands in a diff only
  report.found = shown(".trials tbody tr").length;
  location.hash = "#t=t001";
  await settle();
  report.unfolded = all(".change details[open]").length;
  location.hash = "";
  await settle();
  await choose("#search", "");
  location.hash = "#t=t001";
  await settle();
  report.head = find(".changes h3").textContent;
  report.files = all(".change").length;
  report.open = all(".change details[open]").length;
  find(".change summary").click();
  await settle();
  report.first = find(".change summary").textContent;
  const signs = (sign) => all(".change")[0].querySelectorAll(sign).length;
  report.signs = signs(".add") + " " + signs(".del");
  report.text = find(".change .add").textContent;
  report.mode = all(".change")[1].textContent;
  find("[data-unfold]").click();
  await settle();
  report.all = all(".change details[open]").length === all(".change details").length;
  const own = "H3 UL LI DETAILS SUMMARY CODE SPAN PRE P HEADER".split(" ");
  report.foreign = all(".changes *").filter((e) => !own.includes(e.tagName)).length;
  report.wide = document.documentElement.scrollWidth <= innerWidth;
  report.scripts = document.scripts.length;
});`)
	equal(t, got, map[string]any{"found": 1, "head": fmt.Sprintf("Final state: %d files changed", len(all)),
		"files": len(all), "unfolded": 1, "open": 0,
		"first": "bin/greetchanged0644 → 0755", "signs": "1 1", "text": "+echo hullo\n",
		"mode": "modechanged0600 → 0644", "all": true, "foreign": 0, "wide": true,
		"scripts": 2, "violations": "[]"})
}
