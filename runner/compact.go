package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/runner/v1"
	"cookoff/trial"
)

// Strategies that compact: at the threshold, and when a person says so.
const (
	autoCompact   = "auto_compact"
	manualCompact = "manual"
)

// What a compaction comes from, as hooks are told.
const (
	triggerAuto   = "auto"
	triggerManual = "manual"
)

// makeRoom keeps the conversation as short as the recipe wants it before a
// request: turns beyond max_history_turns are left out, and at the threshold
// what was said becomes a summary. Baselines read nothing but the
// conversation, so theirs stays whole.
func (l *loop) makeRoom(ctx context.Context) error {
	c := l.r.recipe.Context
	if l.r.models[l.id].baseline != "" {
		return nil
	}
	if c.MaxHistoryTurns > 0 {
		if n := l.trim(c.MaxHistoryTurns); n > 0 {
			l.rec.Note("forgotten", fmt.Sprintf("%d messages fell out of the history of %d turns", n, c.MaxHistoryTurns))
		}
	}
	full := int(cmp.Or(c.CompactThreshold, v1.CompactThreshold) * float64(l.budget))
	if c.Strategy != autoCompact || l.estimate() < full || l.turns() == 0 {
		return l.rec.Err()
	}
	done, err := l.compact(ctx, triggerAuto)
	if err != nil || !done {
		return err
	}
	if n := l.estimate(); n >= full {
		return &errStop{trial.StopContextFull, fmt.Sprintf("about %d of %d tokens are full even with a summary in the place of what was said", n, l.budget)}
	}
	return nil
}

// next gets the next reply. A conversation that the provider finds too long is
// compacted where the recipe wants that, and sent once more.
func (l *loop) next(ctx context.Context) (*model.Reply, error) {
	reply, err := l.generate(ctx)
	if l.r.recipe.Context.Strategy != autoCompact || l.turns() == 0 || !contextFull(err) {
		return reply, err
	}
	full := err
	switch done, err := l.compact(ctx, triggerAuto); {
	case err != nil:
		return nil, err
	case !done:
		return nil, full
	}
	return l.generate(ctx)
}

func contextFull(err error) bool {
	var stop *errStop
	return errors.As(err, &stop) && stop.stop == trial.StopContextFull
}

// compact puts a summary that the model writes in the place of what was said.
// It is asked with no tools, and in one message, so that any model can be
// asked. Where the whole is too long for it, it gets the later half. done is
// false when a hook does not let it happen.
func (l *loop) compact(ctx context.Context, trigger string) (done bool, err error) {
	d, err := l.ask(ctx, hooks.Event{Point: hooks.ContextCompact, Trigger: trigger})
	switch {
	case err != nil:
		return false, err
	case d.Halt:
		return false, &errStop{trial.StopHalted, d.Reason}
	case !d.Allow:
		return false, nil
	}
	before := l.estimate()
	for turns := l.turns(); ; turns /= 2 {
		reply, err := l.summary(ctx, turns, d.Context)
		if contextFull(err) && turns > 1 {
			continue
		}
		if err != nil {
			return false, err
		}
		text := strings.TrimSpace(reply.Message.Content)
		if text == "" {
			return false, &errStop{trial.StopContextFull, "the model gave no summary of what was said"}
		}
		n := len(l.messages)
		l.restart(text)
		l.out.Counters.Compactions++
		l.rec.Note("compacted", fmt.Sprintf("%d messages of about %d tokens became a summary; what is sent now has about %d", n, before, l.estimate()))
		return true, l.rec.Err()
	}
}

// summary asks for a summary of the last turns, with what a hook adds to the
// question.
func (l *loop) summary(ctx context.Context, turns int, more string) (*model.Reply, error) {
	prompt := joinNonEmpty(cmp.Or(l.r.recipe.SummarizationPrompt, v1.Summarize), more, "\n\n")
	ask := model.Message{Role: model.User, Content: prompt + "\n\n" + tagged("conversation", "", l.transcript(turns))}
	if err := l.affordable(size(ask) / v1.TokenBytes); err != nil {
		return nil, err
	}
	return l.exchange(ctx, asking{
		req:    &model.Request{Messages: []model.Message{ask}, Params: l.params()},
		called: &trial.Called{New: []model.Message{ask}},
		input:  size(ask) / v1.TokenBytes,
	})
}

// restart begins the conversation anew: the system message, the task, and the
// summary.
func (h *history) restart(summary string) {
	*h = history{head: h.head, task: h.task, specs: h.specs, wire: &model.Wire{}}
	h.push(h.head)
	h.prompt(h.task)
	h.push(model.Message{Role: model.User, Content: v1.Summary + "\n" + tagged("summary", "", summary)})
}

// turns is how many replies the conversation holds.
func (h *history) turns() (n int) {
	for i := range h.messages {
		if h.messages[i].Role == model.Assistant {
			n++
		}
	}
	return n
}

// transcript writes the conversation as one text: the task, and its last turns.
func (h *history) transcript(turns int) string {
	var b strings.Builder
	skip := h.turns() - turns
	for i, m := range h.messages {
		if m.Role == model.Assistant {
			skip--
		}
		if i == 0 {
			m.Content = strings.TrimPrefix(m.Content, h.head.Content)
		}
		if skip >= 0 && i > h.prompts[0] || m.Content == "" && len(m.Calls) == 0 {
			continue
		}
		switch {
		case m.Role == model.ToolRole:
			fmt.Fprintf(&b, "result of %s: ", m.Name)
		default:
			fmt.Fprintf(&b, "%s: ", m.Role)
		}
		b.WriteString(m.Content)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "\ncalls %s %s", c.Name, c.Arguments)
		}
		b.WriteString("\n\n")
	}
	return strings.TrimSpace(b.String())
}

// context checks how the conversation is to be kept.
func (c *checker) context() {
	x := c.recipe.Context
	if x.Strategy == manualCompact && c.env.Front == nil {
		c.warn("context.strategy", "write auto_compact to have it done at the threshold", "with strategy: manual a person compacts by hand; a run has none, so nothing is")
	}
	if x.Strategy != autoCompact && x.CompactThreshold != 0 {
		c.at("context.compact_threshold", "", "compact_threshold has no effect without strategy: auto_compact")
	}
	if x.Strategy != autoCompact && x.Strategy != manualCompact && c.recipe.SummarizationPrompt != "" {
		c.warn("context_summarization_prompt", "", "nothing is summarized without strategy: auto_compact or manual in Context")
	}
	if x.Strategy != autoCompact {
		return
	}
	for i, id := range c.recipe.Models {
		if c.recipe.ModelProfiles[profileOf(c.recipe, id)].ContextBudget == 0 && c.runner.models[id].baseline == "" {
			c.warn(fmt.Sprintf("models[%d]", i), "give it a context_budget in Model Profiles", "how much %s can read at once is not known; %d tokens are assumed", id, v1.AssumedBudget)
		}
	}
}
