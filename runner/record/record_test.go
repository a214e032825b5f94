package record

import (
	"fmt"
	"testing"

	"cookoff/runner/clock"
	"cookoff/trial"
)

// disk counts the turns of a disk that events wait for.
type disk struct{ turns int }

func (*disk) Emit(trial.Event) error { return nil }
func (d *disk) Sync() error          { d.turns++; return nil }

// TestWhatWaitsForTheDisk: what costs money and how a trial ended survive the machine; how
// an interrupt ended it does not, which hundreds of trials would wait for.
func TestWhatWaitsForTheDisk(t *testing.T) {
	check := func(e trial.Event, want int) {
		t.Helper()
		d := &disk{}
		r := &Recorder{Sink: d, Clock: clock.Real{}}
		if r.Emit(e); d.turns != want || r.Err() != nil {
			t.Errorf("%s waits for %d turns of the disk, want %d; %v", e.Kind, d.turns, want, r.Err())
		}
	}
	check(trial.Event{Kind: trial.ModelCalled}, 1)
	check(trial.Event{Kind: trial.ModelReplied}, 1)
	check(trial.Event{Kind: trial.ToolReturned}, 0)
	check(trial.Event{Kind: trial.Note, Request: &trial.Request{CostUSD: new(0.5)}}, 1)
	for _, s := range []trial.Status{trial.Pass, trial.Fail, trial.Void} {
		check(trial.Event{Kind: trial.TrialFinished, Outcome: &trial.Outcome{Status: s}}, 1)
	}
	interrupted := trial.Outcome{Status: trial.Void, Cause: trial.CauseCancelled}
	check(trial.Event{Kind: trial.TrialFinished, Outcome: &interrupted}, 0)
}

// Where the disk fails the trial can't go on.
func TestADiskThatFails(t *testing.T) {
	r := &Recorder{Sink: &fails{}, Clock: clock.Real{}}
	r.Emit(trial.Event{Kind: trial.TrialFinished, Outcome: &trial.Outcome{Status: trial.Pass}})
	if r.Failed() == nil {
		t.Error("an outcome that is not on disk is believed to be")
	}
}

type fails struct{ disk }

func (*fails) Sync() error { return fmt.Errorf("no space left on device") }
