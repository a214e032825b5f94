package loop

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/runner/v1"
	"cookoff/trial"
)

// manner is how a model is asked.
type manner struct {
	*base
	traits model.Traits
}

// toolFormat is how tools are offered to a model: as its profile says, else as its
// endpoint is known for, else as it was found out, else natively. chosen is
// false where it may still be found out.
func (m *manner) toolFormat() (format string, chosen bool) {
	if baseline.Is(m.id) {
		return formatNative, true
	}
	if f := m.Recipe.ModelProfiles[v1.ProfileOf(m.Recipe, m.id)].ToolFormat; f != "" {
		return f, true
	}
	if f := m.traits.ToolFormat; f != "" {
		return f, true
	}
	m.Habits.at(m.id, func(h *habit) { format = h.format })
	return cmp.Or(format, formatNative), false
}

// taken are the recipe's parameters, but for those that the model does not take.
func (m *manner) taken() model.Params {
	p := m.Recipe.ModelParams
	out := model.Params{
		Temperature: p.Temperature, TopP: p.TopP, MaxTokens: p.MaxTokens, Seed: p.Seed,
		ReasoningEffort: p.ReasoningEffort, ParallelToolCalls: p.ParallelToolCalls,
	}
	out, _ = out.Without(m.traits.Omit...)
	m.Habits.at(m.id, func(h *habit) { out = h.taken(out) })
	return out
}

// params are those of a trial: each repeat has a seed of its own, the recipe's
// and one more each time.
func (m *manner) params() model.Params {
	out := m.taken()
	if out.Seed != nil && m.Trial.N > 1 {
		out.Seed = new(*out.Seed + int64(m.Trial.N-1))
	}
	return out
}

// omitted names the recipe's parameters that a model is not sent.
func (m *manner) omitted() []string {
	if baseline.Is(m.id) {
		return nil
	}
	p := m.Recipe.ModelParams
	all := model.Params{Temperature: p.Temperature, TopP: p.TopP, MaxTokens: p.MaxTokens, Seed: p.Seed,
		ReasoningEffort: p.ReasoningEffort, ParallelToolCalls: p.ParallelToolCalls}
	sent := m.taken()
	return slices.DeleteFunc(model.ParamNames(), func(name string) bool {
		_, had := all.Without(name)
		_, has := sent.Without(name)
		return !had || has
	})
}

// caveat keeps something that has to be known of the trial's numbers.
func (b *base) caveat(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if b.depth > 0 {
		text = "sub-agents: " + text
	}
	if !slices.Contains(b.Outcome.Caveats, text) {
		b.Outcome.Caveats = append(b.Outcome.Caveats, text)
	}
}

// caveats says in what a loop differs from what the recipe says of it.
func (r *requests) caveats() {
	if names := r.omitted(); len(names) > 0 {
		r.caveat(caveatOmitted, strings.Join(names, ", "))
	}
	if _, chosen := r.toolFormat(); !chosen && r.format == formatText {
		r.caveat(caveatText)
	}
}

const (
	caveatOmitted = "asked without %s, which its endpoint does not take"
	caveatText    = "told of its tools in the prompt: its endpoint takes none"
)

// adapt answers an endpoint that does not take a parameter: it is left out, for
// the rest of the run. It reports whether the request can be made again.
func (r *requests) adapt(a *asking, e *model.UnsupportedError) bool {
	params, had := a.req.Params.Without(e.What)
	if !had {
		return false
	}
	if e.What == "max_tokens" && (r.Claim != nil || r.Recipe.Constraints.MaxCost > 0) {
		return false // the limit of what it may cost rests on it
	}
	what := omission(a.req.Params, e)
	r.Habits.at(r.id, func(h *habit) {
		if !slices.Contains(h.omit, what) {
			h.omit = append(h.omit, what)
		}
	})
	a.req.Params = params
	r.adapted(e, what, "%s is asked without %s from now on, in every trial of this run: %v", r.id, what, e.Err)
	r.caveats()
	return true
}

// adapted notes what was learned of a model.
func (r *requests) adapted(e *model.UnsupportedError, what, format string, args ...any) {
	r.Record.Emit(trial.Event{Kind: trial.Note,
		Note: &trial.NoteText{Kind: "adapted", Text: fmt.Sprintf(format, args...),
			Failure: &trial.Failure{Kind: trial.FailedUnsupported, Model: r.id, What: what}}})
}

// withoutTools begins the conversation anew with the tools in the prompt, where
// the endpoint takes none and nothing was said yet. It reports whether it did.
// What the model was is then the same for each of its trials: once a request
// with tools was answered in a run, nothing is changed any more.
func (r *requests) withoutTools(err error) bool {
	var e *model.UnsupportedError
	if !errors.As(err, &e) || e.What != model.Tools || r.format == formatText || r.called() {
		return false
	}
	if _, chosen := r.toolFormat(); chosen {
		return false
	}
	learned := false
	r.Habits.at(r.id, func(h *habit) {
		if learned = !h.native; learned {
			h.format = formatText
		}
	})
	if !learned {
		return false
	}
	r.format, r.specs = formatText, 0
	r.setHead(r.plain)
	r.sent, r.wire = 0, &model.Wire{}
	r.adapted(e, e.What, "%s is told of its tools in the prompt from now on, in every trial of this run: %v", r.id,
		e.Err)
	r.caveats()
	return true
}

// called reports whether the conversation holds a call, or the result of one.
func (c *conversation) called() bool {
	return slices.ContainsFunc(c.messages, func(m model.Message) bool {
		return m.Role == model.ToolRole ||
			len(m.Calls) > 0
	})
}

// tooled notes that a request with tools was answered.
func (r *requests) tooled(req *model.Request) {
	if len(req.Tools) > 0 {
		r.Habits.at(r.id, func(h *habit) { h.native = true })
	}
}

// lost counts a reply that broke off. The provider may ask for it, and says
// nowhere how much; what was sent and what had arrived is the least.
func (b *base) lost(a asking, arrived int) (usd float64) {
	b.Outcome.Counters.Lost++
	usd, ok := b.cost(model.Usage{Input: a.input, Output: arrived / v1.TokenBytes, Known: true})
	if !ok {
		return 0
	}
	b.Outcome.LostUSD += usd
	b.guessed += usd
	return usd
}

// untaken is how an endpoint that takes no tools ends a trial.
func untaken(e *model.UnsupportedError) error {
	if e.What != model.Tools {
		return e
	}
	return fmt.Errorf("%w (tool_format: text_in_prompt in ## Model Profiles puts the tools into the prompt)", e)
}
