package runner

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cookoff/model"
	"cookoff/runner/v1"
	"cookoff/trial"
)

// habits are what was learned of the models of a run, the same for all of its
// trials.
type habits struct {
	mu sync.Mutex
	of map[string]*habit
}

// habit is what was learned of one model.
type habit struct {
	format  string   // "": nothing
	omit    []string // parameters that it does not take
	longest int      // reply, in tokens
	native  bool     // a request with tools was answered: what a later one meets is a fault, no habit
}

func newHabits() *habits { return &habits{of: map[string]*habit{}} }

// at gives what was learned of a model to f.
func (h *habits) at(id string, f func(*habit)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of[id] == nil {
		h.of[id] = &habit{}
	}
	f(h.of[id])
}

// format is how tools are offered to a model: as its profile says, else as its
// endpoint is known for, else as it was found out, else natively. chosen is
// false where it may still be found out.
func (r *Runner) format(id string) (format string, chosen bool) {
	if r.models[id].baseline != "" {
		return formatNative, true
	}
	if f := r.recipe.ModelProfiles[profileOf(r.recipe, id)].ToolFormat; f != "" {
		return f, true
	}
	if f := model.TraitsOf(r.models[id].chat).ToolFormat; f != "" {
		return f, true
	}
	r.habits.at(id, func(h *habit) { format = h.format })
	return cmp.Or(format, formatNative), false
}

// params are the recipe's, but for those that a model does not take.
func (r *Runner) params(id string) model.Params {
	p := r.recipe.ModelParams
	out := model.Params{
		Temperature: p.Temperature, TopP: p.TopP, MaxTokens: p.MaxTokens, Seed: p.Seed,
		ReasoningEffort: p.ReasoningEffort, ParallelToolCalls: p.ParallelToolCalls,
	}
	omit := slices.Clone(model.TraitsOf(r.models[id].chat).Omit)
	r.habits.at(id, func(h *habit) { omit = append(omit, h.omit...) })
	out, _ = out.Without(omit...)
	return out
}

// params are those of a trial: each repeat has a seed of its own, the recipe's
// and one more each time.
func (l *loop) params() model.Params {
	out := l.r.params(l.id)
	if out.Seed != nil && l.plan.N > 1 {
		out.Seed = new(*out.Seed + int64(l.plan.N-1))
	}
	return out
}

// omitted names the recipe's parameters that a model is not sent.
func (r *Runner) omitted(id string) []string {
	if r.models[id].baseline != "" {
		return nil
	}
	p := r.recipe.ModelParams
	all := model.Params{Temperature: p.Temperature, TopP: p.TopP, MaxTokens: p.MaxTokens, Seed: p.Seed, ReasoningEffort: p.ReasoningEffort, ParallelToolCalls: p.ParallelToolCalls}
	sent := r.params(id)
	return slices.DeleteFunc(model.ParamNames(), func(name string) bool {
		_, had := all.Without(name)
		_, has := sent.Without(name)
		return !had || has
	})
}

// caveat keeps something that has to be known of the trial's numbers.
func (l *loop) caveat(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if l.depth > 0 {
		text = "sub-agents: " + text
	}
	if !slices.Contains(l.out.Caveats, text) {
		l.out.Caveats = append(l.out.Caveats, text)
	}
}

// caveats says in what a loop differs from what the recipe says of it.
func (l *loop) caveats() {
	if names := l.r.omitted(l.id); len(names) > 0 {
		l.caveat(caveatOmitted, strings.Join(names, ", "))
	}
	if _, chosen := l.r.format(l.id); !chosen && l.format == formatText {
		l.caveat(caveatText)
	}
}

const (
	caveatOmitted = "asked without %s, which its endpoint does not take"
	caveatText    = "told of its tools in the prompt: its endpoint takes none"
)

// adapt answers an endpoint that does not take a parameter: it is left out, for
// the rest of the run. It reports whether the request can be made again.
func (l *loop) adapt(a *asking, e *model.UnsupportedError) bool {
	params, had := a.req.Params.Without(e.What)
	if !had {
		return false
	}
	if e.What == "max_tokens" && (l.claim != nil || l.r.recipe.Constraints.MaxCost > 0) {
		return false // the limit of what it may cost rests on it
	}
	fresh := false
	l.r.habits.at(l.id, func(h *habit) {
		if fresh = !slices.Contains(h.omit, e.What); fresh {
			h.omit = append(h.omit, e.What)
		}
	})
	a.req.Params = params
	l.adapted(e, "%s is asked without %s from now on, in every trial of this run: %v", l.id, e.What, e.Err)
	l.caveats()
	return true
}

// adapted notes what was learned of a model.
func (l *loop) adapted(e *model.UnsupportedError, format string, args ...any) {
	l.rec.Emit(trial.Event{Kind: trial.Note, Note: &trial.NoteText{Kind: "adapted", Text: fmt.Sprintf(format, args...),
		Failure: &trial.Failure{Kind: trial.FailedUnsupported, Model: l.id, What: e.What}}})
}

// learned takes what an earlier part of the run learned of a model.
func (h *habits) learned(f *trial.Failure) {
	h.at(f.Model, func(h *habit) {
		if f.What == model.Tools {
			h.format = formatText
		} else if !slices.Contains(h.omit, f.What) {
			h.omit = append(h.omit, f.What)
		}
	})
}

// withoutTools begins the conversation anew with the tools in the prompt, where
// the endpoint takes none and nothing was said yet. It reports whether it did.
// What the model was is then the same for each of its trials: once a request
// with tools was answered in a run, nothing is changed any more.
func (l *loop) withoutTools(err error) bool {
	var e *model.UnsupportedError
	if !errors.As(err, &e) || e.What != model.Tools || l.format == formatText || l.called() {
		return false
	}
	if _, chosen := l.r.format(l.id); chosen {
		return false
	}
	learned := false
	l.r.habits.at(l.id, func(h *habit) {
		if learned = !h.native; learned {
			h.format = formatText
		}
	})
	if !learned {
		return false
	}
	l.format, l.specs = formatText, 0
	l.setHead(l.base)
	l.sent, l.wire = 0, &model.Wire{}
	l.adapted(e, "%s is told of its tools in the prompt from now on, in every trial of this run: %v", l.id, e.Err)
	l.caveats()
	return true
}

// called reports whether the conversation holds a call, or the result of one.
func (l *loop) called() bool {
	return slices.ContainsFunc(l.messages, func(m model.Message) bool { return m.Role == model.ToolRole || len(m.Calls) > 0 })
}

// tooled notes that a request with tools was answered.
func (l *loop) tooled(req *model.Request) {
	if len(req.Tools) > 0 {
		l.r.habits.at(l.id, func(h *habit) { h.native = true })
	}
}

// lost counts a reply that broke off. The provider may ask for it, and says
// nowhere how much; what was sent and what had arrived is the least.
func (l *loop) lost(a asking, arrived int) (usd float64) {
	l.out.Counters.Lost++
	usd, ok := l.r.cost(l.id, model.Usage{Input: a.input, Output: arrived / v1.TokenBytes, Known: true})
	if !ok {
		return 0
	}
	l.out.LostUSD += usd
	l.guessed += usd
	return usd
}

// untaken is how an endpoint that takes no tools ends a trial.
func untaken(e *model.UnsupportedError) error {
	if e.What != model.Tools {
		return e
	}
	return fmt.Errorf("%w (tool_format: text_in_prompt in ## Model Profiles puts the tools into the prompt)", e)
}
