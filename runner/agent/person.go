package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/contestant/acp"
	"cookoff/runner/loop"
	"cookoff/trial"
)

// person is somebody before a screen who decides about what an agent asks for. The time
// that is waited for the answer is nobody's. The lock of the Contestant is around it.
type person struct {
	granted []string // tools, until the trial ends
	asked   int      // questions without an answer
	since   time.Time
	waited  time.Duration
}

// away is how long the person was waited for up to now.
func (p *person) away(now time.Time) time.Duration {
	if p.asked == 0 {
		return p.waited
	}
	return p.waited + now.Sub(p.since)
}

func (p *person) begin(now time.Time) {
	if p.asked++; p.asked == 1 {
		p.since = now
	}
}

func (p *person) end(now time.Time) {
	if p.asked--; p.asked == 0 {
		p.waited += now.Sub(p.since)
	}
}

// allow gives what decides about the agent's wishes until ctx ends; nil: it may do all,
// since the sandbox is around it.
func (c *Contestant) allow(ctx context.Context) func(acp.Wish) (acp.Choice, error) {
	if c.Approve == nil {
		return nil
	}
	return func(w acp.Wish) (acp.Choice, error) {
		a := loop.Approval{Trial: c.Trial, Tool: toolOf(w), Command: commandOf(w), Options: optionsOf(w)}
		c.mu.Lock()
		granted := slices.Contains(c.person.granted, a.Tool)
		if !granted {
			c.person.begin(c.Clock.Now())
		}
		c.mu.Unlock()
		if granted {
			return acp.Choice{Allow: true}, nil
		}
		back := c.seat.away()
		answer, err := c.Approve(ctx, a)
		back(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.person.end(c.Clock.Now())
		if ctx.Err() != nil {
			return acp.Choice{}, context.Cause(ctx)
		}
		choice := acp.Choice{Allow: c.answered(a, answer, err)}
		if i, ok := answer.Picked(a.Options); ok && err == nil {
			choice.Option = w.Options[i].ID
		}
		return choice, c.Record.Failed()
	}
}

// answered writes down what a person said. The lock is held.
func (c *Contestant) answered(a loop.Approval, answer loop.Answer, err error) bool {
	h := trial.Hook{Name: loop.ApprovalHook, Point: loop.ApprovalHook, Decision: "deny",
		Reason: fmt.Sprintf("its tool %s: %s", a.Tool, a.Command)}
	option, picked := answer.Picked(a.Options)
	switch {
	case err != nil:
		h.Reason = "nobody could be asked: " + err.Error()
	case answer == loop.Once, answer == loop.ThisTrial:
		h.Decision, h.Reason = "allow", fmt.Sprintf("%s: its tool %s: %s", answer, a.Tool, a.Command)
		h.WholeTrial = answer == loop.ThisTrial
	case picked:
		if a.Options[option].Allows {
			h.Decision = "allow"
		}
		h.Reason = fmt.Sprintf("%q: its tool %s: %s", a.Options[option].Name, a.Tool, a.Command)
	}
	c.Record.Emit(trial.Event{Kind: trial.HookDecided, Hook: &h})
	if answer == loop.ThisTrial && err == nil {
		c.person.granted = append(c.person.granted, a.Tool)
	}
	return h.Decision == "allow"
}

// errUnanswered ends the questions of an agent that is done.
var errUnanswered = errors.New("the agent is done")

// toolOf names the tool that is asked for.
func toolOf(w acp.Wish) string {
	for _, name := range []string{w.Call.Name, w.Call.Kind} {
		if name != "" {
			return short(name)
		}
	}
	return "of no name"
}

// What a person is shown of a wish at most, in bytes; and of how many answers, which keys have
// digits for.
const (
	maxCommand    = 1 << 10
	maxOptionName = 100
	maxOptions    = 9
)

// commandOf is what would be done: the command, where the call holds one, else its title
// and its arguments.
func commandOf(w acp.Wish) string {
	var args struct {
		Command any    `json:"command"`
		Cmd     string `json:"cmd"`
	}
	text := ""
	if json.Unmarshal(w.Call.Input, &args) == nil {
		switch v := args.Command.(type) {
		case string:
			text = v
		case []any:
			text = strings.Trim(fmt.Sprint(v), "[]")
		}
		if text == "" {
			text = args.Cmd
		}
	}
	if text == "" {
		text = strings.TrimSpace(w.Call.Title + " " + string(compact(w.Call.Input)))
	}
	return bounded(text, maxCommand)
}

// optionsOf are the answers that the agent offers, in its words.
func optionsOf(w acp.Wish) (out []loop.Option) {
	for _, o := range w.Options[:min(len(w.Options), maxOptions)] {
		out = append(out, loop.Option{Name: bounded(cmp.Or(o.Name, o.Kind), maxOptionName), Allows: o.Allows()})
	}
	return out
}

// bounded is a text of an agent with so many bytes at most.
func bounded(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
