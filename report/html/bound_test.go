package html

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/report"
	"cookoff/trial"
)

// live is what is in use of the heap, in bytes.
func live() int {
	runtime.GC()
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

// long makes the events of a run of many trials with long outputs, about 30 MB.
func long(emit func(trial.Event)) {
	for n := range 40 {
		id := fmt.Sprintf("t%03d", n+1)
		for i := range 80 {
			call := fmt.Sprintf("c%d", i)
			e := trial.Event{Trial: id, Attempt: 1, Step: i + 1}
			replied, called, returned := e, e, e
			replied.Kind, replied.Replied = trial.ModelReplied,
				&trial.Replied{Reply: model.Reply{Message: model.Message{Role: model.Assistant, Content: "next",
					Calls: []model.Call{{ID: call, Name: "bash", Arguments: `{"command":"ls"}`}}}}}
			called.Kind, called.Tool = trial.ToolCalled, &trial.Tool{CallID: call, Name: "bash",
				Args: []byte(`{"command":"ls"}`)}
			returned.Kind, returned.Returned = trial.ToolReturned, &trial.Returned{CallID: call, Name: "bash",
				Text: fmt.Sprint(id, i) + strings.Repeat("one line of output\n", 500)}
			for _, e := range []trial.Event{replied, called, returned} {
				emit(e)
			}
		}
		emit(trial.Event{Kind: trial.TrialFinished, Trial: id, Attempt: 1,
			Outcome: &trial.Outcome{Status: trial.Fail, Cause: trial.CauseWrongFix, Detail: "last of " + id}})
	}
}

// TestTranscriptsAreBounded: however long a run is, what is kept of it is not,
// and the page says that something is left out.
func TestTranscriptsAreBounded(t *testing.T) {
	tr := NewTranscripts()
	tr.most = 4 << 20
	sum := 0
	began := live()
	long(func(e trial.Event) {
		if e.Returned != nil {
			sum += len(e.Returned.Text)
		}
		if err := tr.Emit(e); err != nil {
			t.Fatal(err)
		}
	})
	if grown := live() - began; sum < 30_000_000 || grown > 3*tr.most {
		t.Errorf("%d bytes are kept of %d, the bound is %d", grown, sum, tr.most)
	}
	really := 0
	for _, attempts := range tr.trials {
		for _, a := range attempts {
			really += a.weight()
			if a.outcome == nil || a.dropped+len(a.entries) != 160 {
				t.Errorf("an attempt lost how it ended, or count of its entries: %d and %d", a.dropped, len(a.entries))
			}
		}
	}
	if really > tr.most || tr.weight < really/2 || tr.weight > 2*really+tr.most/2 {
		t.Errorf("%d bytes are kept, and counted are %d of at most %d", really, tr.weight, tr.most)
	}
	var page bytes.Buffer
	if err := Write(&page, report.New().Report(), tr, Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "Long transcripts and final states are cut here to") {
		t.Error("the page does not say that something is left out")
	}
}
