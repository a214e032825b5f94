package inspect

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"cookoff/interop/transcript"
	"cookoff/model"
	"cookoff/trial"
)

// sampleOf makes the sample of a trial. A void has an error and no score: it counts
// for nothing there either.
func sampleOf(id, run string, t transcript.Trial) sample {
	o := t.Outcome
	s := sample{ID: id, Epoch: t.N, Input: quoted(t.Task), Target: quoted("fixed"), Messages: messages(t.Talk),
		Scores: map[string]score{},
		Events: []any{}, Usage: map[string]usage{}, Started: stamp(t.Started), Completed: stamp(t.Finished),
		Turns: o.Steps, UUID: letters(run+"-"+t.ID, 120), Working: o.Seconds.Agent, Limit: limitOf(o),
		Metadata: map[string]any{"trial": t.ID, "task": t.Task, "outcome": o.Status, "cause": o.Cause, "stop": o.Stop,
			"detail":  o.Detail,
			"attempt": t.Attempt, "seconds": o.Seconds, "counters": o.Counters}}
	for _, turn := range t.Talk.Turns {
		if turn.Role == model.User {
			s.Input = quoted(turn.Text)
			break
		}
	}
	if !t.Started.IsZero() && !t.Finished.IsZero() {
		s.Total = t.Finished.Sub(t.Started).Seconds()
	}
	if len(t.Talk.Subs) > 0 {
		subs := map[string][]message{}
		for _, sub := range t.Talk.All()[1:] {
			subs[sub.Agent] = messages(sub)
		}
		s.Metadata["sub_agents"] = subs
	}
	if o.Usage.Known {
		s.Usage[t.Model] = usageOf(o.Usage, o.CostUSD)
	}
	s.Output = outputOf(t)
	switch o.Status {
	case trial.Void:
		s.Error = &fault{Message: strings.TrimRight(string(o.Cause)+": "+o.Detail, ": ")}
	case trial.Pass:
		s.Scores[scorer] = score{"C", t.Answer, "fixed", checks(t.Verdicts)}
	default:
		s.Scores[scorer] = score{"I", t.Answer, strings.TrimRight(string(o.Cause)+": "+o.Detail, ": "),
			checks(t.Verdicts)}
	}
	return s
}

// value is what a judged trial counts.
func value(t transcript.Trial) float64 {
	if t.Outcome.Status == trial.Pass {
		return 1
	}
	return 0
}

func checks(vs []trial.Verdict) map[string]any {
	if len(vs) == 0 {
		return nil
	}
	return map[string]any{"verdicts": vs}
}

// summary gives what the summaries of a log hold of a sample: all but the conversation.
func (s sample) summary() summary {
	out := summary{ID: s.ID, Epoch: s.Epoch, Input: s.Input, Target: s.Target, Scores: map[string]score{},
		Usage: s.Usage, Metadata: map[string]any{}, Started: s.Started, Completed: s.Completed,
		Total: s.Total, Working: s.Working, UUID: s.UUID, Done: true, Messages: len(s.Messages), Turns: s.Turns}
	for _, key := range []string{"task", "outcome", "cause", "stop", "detail"} {
		out.Metadata[key] = s.Metadata[key]
	}
	for name, x := range s.Scores {
		x.Metadata = nil
		out.Scores[name] = x
	}
	if s.Error != nil {
		out.Error = s.Error.Message
	}
	if s.Limit != nil {
		out.Limit = s.Limit.Type
	}
	return out
}

// limitOf says which limit ended the loop; its value is what had been reached.
func limitOf(o trial.Outcome) *limit {
	switch o.Stop {
	case trial.StopMaxSteps:
		return &limit{"turn", float64(o.Steps)}
	case trial.StopTimeout:
		return &limit{"time", o.Seconds.Agent}
	case trial.StopMaxToolCalls:
		return &limit{"custom", float64(o.Counters.ToolCalls)}
	case trial.StopContextFull:
		return &limit{"context", float64(o.Usage.Input)}
	case trial.StopMaxCost:
		if o.CostUSD == nil {
			return &limit{"cost", 0}
		}
		return &limit{"cost", *o.CostUSD}
	}
	return nil
}

func usageOf(u model.Usage, usd *float64) usage {
	out := usage{Input: max(u.Input-u.Cached, 0), Output: u.Output, Total: u.Input + u.Output, USD: usd}
	if u.Cached > 0 {
		out.CacheRead = &u.Cached
	}
	if u.Reasoning > 0 {
		out.Reasoning = &u.Reasoning
	}
	return out
}

func outputOf(t transcript.Trial) *output {
	for i := len(t.Talk.Turns) - 1; i >= 0; i-- {
		turn := t.Talk.Turns[i]
		if turn.Reply == nil {
			continue
		}
		out := &output{Model: t.Model,
			Choices: []choice{{assistant(turn, t.Talk.Agent), stop(turn.Reply.Reply.Finish)}}}
		if u := turn.Reply.Reply.Usage; u.Known {
			out.Usage = new(usageOf(u, turn.Reply.CostUSD))
		}
		return out
	}
	return nil
}

func stop(f model.Finish) string {
	switch f {
	case model.FinishStop, model.FinishCalls, model.FinishFilter:
		return string(f)
	case model.FinishLength:
		return "max_tokens"
	}
	return "unknown"
}

// messages are a conversation; what tools answered stands behind the reply that
// called them.
func messages(t *transcript.Talk) []message {
	out := []message{}
	for _, turn := range t.Turns {
		if turn.Reply == nil {
			out = append(out, message{Role: string(turn.Role), Content: turn.Text, Source: "input"})
			continue
		}
		out = append(out, assistant(turn, t.Agent))
		for i, c := range turn.Calls {
			if c.Result == nil {
				continue
			}
			m := message{Role: "tool", Content: c.Result.Text, CallID: callID(turn.Calls, i), Function: c.Name}
			if c.Result.Failed {
				m.Error = &callErr{"unknown", c.Result.Text}
			}
			out = append(out, m)
		}
	}
	return out
}

func assistant(t transcript.Turn, agent string) message {
	m := message{ID: letters(fmt.Sprintf("%s-step-%d", agent, t.Step), 60), Role: "assistant", Content: t.Text,
		Source: "generate", Model: t.Reply.Reply.Served}
	if r := t.Reply.Reply.Message.Reasoning; r != "" {
		parts := []part{{Type: "reasoning", Reasoning: r}}
		if t.Text != "" {
			parts = append(parts, part{Type: "text", Text: t.Text})
		}
		m.Content = parts
	}
	for i, c := range t.Calls {
		m.Calls = append(m.Calls, call{callID(t.Calls, i), c.Name, c.Arguments(), "function"})
	}
	return m
}

// callID is the name of a call, its own where two of a reply have one.
func callID(calls []transcript.Call, n int) string {
	for i, c := range calls {
		if i != n && c.ID == calls[n].ID || calls[n].ID == "" {
			return fmt.Sprintf("%s#%d", calls[n].ID, n+1)
		}
	}
	return calls[n].ID
}

func quoted(s string) json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil { // a string is always JSON
		panic(err)
	}
	return text
}

// sampleIDs are names of tasks that can be names of members of a zip.
type sampleIDs struct{ of map[string]string }

// newSampleIDs gives each task an id that may be a file name, none twice.
func newSampleIDs(tasks []string) *sampleIDs {
	ids, taken := &sampleIDs{map[string]string{}}, map[string]bool{}
	for _, task := range tasks {
		id := strings.Map(func(r rune) rune {
			if r == '/' || r == '\\' || !unicode.IsPrint(r) {
				return '-'
			}
			return r
		}, task)
		for n, base := 2, id; taken[id]; n++ {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		ids.of[task], taken[id] = id, true
	}
	return ids
}

// letters is a name in which nothing but letters, digits, dots and dashes stands, at
// most n long.
func letters(name string, n int) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= n {
			break
		}
	}
	if b.Len() == 0 {
		return "unnamed"
	}
	return strings.TrimRight(b.String(), "-.")
}
