package machine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cookoff/contestant/agents"
	"cookoff/internal/cli"
	"cookoff/internal/hint"
	"cookoff/internal/ui/text"
	"cookoff/runner/agent"
)

// lookAgents runs each agent that is installed once, by a model on this machine, and
// names those that are not.
func lookAgents(ctx context.Context, c *cli.Common) []finding {
	cfg, err := c.LoadConfig()
	if err != nil {
		return nil // it is said of the configuration
	}
	var out []finding
	var missing []string
	for _, a := range cfg.Agents() {
		found, err := cfg.Agent(ctx, a.Name)
		if _, ok := errors.AsType[*agents.MissingError](err); ok {
			missing = append(missing, a.Name)
			continue
		}
		f := finding{Kind: "agent", Name: a.Name, OK: err == nil}
		if err != nil {
			f.Detail = hint.Join(hint.Of(err))
		} else {
			f.Detail, f.OK = ranOnce(ctx, c, found)
		}
		out = append(out, f)
	}
	if len(missing) > 0 {
		out = append(out, finding{Kind: "agent", Name: "not there", OK: len(out) > 0,
			Detail: "not installed: " + strings.Join(missing, ", ") + "; cookoff agents says how to"})
	}
	return out
}

// ranOnce runs an agent without a key and without cost.
func ranOnce(ctx context.Context, c *cli.Common, a agents.Installed) (detail string, ok bool) {
	h, err := c.Host()
	if err != nil {
		return err.Error(), false
	}
	b, err := h.Backend(nil, "", nil)
	if err != nil {
		return "no sandbox to run it in: " + err.Error(), false
	}
	t, err := agent.Ping(ctx, b, a)
	if err != nil {
		return err.Error(), false
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s: asked its model %s, and came to its end",
		a.Found, a.Dir, text.Count(t.Calls+t.Helpers, "time"))), true
}
