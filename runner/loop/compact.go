package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/model/baseline"
	"cookoff/runner/v1"
	"cookoff/trial"
)

// makeRoom keeps the conversation as short as the recipe wants it before a
// request: turns beyond max_history_turns are left out, and at the threshold
// what was said becomes a summary. Baselines read nothing but the
// conversation, so theirs stays whole.
func (l *Loop) makeRoom(ctx context.Context) error {
	c := l.Recipe.Context
	if baseline.Is(l.id) {
		return nil
	}
	if c.MaxHistoryTurns > 0 {
		if n := l.trim(c.MaxHistoryTurns); n > 0 {
			l.Record.Note("forgotten", fmt.Sprintf("%d messages fell out of the history of %d turns", n,
				c.MaxHistoryTurns))
		}
	}
	full := int(cmp.Or(c.CompactThreshold, v1.CompactThreshold) * float64(l.budget))
	if c.Strategy != v1.AutoCompact || l.estimate() < full || l.turns() == 0 {
		return l.Record.Err()
	}
	done, err := l.compact(ctx, v1.TriggerAuto)
	if err != nil || !done {
		return err
	}
	if n := l.estimate(); n >= full {
		return &errStop{trial.StopContextFull,
			fmt.Sprintf("about %d of %d tokens are full even with a summary in the place of what was said", n,
				l.budget)}
	}
	return nil
}

// next gets the next reply. A conversation that the provider finds too long is
// compacted where the recipe wants that, and sent once more.
func (l *Loop) next(ctx context.Context) (*model.Reply, error) {
	reply, err := l.requests.generate(ctx)
	if l.Recipe.Context.Strategy != v1.AutoCompact || l.turns() == 0 || !contextFull(err) {
		return reply, err
	}
	full := err
	switch done, err := l.compact(ctx, v1.TriggerAuto); {
	case err != nil:
		return nil, err
	case !done:
		return nil, full
	}
	return l.requests.generate(ctx)
}

func contextFull(err error) bool {
	var stop *errStop
	return errors.As(err, &stop) && stop.stop == trial.StopContextFull
}

// compact puts a summary that the model writes in the place of what was said.
// It is asked with no tools, and in one message, so that any model can be
// asked. Where the whole is too long for it, it gets the later half. done is
// false when a hook does not let it happen.
func (l *Loop) compact(ctx context.Context, trigger string) (done bool, err error) {
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
		l.Outcome.Counters.Compactions++
		l.Record.Note("compacted", fmt.Sprintf("%d messages of about %d tokens became a summary; "+
			"what is sent now has about %d", n, before, l.estimate()))
		return true, l.Record.Err()
	}
}

// summary asks for a summary of the last turns, with what a hook adds to the
// question.
func (l *Loop) summary(ctx context.Context, turns int, more string) (*model.Reply, error) {
	prompt := joinNonEmpty(cmp.Or(l.Recipe.SummarizationPrompt, v1.Summarize), more, "\n\n")
	ask := model.Message{Role: model.User, Content: prompt + "\n\n" + tagged("conversation", "", l.transcript(turns))}
	if err := l.affordable(size(ask) / v1.TokenBytes); err != nil {
		return nil, err
	}
	return l.requests.exchange(ctx, asking{
		req:    &model.Request{Messages: []model.Message{ask}, Params: l.requests.params()},
		called: &trial.Called{New: []model.Message{ask}},
		input:  size(ask) / v1.TokenBytes,
	})
}

// restart begins the conversation anew: the system message, the task, and the
// summary.
func (h *History) restart(summary string) {
	*h = History{head: h.head, task: h.task, specs: h.specs, wire: &model.Wire{}}
	h.push(h.head)
	h.prompt(h.task)
	h.push(model.Message{Role: model.User, Content: v1.Summary + "\n" + tagged("summary", "", summary)})
}

// turns is how many replies the conversation holds.
func (h *History) turns() (n int) {
	for i := range h.messages {
		if h.messages[i].Role == model.Assistant {
			n++
		}
	}
	return n
}

// transcript writes the conversation as one text: the task, and its last turns.
func (h *History) transcript(turns int) string {
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
