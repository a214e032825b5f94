package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/contestant/agents"
	"cookoff/internal/cli"
	"cookoff/internal/config"
	"cookoff/internal/hint"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/runner/agent"
)

// agentsInfo is the result of "agents"; keys of its JSON are only added.
type agentsInfo struct {
	Agents []agentInfo `json:"agents"`
	Pings  []agentPing `json:"pings,omitempty"`
}

type agentInfo struct {
	Agent     string `json:"agent"`
	Installed bool   `json:"installed"`
	Version   string `json:"version,omitempty"`
	About     string `json:"about,omitempty"`
	Protocol  string `json:"protocol"`
	Dialect   string `json:"dialect"`
	Package   string `json:"package,omitempty"` // where it was found
	Why       string `json:"why,omitempty"`     // it can't be run
	Install   string `json:"install,omitempty"` // the command
	Shipped   bool   `json:"shipped"`

	absent bool // it is not installed: its column says that
}

type agentPing struct {
	Agent string `json:"agent"`
	OK    bool   `json:"ok"`
	Calls int    `json:"calls"` // of its model, helper calls too
	Error string `json:"error,omitempty"`
}

func newAgents(c *cli.Common) *cobra.Command {
	var f agentsFlags
	cmd := &cobra.Command{
		Use:   "agents [AGENT...]",
		Short: "List the agent programs that can be contestants, and whether each is installed",
		Long: `Lists every agent program that is known: whether it is installed, which version,
and how to install it. Nothing is downloaded. Others go as [agents.NAME] into
cookoff.toml: docs/agents.md. A contestant is named agent: provider/model.

With --ping each agent named, else each that is installed, is run once in a
sandbox, by a model that is none and answers on this machine, without a key and
without cost. Exits 3 when one does not come to its end.`,
		Example: `  cookoff agents
  cookoff agents --ping
  cookoff agents --ping opencode
  cookoff run --models "opencode: openai/gpt-5-mini,openai/gpt-5-mini"`,
		Args: cli.Positional(0, -1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.names = args
			return f.run(cmd.Context(), c)
		},
	}
	cmd.Flags().StringVar(&f.format, "format", "table", "table or json")
	cmd.Flags().BoolVar(&f.ping, "ping", false, "run each once, by a model on this machine")
	return cmd
}

// agentsFlags are the flags of "agents".
type agentsFlags struct {
	format string // table or json
	ping   bool
	names  []string // none, or "all": all
}

// run lists the agents, or runs those of --ping.
func (f *agentsFlags) run(ctx context.Context, c *cli.Common) error {
	if err := cli.OneOf("format", f.format, "table", "json"); err != nil {
		return err
	}
	cfg, err := c.LoadConfig()
	if err != nil {
		return err
	}
	if f.names = slices.Compact(f.names); slices.Contains(f.names, "all") {
		f.names = nil
	}
	info := agentsInfo{}
	if info.Agents, err = listAgents(ctx, cfg, f.names); err != nil {
		return err
	}
	var broken []string
	if f.ping {
		if info.Pings, err = pingAgents(ctx, c, cfg, f.names); err != nil {
			return err
		}
		for _, p := range info.Pings {
			if !p.OK {
				broken = append(broken, p.Agent)
			}
		}
	}
	switch {
	case f.format == "json":
		err = c.PrintJSON(info)
	case !f.ping:
		err = printAgents(c, info.Agents)
	}
	if err == nil && len(broken) > 0 {
		err = cli.Fail(cli.ExitInfra, fmt.Errorf("not usable: %s", strings.Join(broken, ", ")))
	}
	return err
}

// listAgents looks for the agents of these names; for all, where there are none.
func listAgents(ctx context.Context, cfg *config.Config, names []string) ([]agentInfo, error) {
	all := map[string]agents.Agent{}
	for _, a := range cfg.Agents() {
		all[a.Name] = a
	}
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(all))
	}
	out := []agentInfo{}
	for _, name := range names {
		found, err := cfg.Agent(ctx, name)
		a, known := all[name]
		if !known {
			return nil, cli.Usage("%w", err)
		}
		i := agentInfo{Agent: a.Name, About: a.About, Protocol: a.Protocol, Dialect: a.Dialect, Shipped: a.Shipped}
		if i.Installed = err == nil; err == nil {
			i.Version, i.Package = found.Found, found.Dir
		} else {
			i.Why, i.Install = hint.Of(err)
			missing, ok := errors.AsType[*agents.MissingError](err)
			i.absent = ok && missing.Absent
		}
		out = append(out, i)
	}
	return out, nil
}

func printAgents(c *cli.Common, all []agentInfo) error {
	w := table.New(c.Out)
	w.Row("AGENT", "INSTALLED", "PROTOCOL", "DIALECT", "INSTALL")
	for _, a := range all {
		there := "no"
		if a.Installed {
			there = cmp.Or(a.Version, "yes")
		}
		w.Row(a.Agent, there, a.Protocol, a.Dialect, cmp.Or(a.Install, a.Package))
	}
	if err := w.Flush(); err != nil {
		return cli.Written(err)
	}
	for _, a := range all {
		if a.Why != "" && !a.absent {
			c.Say("%s", text.Lines(a.Why))
		}
	}
	c.Say("a contestant is named agent: provider/model, as in opencode: openai/gpt-5-mini\n" +
		"  hint: cookoff agents --ping AGENT runs one without a key; cookoff help docs/agents.md says more")
	return nil
}

// pingAgents runs agents, one after another: those of these names, else those that are
// installed.
func pingAgents(ctx context.Context, c *cli.Common, cfg *config.Config, names []string) ([]agentPing, error) {
	var all []agents.Installed
	every := len(names) == 0
	if every {
		for _, a := range cfg.Agents() {
			names = append(names, a.Name)
		}
	}
	for _, name := range names { // all names first
		found, err := cfg.Agent(ctx, name)
		if _, missing := errors.AsType[*agents.MissingError](err); missing && every {
			continue
		}
		if err != nil {
			return nil, cli.Usage("--ping: %w", err)
		}
		all = append(all, found)
	}
	if len(all) == 0 {
		return nil, cli.Usage("no agent is installed\n  hint: cookoff agents says how to install one")
	}
	h, err := c.Host()
	if err != nil {
		return nil, err
	}
	b, err := h.Backend(nil, "", nil)
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	out := []agentPing{}
	for _, a := range all {
		c.Say("running %s", a.Name)
		p := agentPing{Agent: a.Name}
		t, err := agent.Ping(ctx, b, a)
		if ctx.Err() != nil {
			return nil, cli.Fail(cli.ExitInterrupted, nil)
		}
		if p.Calls, p.OK = t.Calls+t.Helpers, err == nil; err != nil {
			p.Error = err.Error()
		}
		out = append(out, p)
		if err := printAgentPing(c, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func printAgentPing(c *cli.Common, p agentPing) error {
	if p.OK {
		c.Say("%s  %s: asked its model %s, and came to its end", c.Err.Paint(screen.Green, "ok"), p.Agent,
			text.Count(p.Calls, "time"))
		return nil
	}
	c.Say("%s  %s: %s", c.Err.Paint(screen.Red, "broken"), p.Agent, text.Lines(p.Error))
	return nil
}
