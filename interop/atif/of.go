package atif

import (
	"fmt"
	"time"

	"cookoff/interop/transcript"
	"cookoff/model"
	"cookoff/trial"
)

// Of makes the trajectory of a trial of a run, written by a version of cookoff; ok is
// false for one in which nobody said anything.
func Of(run, version string, t transcript.Trial) (tr Trajectory, ok bool) {
	if len(t.Talk.Turns) == 0 {
		return Trajectory{}, false
	}
	w := writer{session: run + "/" + t.ID, version: version, model: t.Model}
	tr = w.trajectory(t.Talk)
	for _, sub := range t.Talk.All()[1:] {
		if len(sub.Turns) > 0 {
			tr.Subs = append(tr.Subs, w.trajectory(sub))
		}
	}
	o := t.Outcome
	tr.Final.Prompt, tr.Final.Completion, tr.Final.Cached, tr.Final.USD = nil, nil, nil, o.CostUSD
	if o.Usage.Known {
		tr.Final.Prompt, tr.Final.Completion, tr.Final.Cached = &o.Usage.Input, &o.Usage.Output, &o.Usage.Cached
	}
	tr.Final.Extra = map[string]any{"status": o.Status, "stop": o.Stop, "cookoff_steps": o.Steps}
	for key, value := range map[string]string{"cause": string(o.Cause), "detail": o.Detail} {
		if value != "" {
			tr.Final.Extra[key] = value
		}
	}
	tr.Extra = map[string]any{"task": t.Task, "repeat": t.N, "attempt": t.Attempt, "verdicts": verdicts(t.Verdicts)}
	return tr, true
}

func verdicts(vs []trial.Verdict) []trial.Verdict {
	if vs == nil {
		return []trial.Verdict{}
	}
	return vs
}

// writer makes the trajectories of one trial.
type writer struct{ session, version, model string }

func (w writer) id(t *transcript.Talk) string {
	if t.Agent == "" {
		return w.session
	}
	return w.session + "/agent-" + t.Agent
}

// trajectory gives a conversation in the form of ATIF: its tools, a step for each turn, and
// the sums.
func (w writer) trajectory(t *transcript.Talk) Trajectory {
	out := Trajectory{Schema: Version, Session: w.session, ID: w.id(t),
		Agent: Agent{Name: "cookoff", Version: w.version, Model: w.model}}
	for _, tool := range t.Tools {
		out.Agent.Tools = append(out.Agent.Tools,
			Tool{"function", Function{tool.Name, tool.Description, transcript.Schema(tool)}})
	}
	for _, turn := range t.Turns {
		out.Steps = append(out.Steps, w.step(len(out.Steps)+1, turn))
	}
	u, usd := t.Usage()
	out.Final = &FinalMetrics{USD: usd, Steps: len(out.Steps)}
	if u.Known {
		out.Final.Prompt, out.Final.Completion, out.Final.Cached = &u.Input, &u.Output, &u.Cached
	}
	return out
}

// step gives one turn: what was said and called, what came back, and its usage.
func (w writer) step(n int, t transcript.Turn) Step {
	s := Step{ID: n, Time: t.At.UTC().Format(time.RFC3339Nano), Source: source(t.Role), Message: t.Text}
	r := t.Reply
	if r == nil {
		return s
	}
	s.Model, s.Reasoning, s.Inferences = w.model, r.Reply.Message.Reasoning, new(1)
	if served := r.Reply.Served; served != "" {
		s.Model = served
	}
	if u := r.Reply.Usage; u.Known {
		s.Metrics = &Metrics{Prompt: u.Input, Completion: u.Output, Cached: u.Cached, USD: r.CostUSD}
		if u.Reasoning > 0 {
			s.Metrics.Extra = map[string]any{"reasoning_tokens": u.Reasoning}
		}
	}
	s.Extra = map[string]any{"seconds": r.Seconds}
	if t.Retries > 0 {
		s.Extra["retries"] = t.Retries
	}
	if f := r.Reply.Finish; f != model.FinishUnknown {
		s.Extra["finish"] = f
	}
	w.calls(&s, t.Calls)
	return s
}

// calls adds the calls of a reply. Two of one name in a reply get names of their own.
func (w writer) calls(s *Step, calls []transcript.Call) {
	seen := map[string]bool{}
	for i, c := range calls {
		id := c.ID
		if id == "" || seen[id] {
			id = fmt.Sprintf("%s#%d", id, i+1)
		}
		seen[id] = true
		s.Calls = append(s.Calls, Call{id, c.Name, c.Arguments()})
		if c.Result == nil && c.Sub == nil {
			continue
		}
		if s.Observation == nil {
			s.Observation = &Observation{}
		}
		r := Result{Call: id}
		if c.Result != nil {
			r.Content, r.Extra = c.Result.Text, map[string]any{"seconds": c.Result.Seconds, "failed": c.Result.Failed}
		}
		if c.Sub != nil && len(c.Sub.Turns) > 0 {
			r.Subs = []Ref{{w.id(c.Sub)}}
		}
		s.Observation.Results = append(s.Observation.Results, r)
	}
}

func source(r model.Role) string {
	switch r {
	case model.Assistant:
		return "agent"
	case model.System:
		return "system"
	}
	return "user"
}
