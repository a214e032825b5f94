package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/record"
	"cookoff/runner/toolset"
	"cookoff/runner/v1"
	"cookoff/tools"
	"cookoff/trial"
)

// namedHook is a hook of the recipe.
type namedHook struct {
	name, matcher string
	point         hooks.Point
	hook          hooks.Hook
}

// ask gives the event to every hook of its point, in recipe order: the first
// that denies or halts decides, rewrites and contexts add up.
func (l *loop) ask(ctx context.Context, e hooks.Event) (hooks.Decision, error) {
	e.Sandbox, e.Agent = l.sb, l.rec.Agent
	sum := hooks.Decision{Allow: true}
	for _, h := range l.r.hooks {
		if h.point != e.Point || !e.Matches(h.matcher) {
			continue
		}
		d, err := h.hook.Decide(ctx, e)
		d.Reason, d.Context = tools.Clean([]byte(d.Reason)), tools.Clean([]byte(d.Context)) // what a command wrote
		if err == nil {
			d = l.rec.Redo.DecidedBefore(e, h.name, d)
		}
		decided := &trial.Hook{Name: h.name, Point: string(e.Point), Decision: record.DecisionWord(d), Reason: d.Reason, Context: d.Context, Args: d.Args}
		if err != nil {
			decided.Decision, decided.Reason = "error", tools.Clean([]byte(err.Error()))
		}
		l.rec.Emit(trial.Event{Kind: trial.HookDecided, Hook: decided})
		if err != nil {
			return hooks.Decision{}, &hookError{h.name, err}
		}
		if d.Args != nil {
			e.Args, sum.Args = d.Args, d.Args
		}
		sum.Context = joinNonEmpty(sum.Context, d.Context, "\n")
		if d.Halt || !d.Allow {
			sum.Halt, sum.Allow, sum.Reason = d.Halt, false, d.Reason
			break
		}
	}
	if !sum.Allow && !sum.Halt {
		l.out.Counters.Denied++
	}
	return sum, l.rec.Err()
}

// hookError is a hook that could not decide: it denies, and the trial is void.
type hookError struct {
	name string
	err  error
}

func (e *hookError) Error() string {
	return fmt.Sprintf("hook %q: %s", e.name, tools.Clean([]byte(e.err.Error())))
}

// begin asks about the session and the task's prompt. A hook that denies either
// ends the trial before a model is called.
func (l *loop) begin(ctx context.Context, resumed bool) error {
	for _, e := range []hooks.Event{{Point: hooks.SessionStart, Resumed: resumed}, {Point: hooks.PrePrompt, Prompt: l.task}} {
		d, err := l.ask(ctx, e)
		if err != nil {
			return err
		}
		l.mention("hook-context", d.Context)
		if !d.Allow {
			return &errStop{trial.StopHalted, d.Reason}
		}
	}
	return nil
}

// accepted asks about a reply. One that is sent back is as if it had called
// nothing: each of its calls is answered with the reason.
func (l *loop) accepted(ctx context.Context, reply *model.Reply, calls []model.Call) (bool, error) {
	e := hooks.Event{Point: hooks.PostResponse, Said: reply.Message.Content}
	for _, c := range calls {
		e.Calls = append(e.Calls, hooks.Call{Name: l.set.Called(c.Name), Args: compact(c.Arguments)})
	}
	d, err := l.ask(ctx, e)
	if err != nil {
		return false, err
	}
	switch {
	case d.Halt:
		for _, c := range calls {
			l.turnDown(c, v1.Halted)
		}
		return false, &errStop{trial.StopHalted, d.Reason}
	case d.Allow:
		l.mention("hook-context", d.Context)
		return true, nil
	}
	for _, c := range calls {
		l.turnDown(c, fmt.Sprintf(v1.Denied, d.Reason))
	}
	if len(calls) == 0 {
		l.say(fmt.Sprintf(v1.SentBack, d.Reason))
	}
	l.mention("hook-context", d.Context)
	if l.sentBack++; l.sentBack >= v1.MaxSentBack {
		return false, &errStop{trial.StopHalted, fmt.Sprintf("%d replies in a row were sent back, the last one: %s", l.sentBack, d.Reason)}
	}
	return false, nil
}

// turnDown answers a call that is not made.
func (l *loop) turnDown(c model.Call, why string) {
	l.rec.Emit(trial.Event{Kind: trial.ToolCalled, Tool: &trial.Tool{CallID: c.ID, Name: c.Name, Args: compact(c.Arguments)}})
	l.refuse(c, why)
}

// finished asks whether a loop that has ended may rest. A model that is done
// can be sent back to work; after a limit there is nobody to send.
func (l *loop) finished(ctx context.Context, e hooks.Event, stop trial.Stop) (bool, error) {
	e.Said, e.Again = l.answered, l.again
	d, err := l.ask(ctx, e)
	switch {
	case err != nil:
		return true, err
	case d.Halt:
		return true, &errStop{trial.StopHalted, d.Reason}
	case d.Allow, stop != trial.StopDone:
		return true, nil
	}
	if l.sentBack++; l.sentBack >= v1.MaxSentBack {
		l.rec.Note("limit", fmt.Sprintf("sent back %d times in a row without a call of a tool: what was said last stands", l.sentBack))
		return true, l.rec.Err()
	}
	l.again, l.answered = true, ""
	l.say(fmt.Sprintf(v1.SentBack, d.Reason))
	l.mention("hook-context", d.Context)
	return false, nil
}

// hooks checks the hooks. One that could never be asked would let everything
// pass, so it is an error.
func (c *checker) hooks() {
	for i, h := range c.recipe.Hooks {
		key := fmt.Sprintf("hooks[%d]", i)
		reported := h.Event == "" && c.recipe.SectionsPresent != nil // where the recipe was read
		if !reported && !slices.Contains(hooks.Points(), h.Event) {
			c.unknown(key+".event", "event", h.Event, hooks.Points())
		}
		timeout, err := hookTimeout(h.Timeout)
		if err != nil {
			c.at(key+".timeout", "write it as 30s or 2m", "hook %q: timeout %q is no duration", h.Name, h.Timeout)
		}
		if strings.TrimSpace(h.Command) == "" {
			c.at(key, "add a line command: …", "hook %q has no command", h.Name)
		}
		c.runner.hooks = append(c.runner.hooks, namedHook{name: h.Name, matcher: h.Matcher, point: hooks.Point(h.Event),
			hook: hooks.NewCommand(hooks.CommandConfig{Name: h.Name, Command: h.Command, Timeout: timeout, InjectOutput: h.InjectOutput})})
	}
}

// matchers checks what hooks are asked about, once tools and modes are known.
func (c *checker) matchers() {
	for i, h := range c.recipe.Hooks {
		key, point := fmt.Sprintf("hooks[%d]", i), hooks.Point(h.Event)
		if h.InjectOutput && point == hooks.SessionEnd {
			c.at(key+".inject_output", "", "no model reads what is said at session_end")
		}
		if h.Matcher == "" || h.Matcher == "*" {
			continue
		}
		var names []string
		switch point.Matched() {
		case "":
			if slices.Contains(hooks.Points(), h.Event) {
				c.at(key+".matcher", "leave it out", "hook %q: %s has nothing for a matcher", h.Name, h.Event)
			}
			continue
		case "trigger":
			names = []string{triggerAuto, triggerManual}
		case "mode":
			for name := range c.recipe.SubAgentModes {
				names = append(names, name)
			}
		case "tool":
			names = c.toolNames()
		}
		slices.Sort(names)
		if !slices.ContainsFunc(names, func(n string) bool { return hooks.Match(h.Matcher, n) }) && !c.matchesServed(h) {
			hint := ""
			if n := recipe.Nearest(h.Matcher, names); n != "" {
				hint = fmt.Sprintf("did you mean %s?", n)
			}
			c.at(key+".matcher", hint, "hook %q is never asked: %q matches no %s; there are: %s", h.Name, h.Matcher, point.Matched(), cmp.Or(strings.Join(names, ", "), "none"))
		}
	}
}

// toolNames are all tools that a task of the recipe may offer, but for those
// of MCP servers.
func (c *checker) toolNames() []string {
	names := tools.Names()
	if c.runner.spawns(0) {
		names = append(names, toolset.Spawn)
	}
	for _, t := range c.runner.tasks {
		names = append(names, t.offer(c.recipe).Set(nil, 0).Names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// matchesServed reports whether a matcher may mean a tool of an MCP server:
// what those offer is known once they run.
func (c *checker) matchesServed(h recipe.HookConfig) bool {
	if hooks.Point(h.Event).Matched() != "tool" {
		return false
	}
	return slices.ContainsFunc(c.recipe.MCPServers, func(s recipe.MCPServerEntry) bool {
		return strings.Contains(h.Matcher, s.Name+".") || strings.ContainsAny(h.Matcher, "*?[")
	})
}

// hookTimeout reads a Go duration, or whole seconds; "" is the default.
func hookTimeout(s string) (time.Duration, error) {
	if s == "" {
		return v1.HookTimeout, nil
	}
	if n, err := strconv.Atoi(s); err == nil {
		return time.Duration(n) * time.Second, nil
	}
	return time.ParseDuration(s)
}

// joinStop gives the stop that an error carries in the place of stop.
func joinStop(stop trial.Stop, detail string, err error) (trial.Stop, string, error) {
	var ended *errStop
	if errors.As(err, &ended) {
		return ended.stop, ended.detail, nil
	}
	return stop, detail, err
}
