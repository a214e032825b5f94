// Package transcript puts the events of a run together into what was said and done
// in each trial, one trial at a time: what the formats of others are made of.
package transcript

import (
	"encoding/json"
	"time"

	"cookoff/model"
	"cookoff/report"
	"cookoff/trial"
)

// Trial is a trial that has an outcome, and its last attempt.
type Trial struct {
	report.Trial
	Started  time.Time
	Finished time.Time
	Judging  time.Time // when the contestant was done; zero: not known
	Verdicts []trial.Verdict
	Answer   string // the final text
	Talk     *Talk
}

// Talk is the conversation of a contestant, or of one of its sub-agents.
type Talk struct {
	Agent string // "" is the contestant; 1.2 is the second sub-agent of its first
	Tools []model.ToolSpec
	Turns []Turn
	Subs  []*Talk // of its sub-agents, in the order in which they began
}

// Turn is one message: of the system, the user or the assistant.
type Turn struct {
	Role    model.Role
	At      time.Time
	Step    int
	Text    string
	Reply   *trial.Replied // of an assistant
	Calls   []Call         // of an assistant
	Retries int            // how often it was asked for in vain
}

// Call is a tool call and what came of it.
type Call struct {
	ID, Name string
	Args     json.RawMessage // an object; nil: Raw is none
	Raw      string          // as the model wrote it
	Started  time.Time       // zero: it was not made
	Ended    time.Time
	Result   *trial.Returned // nil: it did not return
	Sub      *Talk           // of the sub-agent that it started
}

// Took is how long the call took, as it was measured.
func (c Call) Took() time.Duration {
	if c.Result == nil {
		return 0
	}
	return time.Duration(c.Result.Seconds * float64(time.Second))
}

// Arguments are the call's as an object, whatever the model wrote.
func (c Call) Arguments() json.RawMessage {
	var object map[string]json.RawMessage
	for _, text := range [][]byte{c.Args, []byte(c.Raw)} {
		if json.Unmarshal(text, &object) == nil && object != nil {
			return text
		}
	}
	raw, err := json.Marshal(map[string]string{"raw": c.Raw})
	if err != nil { // a string is always JSON
		panic(err)
	}
	return raw
}

// All gives the talk and those of all its sub-agents, outermost first.
func (t *Talk) All() []*Talk {
	out := []*Talk{t}
	for _, s := range t.Subs {
		out = append(out, s.All()...)
	}
	return out
}
