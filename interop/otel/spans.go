package otel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"cookoff/contestant"
	"cookoff/interop/transcript"
	"cookoff/model"
	"cookoff/report"
	"cookoff/trial"
)

// Telling says what of a run is told, and as whose.
type Telling struct {
	Version  string            // of cookoff
	Resource map[string]string // attributes of the service
	Contents bool              // what was said, and what tools were given and gave
}

// Run gives the spans of the run itself.
func (t Telling) Run(r *report.Report) Request {
	s := span{Trace: traceOf(r.Run.ID, ""), ID: spanOf(r.Run.ID, ""), Name: "invoke_workflow cookoff", Kind: internal,
		Start: nanos(r.Started), End: nanos(r.Started)}
	if !math.IsNaN(r.Seconds) {
		s.End = nanos(r.Started.Add(time.Duration(r.Seconds * float64(time.Second))))
	}
	s.Attributes.text("gen_ai.operation.name", "invoke_workflow")
	s.Attributes.text("gen_ai.workflow.name", r.Run.Recipe)
	s.Attributes.text("test.suite.name", r.Run.Recipe)
	s.Attributes.text("test.suite.run.status", suite(r.State))
	s.Attributes.text("cookoff.run.id", r.Run.ID)
	s.Attributes.text("cookoff.run.state", string(r.State))
	s.Attributes.text("cookoff.recipe.digest", r.Run.Digest)
	for _, m := range r.Models {
		e := event{At: s.End, Name: "gen_ai.evaluation.result"}
		e.Attributes.text("gen_ai.evaluation.name", "fixed "+m.Name)
		if m.Judged() > 0 {
			e.Attributes.float("gen_ai.evaluation.score.value", m.Rate)
		}
		e.Attributes.text("gen_ai.evaluation.score.label", fmt.Sprintf("%d/%d", m.Pass, m.Judged()))
		e.Attributes.number("cookoff.void", m.Void)
		s.Events = append(s.Events, e)
	}
	if r.State == report.Broken {
		s.Status = &status{Code: 2}
		s.Attributes.text("error.type", "broken")
	}
	return t.request(s)
}

func suite(s report.State) string {
	switch s {
	case report.Finished:
		return "success"
	case report.Interrupted, report.Spent:
		return "aborted"
	case report.Broken:
		return "failure"
	}
	return "in_progress"
}

// Trial gives the spans of a trial, which are a trace of their own.
func (t Telling) Trial(run trial.Run, x transcript.Trial) Request {
	agent, name := contestant.Split(run.Behind(x.Model))
	w := &spans{Telling: t, trace: traceOf(run.ID, x.ID+fmt.Sprint("#", x.Attempt)), model: name}
	root := span{Trace: w.trace, ID: w.id("trial"), Name: "invoke_agent " + x.Model, Kind: internal,
		Start: nanos(x.Started), End: nanos(x.Finished),
		Links: []link{{traceOf(run.ID, ""), spanOf(run.ID, "")}}}
	a, o := &root.Attributes, x.Outcome
	a.text("gen_ai.operation.name", "invoke_agent")
	a.text("gen_ai.provider.name", provider(name))
	a.text("gen_ai.agent.name", cmp.Or(agent, "cookoff"))
	if agent == "" {
		a.text("gen_ai.agent.version", t.Version)
	}
	a.text("gen_ai.request.model", name)
	a.text("cookoff.contestant", x.Model)
	if c := run.Contestant(x.Model); c != nil {
		for _, g := range c.Given {
			a.text("cookoff.contestant."+g.Key, g.Text)
		}
	}
	a.text("gen_ai.conversation.id", run.ID+"/"+x.ID)
	a.text("test.suite.name", run.Recipe)
	a.text("test.case.name", x.Task)
	a.text("cookoff.outcome", string(o.Status))
	a.text("cookoff.cause", string(o.Cause))
	a.text("cookoff.stop", string(o.Stop))
	a.number("cookoff.repeat", x.N)
	a.number("cookoff.attempt", x.Attempt)
	a.number("cookoff.steps", o.Steps)
	if o.Status == trial.Void { // not the contestant's: no test failed
		a.text("error.type", cmp.Or(string(o.Cause), "void"))
		root.Status = &status{Code: 2}
	} else {
		a.text("test.case.result.status", string(o.Status))
	}
	if o.Usage.Known {
		w.usage(a, o.Usage)
	}
	if o.CostUSD != nil {
		a.float("cookoff.cost_usd", *o.CostUSD)
	}
	root.Events = w.verdicts(x)
	w.all = append(w.all, root)
	w.talk(root.ID, x.Talk)
	return t.request(w.all...)
}

// spans are those of one trial.
type spans struct {
	Telling
	trace, model string
	all          []span
}

func (w *spans) id(parts ...string) string {
	return identifier(8, append([]string{w.trace}, parts...)...)
}

func (w *spans) verdicts(x transcript.Trial) []event {
	at, out := x.Judging, []event{}
	if at.IsZero() {
		at = x.Finished
	}
	for _, v := range x.Verdicts {
		e := event{At: nanos(at), Name: "gen_ai.evaluation.result"}
		e.Attributes.text("gen_ai.evaluation.name", v.Check)
		e.Attributes.text("gen_ai.evaluation.score.label", string(v.Status))
		switch v.Status {
		case trial.Held:
			e.Attributes.float("gen_ai.evaluation.score.value", 1)
		case trial.NotHeld:
			e.Attributes.float("gen_ai.evaluation.score.value", 0)
		}
		if w.Contents {
			e.Attributes.text("gen_ai.evaluation.explanation", v.Detail)
		}
		out = append(out, e)
	}
	return out
}

// talk adds the spans of a conversation below one of them.
func (w *spans) talk(parent string, t *transcript.Talk) {
	var news []part
	system := ""
	linked := map[*transcript.Talk]bool{}
	for i, turn := range t.Turns {
		if turn.Reply == nil {
			if turn.Role == model.System {
				system = turn.Text
			} else {
				news = append(news, part{string(turn.Role), turn.Text})
			}
			continue
		}
		w.chat(parent, t, i, system, news)
		news, system = nil, ""
		for j, c := range turn.Calls {
			if c.Started.IsZero() {
				continue
			}
			id := w.tool(parent, t, i, j)
			if c.Sub != nil {
				linked[c.Sub] = true
				w.agent(id, c.Sub)
			}
			if c.Result != nil {
				news = append(news, part{"tool", c.Result.Text})
			}
		}
	}
	for _, sub := range t.Subs {
		if !linked[sub] {
			w.agent(parent, sub)
		}
	}
}

func (w *spans) agent(parent string, t *transcript.Talk) {
	s := span{Trace: w.trace, ID: w.id("agent", t.Agent), Parent: parent, Name: "invoke_agent sub-agent",
		Kind: internal}
	s.Attributes.text("gen_ai.operation.name", "invoke_agent")
	s.Attributes.text("gen_ai.agent.name", "sub-agent "+t.Agent)
	s.Attributes.text("gen_ai.agent.id", t.Agent)
	if n := len(t.Turns); n > 0 {
		s.Start, s.End = nanos(t.Turns[0].At), nanos(t.Turns[n-1].At)
	} else {
		s.Start, s.End = "0", "0"
	}
	w.all = append(w.all, s)
	w.talk(s.ID, t)
}

// chat adds the span of one request to a model, the n-th turn of a conversation, with its
// usage and, where texts are sent, its messages.
func (w *spans) chat(parent string, t *transcript.Talk, n int, system string, news []part) {
	turn := t.Turns[n]
	r := turn.Reply
	took := time.Duration(r.Seconds * float64(time.Second))
	s := span{Trace: w.trace, ID: w.id("chat", t.Agent, fmt.Sprint(n)), Parent: parent, Name: "chat " + w.model,
		Kind:  client,
		Start: nanos(turn.At.Add(-took)), End: nanos(turn.At)}
	a := &s.Attributes
	a.text("gen_ai.operation.name", "chat")
	a.text("gen_ai.provider.name", provider(w.model))
	a.text("gen_ai.request.model", w.model)
	a.text("gen_ai.response.model", r.Reply.Served)
	if f := r.Reply.Finish; f != model.FinishUnknown {
		a.texts("gen_ai.response.finish_reasons", string(f))
	}
	if r.Reply.Usage.Known {
		w.usage(a, r.Reply.Usage)
	}
	if r.CostUSD != nil {
		a.float("cookoff.cost_usd", *r.CostUSD)
	}
	a.number("cookoff.step", turn.Step)
	if turn.Retries > 0 {
		a.number("cookoff.retries", turn.Retries)
	}
	if w.Contents {
		if system != "" {
			a.text("gen_ai.system_instructions", encoded([]map[string]string{{"type": "text", "content": system}}))
		}
		a.text("gen_ai.input.messages", encoded(inputs(news)))
		a.text("gen_ai.output.messages", encoded(outputs(turn)))
	}
	w.all = append(w.all, s)
}

// tool adds the span of a call and gives its id.
func (w *spans) tool(parent string, t *transcript.Talk, n, call int) string {
	c := t.Turns[n].Calls[call]
	end := c.Ended
	if c.Result != nil {
		end = c.Started.Add(c.Took())
	} else if end.IsZero() {
		end = c.Started
	}
	s := span{Trace: w.trace, ID: w.id("tool", t.Agent, fmt.Sprint(n, call)), Parent: parent,
		Name: "execute_tool " + c.Name, Kind: internal,
		Start: nanos(c.Started), End: nanos(end)}
	a := &s.Attributes
	a.text("gen_ai.operation.name", "execute_tool")
	a.text("gen_ai.tool.name", c.Name)
	a.text("gen_ai.tool.call.id", c.ID)
	a.text("gen_ai.tool.type", "function")
	if c.Result == nil || c.Result.Failed {
		a.text("error.type", "tool_error")
		s.Status = &status{Code: 2}
	}
	if w.Contents {
		a.text("gen_ai.tool.call.arguments", string(c.Arguments()))
		if c.Result != nil {
			a.text("gen_ai.tool.call.result", c.Result.Text)
		}
	}
	w.all = append(w.all, s)
	return s.ID
}

func (w *spans) usage(a *attributes, u model.Usage) {
	a.number("gen_ai.usage.input_tokens", u.Input)
	a.number("gen_ai.usage.output_tokens", u.Output)
	if u.Cached > 0 {
		a.number("gen_ai.usage.cache_read.input_tokens", u.Cached)
	}
	if u.Reasoning > 0 {
		a.number("gen_ai.usage.reasoning.output_tokens", u.Reasoning)
	}
}

// part is who said what.
type part struct{ role, text string }

func inputs(parts []part) []map[string]any {
	out := []map[string]any{}
	for _, p := range parts {
		kind, key := "text", "content"
		if p.role == "tool" {
			kind, key = "tool_call_response", "response"
		}
		out = append(out, map[string]any{"role": p.role, "parts": []map[string]any{{"type": kind, key: p.text}}})
	}
	return out
}

func outputs(t transcript.Turn) []map[string]any {
	parts := []map[string]any{}
	if r := t.Reply.Reply.Message.Reasoning; r != "" {
		parts = append(parts, map[string]any{"type": "reasoning", "content": r})
	}
	if t.Text != "" {
		parts = append(parts, map[string]any{"type": "text", "content": t.Text})
	}
	for _, c := range t.Calls {
		parts = append(parts, map[string]any{"type": "tool_call", "id": c.ID, "name": c.Name,
			"arguments": c.Arguments()})
	}
	return []map[string]any{{"role": "assistant", "parts": parts, "finish_reason": string(t.Reply.Reply.Finish)}}
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil { // texts and objects that were decoded before
		panic(err)
	}
	return string(text)
}

func provider(name string) string {
	p, _, ok := strings.Cut(name, "/")
	if !ok {
		return ""
	}
	return p
}

func traceOf(run, id string) string { return identifier(16, "trace", run, id) }
func spanOf(run, id string) string  { return identifier(8, "span", run, id) }

func (t Telling) request(all ...span) Request {
	var a attributes
	for _, key := range sortedKeys(t.Resource) {
		a.text(key, t.Resource[key])
	}
	return Request{[]resourceSpans{{resource{a}, []scopeSpans{{scope{"cookoff", t.Version}, all, schema}}, schema}}}
}
