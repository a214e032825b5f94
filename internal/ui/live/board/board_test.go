package board

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cookoff/internal/ui/text"
	"cookoff/model"
	"cookoff/trial"
)

// FuzzEmit: whatever a journal holds, the fold stands, and what it gives is one
// line a line and harmless.
func FuzzEmit(f *testing.F) {
	f.Add(`{"kind":"run.started","run":{"models":["a/b"],"trials":[{"id":"t1","model":"a/b","task":"x","n":1}]}}`,
		"\x1b[2J\u202e\u0301", 1)
	f.Add(
		`{"kind":"trial.finished","trial":"t1","outcome":{"status":"pass","verdicts":[{"check":"after","status":"pass"}]}}`,
		"界\xff\t", -1)
	f.Fuzz(func(t *testing.T, line, words string, step int) {
		b := New()
		id := trial.Trial{ID: "t1", Model: "a/b", Task: words, N: 1}
		b.Emit(trial.Event{Kind: trial.TrialStarted, Trial: "t1", Start: &id})
		var e trial.Event
		if json.Unmarshal([]byte(line), &e) == nil {
			b.Emit(e)
		}
		b.Stream("t1", step, 1, words)
		b.Emit(trial.Event{Kind: trial.ModelReplied, Trial: "t1",
			Replied: &trial.Replied{Reply: model.Reply{Message: model.Message{Content: words}}}})
		v := b.Look()
		if v.Fault != nil {
			t.Fatalf("the fold broke: %v", v.Fault)
		}
		for _, m := range v.Models {
			for _, l := range m.Lanes {
				for _, en := range l.Entries {
					for _, s := range append(en.Lines, en.Head, l.Doing) {
						if s != text.Line(s) {
							t.Errorf("%q is not harmless", s)
						}
					}
				}
			}
		}
	})
}

// TestMemoryIsBounded: a run of many long trials keeps what is newest.
func TestMemoryIsBounded(t *testing.T) {
	b := New()
	long := strings.Repeat(strings.Repeat("x", 99)+"\n", 300)
	for n := range 80 {
		id := trial.Trial{ID: fmt.Sprintf("t%d", n), Model: "a/b", Task: fmt.Sprint(n), N: 1}
		b.Emit(trial.Event{Kind: trial.TrialStarted, Trial: id.ID, Start: &id})
		for range 40 {
			b.Emit(trial.Event{Kind: trial.ToolReturned, Trial: id.ID,
				Returned: &trial.Returned{Name: "bash", Text: long}})
		}
		b.Emit(trial.Event{Kind: trial.TrialFinished, Trial: id.ID, Outcome: &trial.Outcome{Status: trial.Pass}})
	}
	lanes := b.Look().Models[0].Lanes
	sum := 0
	for _, l := range lanes {
		for _, e := range l.Entries {
			sum += e.size()
		}
	}
	if sum > most || len(lanes[0].Entries) != 0 || len(lanes[79].Entries) == 0 || lanes[79].Dropped == 0 {
		t.Errorf("%d bytes, first lane %d entries, last %d after %d", sum, len(lanes[0].Entries),
			len(lanes[79].Entries), lanes[79].Dropped)
	}
}

func TestCostOfUnknownPriceIsUnknown(t *testing.T) {
	b := New()
	id := trial.Trial{ID: "t1", Model: "a/b", Task: "x", N: 1}
	b.Emit(trial.Event{Kind: trial.TrialStarted, Trial: "t1", Start: &id})
	reply := func(usd *float64) {
		b.Emit(trial.Event{Kind: trial.ModelReplied, Trial: "t1", Replied: &trial.Replied{CostUSD: usd}})
	}
	reply(new(0.5))
	if l := b.Look().Models[0].Lanes[0]; !l.Priced || l.CostUSD != 0.5 || l.Counted {
		t.Errorf("%+v", l)
	}
	reply(nil)
	if l := b.Look().Models[0].Lanes[0]; l.Priced {
		t.Errorf("%+v", l)
	}
}

// TestProtocolIsNotShown: what was said by an agent's protocol is for whoever looks into it,
// other notes are shown.
func TestProtocolIsNotShown(t *testing.T) {
	b := New()
	id := trial.Trial{ID: "t1", Model: "x: a/b", Task: "x", N: 1}
	b.Emit(trial.Event{Kind: trial.TrialStarted, Trial: "t1", Start: &id})
	for _, kind := range []string{trial.NoteProtocol, "agent"} {
		b.Emit(trial.Event{Kind: trial.Note, Trial: "t1", Note: &trial.NoteText{Kind: kind, Text: "> {}"}})
	}
	if all := b.Look().Models[0].Lanes[0].Entries; len(all) != 1 || all[0].Head != "agent" {
		t.Errorf("%+v", all)
	}
}
