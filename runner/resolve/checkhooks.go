package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/hooks"
	"cookoff/internal/nearest"
	"cookoff/recipe"
	"cookoff/runner/toolset"
	v1 "cookoff/runner/v1"
	"cookoff/tools"
)

// hookChecker checks the hooks.
type hookChecker struct{ *checker }

// all checks the hooks. One that could never be asked would let everything
// pass, so it is an error.
func (c *hookChecker) all() {
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
		c.out.Hooks = append(c.out.Hooks, hooks.Named{Name: h.Name, Matcher: h.Matcher, Point: hooks.Point(h.Event),
			Hook: hooks.NewCommand(hooks.CommandConfig{Name: h.Name, Command: h.Command, Timeout: timeout,
				InjectOutput: h.InjectOutput})})
	}
}

// matchers checks what hooks are asked about, once tools and modes are known.
func (c *hookChecker) matchers() {
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
			names = []string{v1.TriggerAuto, v1.TriggerManual}
		case "mode":
			for name := range c.recipe.SubAgentModes {
				names = append(names, name)
			}
		case "tool":
			names = c.toolNames()
		}
		slices.Sort(names)
		if !slices.ContainsFunc(names, func(n string) bool { return hooks.Match(h.Matcher, n) }) &&
			!c.matchesServed(h) {
			hint := ""
			if n := nearest.Name(h.Matcher, names); n != "" {
				hint = fmt.Sprintf("did you mean %s?", n)
			}
			c.at(key+".matcher", hint, "hook %q is never asked: %q matches no %s; there are: %s", h.Name, h.Matcher,
				point.Matched(), cmp.Or(strings.Join(names, ", "), "none"))
		}
	}
}

// toolNames are all tools that a task of the recipe may offer, but for those
// of MCP servers.
func (c *hookChecker) toolNames() []string {
	names := tools.Names()
	if c.recipe.SubAgent.MaxDepth > 0 {
		names = append(names, toolset.Spawn)
	}
	for _, t := range c.out.TaskOf {
		names = append(names, t.Offer(c.recipe).Set(nil, 0).Names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// matchesServed reports whether a matcher may mean a tool of an MCP server:
// what those offer is known once they run.
func (c *hookChecker) matchesServed(h recipe.HookConfig) bool {
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
