// Package trialtest makes journals of any length for tests and measurements, and keeps events.
package trialtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cookoff/model"
	"cookoff/trial"
)

// Placeholder is the trial's ID in what OneTrial gives: eight digits long, so that
// another can be put in its place in the lines.
const Placeholder = "t00000000"

// Lines writes events as the lines of a journal.
func Lines(es ...trial.Event) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range es {
		if err := enc.Encode(e); err != nil {
			panic(err) // an event of ours is always JSON
		}
	}
	return b.Bytes()
}

// OneTrial is what a trial of so many steps leaves in a journal; its texts are about
// as long and as full of quotes as those of real ones.
func OneTrial(steps int) []trial.Event {
	es := []trial.Event{{Kind: trial.TrialStarted,
		Start: &trial.Trial{ID: Placeholder, Model: "a/b", Task: "one", N: 1}}}
	out := strings.Repeat("-rw-r--r-- 1 dev dev  4096 \"app.conf\"\n", 12)
	for i := 1; i <= steps; i++ {
		id, args := fmt.Sprintf("call_%d", i), `{"command":"ls -la /home/dev && cat \"app.conf\""}`
		es = append(es,
			trial.Event{Kind: trial.ModelCalled, Step: i,
				Called: &trial.Called{New: []model.Message{{Role: model.ToolRole, CallID: id, Content: out}}}},
			trial.Event{Kind: trial.ModelReplied, Step: i,
				Replied: &trial.Replied{CostUSD: new(0.001), Seconds: 1.5, Reply: model.Reply{
					Message: model.Message{Role: model.Assistant, Content: "I look at what lies in the directory.",
						Calls: []model.Call{{ID: id, Name: "shell", Arguments: args}}},
					Usage: model.Usage{Input: 2000, Output: 50, Known: true}, Served: "b-2026"}}},
			trial.Event{Kind: trial.ToolCalled, Step: i,
				Tool: &trial.Tool{CallID: id, Name: "shell", Args: json.RawMessage(args)}},
			trial.Event{Kind: trial.ToolReturned, Step: i,
				Returned: &trial.Returned{CallID: id, Name: "shell", Text: out, Seconds: 0.1}})
	}
	held := []trial.Verdict{{Check: "after", Status: trial.Held}}
	es = append(es, trial.Event{Kind: trial.Judged, Verdicts: held},
		trial.Event{Kind: trial.TrialFinished,
			Outcome: &trial.Outcome{Status: trial.Pass, Stop: trial.StopDone, Steps: steps,
				CostUSD: new(0.001 * float64(steps)),
				Usage:   model.Usage{Input: 2000 * steps, Output: 50 * steps, Known: true}, Verdicts: held}})
	for i := range es {
		es[i].Seq, es[i].At, es[i].Trial, es[i].Attempt = i+1, time.Unix(int64(i), 0).UTC(), Placeholder, 1
	}
	return es
}
