package html

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/trial"
)

// bigRun is a run of models × tasks, each trial of some steps that end in
// output of some bytes.
func bigRun(models, tasks, steps, bytes int) []trial.Event {
	rnd := rand.New(rand.NewPCG(1, 2))
	run := trial.Run{ID: "big", Recipe: "big", Seed: 1, Confidence: 0.95, Parallel: 1}
	for m := range models {
		run.Models = append(run.Models, fmt.Sprintf("provider/model-%02d", m))
	}
	run.Baseline = run.Models[0]
	for i := range tasks {
		run.Tasks = append(run.Tasks, fmt.Sprintf("task %02d of the environment", i))
		for _, m := range run.Models {
			run.Trials = append(run.Trials, trial.Trial{ID: fmt.Sprintf("t%04d", len(run.Trials)+1), Model: m,
				Task: run.Tasks[i], N: 1})
		}
	}
	events := []trial.Event{{Kind: trial.RunStarted, Run: &run}}
	system := strings.Repeat("You mend environments. ", 150)
	for _, tr := range run.Trials {
		at := func(kind trial.Kind, step int, e trial.Event) {
			e.Kind, e.Trial, e.Attempt, e.Step = kind, tr.ID, 1, step
			events = append(events, e)
		}
		at(trial.TrialStarted, 0, trial.Event{Start: &tr})
		at(trial.ModelCalled, 1,
			trial.Event{Called: &trial.Called{New: []model.Message{{Role: model.System, Content: system},
				{Role: model.User, Content: tr.Task}}}})
		for s := range steps {
			id := fmt.Sprint("c", s)
			at(trial.ModelReplied, s+1, trial.Event{Replied: &trial.Replied{Seconds: 1, CostUSD: new(0.01),
				Reply: model.Reply{Usage: model.Usage{Input: 900, Output: 90, Known: true}}}})
			at(trial.ToolCalled, s+1, trial.Event{Tool: &trial.Tool{CallID: id, Name: "bash",
				Args: json.RawMessage(`{"command":"ls -la <dir> && cat file"}`)}})
			at(trial.ToolReturned, s+1, trial.Event{Returned: &trial.Returned{CallID: id, Name: "bash", Seconds: 0.1,
				Text: strings.Repeat(fmt.Sprintf("%x <&> ", rnd.Uint64()), bytes/22+1)}})
		}
		o := trial.Outcome{Status: trial.Fail, Cause: trial.CauseWrongFix, Stop: trial.StopDone, Steps: steps,
			CostUSD: new(0.1), Seconds: trial.Seconds{Agent: 3}, Usage: model.Usage{Known: true},
			Verdicts: []trial.Verdict{{Check: "after", Status: trial.NotHeld, Detail: "exit status 1",
				Evidence: &trial.Evidence{Command: "test -x tool", Exit: 1, Tail: strings.Repeat("tail ", 100)}}}}
		if rnd.IntN(2) == 0 {
			o.Status, o.Cause = trial.Pass, ""
		}
		at(trial.TrialFinished, 0, trial.Event{Outcome: &o})
	}
	return append(events, trial.Event{Kind: trial.RunFinished, End: &trial.End{Seconds: 1}})
}

func dataOf(t *testing.T, page string) data {
	t.Helper()
	var d data
	if err := json.Unmarshal([]byte(content(t, parse(t, page), "data")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// 1,000 trials fit into 10 MB however much was said: texts are cut, and the
// page says so. What is said in every trial stands there once.
func TestAThousandTrialsFit(t *testing.T) {
	check := func(steps, bytes int, note bool) {
		t.Helper()
		page := emitted(t, bigRun(20, 50, steps, bytes)).page(t, Options{})
		if len(page) > 10<<20 {
			t.Errorf("%d steps of %d bytes: the page has %d bytes", steps, bytes, len(page))
		}
		d := dataOf(t, page)
		if len(d.Trials) != 1000 || (d.Note != "") != note {
			t.Errorf("%d steps of %d bytes: %d trials, note %q", steps, bytes, len(d.Trials), d.Note)
		}
		if n := strings.Count(page, "You mend environments. You mend"); n > 200 {
			t.Errorf("%d steps of %d bytes: the system prompt stands there %d times", steps, bytes, n)
		}
		for _, tr := range d.Trials {
			if a := tr.Attempts[0]; len(a.Entries)+a.Gap != 2+2*steps {
				t.Fatalf("%s: %d entries and %d left out", tr.ID, len(a.Entries), a.Gap)
			}
		}
	}
	check(8, 300, false)
	check(12, 3000, true)
	check(60, 500, true)
}

// Without transcripts 20 models × 50 tasks stay below 1 MB.
func TestNumbersAreSmall(t *testing.T) {
	f := emitted(t, bigRun(20, 50, 1, 10))
	f.said = NewTranscripts()
	if n := len(f.page(t, Options{})); n > 1<<20 {
		t.Errorf("%d bytes", n)
	}
}

func TestLongTextsKeepBothEnds(t *testing.T) {
	s := cut("beginning"+strings.Repeat("漢字", 50_000)+"end", keepText)
	if len(s) > keepText+100 || !strings.HasPrefix(s, "beginning") || !strings.HasSuffix(s, "end") ||
		!strings.Contains(s, "bytes left out of this page") || strings.ContainsRune(s, '\ufffd') {
		t.Errorf("%d bytes: %.40q … %q", len(s), s, s[len(s)-20:])
	}
	if s := "short"; cut(s, 5) != s {
		t.Error("a text that fits is left as it is")
	}
}

// Of an attempt without end the first and the last entries are kept, and what
// comes back late finds its call.
func TestEndlessAttempt(t *testing.T) {
	said := NewTranscripts()
	said.level = 1
	most := limits()[1].entries
	at := func(kind trial.Kind, e trial.Event) {
		e.Kind, e.Trial, e.Attempt = kind, "t1", 1
		if err := said.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	at(trial.ToolCalled, trial.Event{Tool: &trial.Tool{CallID: "late", Name: "first"}})
	for i := range 5 * most {
		at(trial.Note, trial.Event{Note: &trial.NoteText{Kind: "n", Text: fmt.Sprint(i)}})
	}
	at(trial.ToolReturned, trial.Event{Returned: &trial.Returned{CallID: "late", Text: "came"}})
	a := said.trials["t1"][1]
	if len(a.entries) != most || a.dropped != 4*most+1 {
		t.Errorf("%d entries kept, %d left out", len(a.entries), a.dropped)
	}
	if e := a.entries[0]; e.Out != "came" || e.Waits {
		t.Errorf("the call is %+v", e)
	}
	if e := a.entries[most-1]; e.Text != fmt.Sprint(5*most-1) {
		t.Errorf("the last entry is %+v", e)
	}
}

// Arguments are shown by name, a text with its own lines; what a model wrote
// that is no JSON is shown as it wrote it, and marked.
func TestArguments(t *testing.T) {
	check := func(raw, want string) {
		t.Helper()
		if got := arguments(json.RawMessage(raw)); got != want {
			t.Errorf("%s is shown as %q, want %q", raw, got, want)
		}
	}
	check(`{"command":"ls"}`, "command: ls")
	check(`{"path":"a","text":"one\ntwo\n","n":1,"deep":{"x":[1,"y"]}}`,
		"path: a\ntext:\none\ntwo\nn: 1\ndeep: {\"x\":[1,\"y\"]}")
	check(`[1]`, "[1]")
	check(`{}`, "")

	said := NewTranscripts()
	_ = said.Emit(trial.Event{Kind: trial.ModelReplied, Trial: "t1",
		Replied: &trial.Replied{Reply: model.Reply{Message: model.Message{Calls: []model.Call{{ID: "c", Name: "bash",
			Arguments: `{"comm`}}}}}})
	_ = said.Emit(trial.Event{Kind: trial.ToolCalled, Trial: "t1", Tool: &trial.Tool{CallID: "c", Name: "bash"}})
	if e := said.trials["t1"][1].entries[1]; e.Text != `{"comm` || !e.Bad || !e.Waits {
		t.Errorf("%+v", e)
	}
}

// BenchmarkWrite makes the page of a thousand trials.
func BenchmarkWrite(b *testing.B) {
	f := emitted(b, bigRun(20, 50, 12, 2000))
	b.ReportAllocs()
	for b.Loop() {
		f.page(b, Options{})
	}
}
