package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"cookoff/recipe"
	"cookoff/runner/toolset"
	"cookoff/runner/v1"
	"cookoff/sandbox"
	"cookoff/tools"
	"cookoff/tools/mcp"
	"cookoff/trial"
)

// servers reads the MCP servers. One that is asked from the host reaches
// whatever the host does: that needs the user's word.
func (c *checker) servers() {
	for i, entry := range c.recipe.MCPServers {
		key := fmt.Sprintf("mcp_servers[%d]", i)
		s, err := mcp.ParseServer(entry.Name, entry.Command)
		if err != nil {
			msg, hint, _ := strings.Cut(err.Error(), "\nhint: ")
			c.at(key, hint, "%s", msg)
			continue
		}
		if s.URL != "" && !c.env.Offline && !slices.Contains(c.env.Allow, "network") {
			c.needs(key, fmt.Sprintf("the MCP server %q, which is asked from this machine,", s.Name), "host-mcp")
		}
		if slices.Contains(tools.Names(), s.Name) {
			c.at(key, "", "the MCP server %q has the name of a tool", s.Name)
		}
		c.runner.servers = append(c.runner.servers, s)
	}
}

// served reports whether name is a tool of an MCP server, as server.tool or
// server.*, and complains when there is no such server. Which tools there are
// is known once the server runs.
func (c *checker) served(key, name string) bool {
	server, _, ok := strings.Cut(name, ".")
	if !ok {
		return false
	}
	var names []string
	for _, s := range c.recipe.MCPServers {
		names = append(names, s.Name)
	}
	switch {
	case len(names) == 0:
		c.at(key, "add it to ## MCP Servers", "no MCP server is called %q", server)
	case !slices.Contains(names, server):
		c.unknown(key, "MCP server", server, names)
	}
	return true
}

// freeze asks every MCP server what it offers, in the world of the first task
// that is fit to be run. What it says then holds for every trial.
func (r *Runner) freeze(ctx context.Context, excluded map[string]trial.Exclude) (*Runner, error) {
	frozen := *r
	frozen.lists = map[string]*mcp.List{}
	for _, s := range r.servers {
		for _, name := range r.order {
			if _, out := excluded[name]; out || !r.tasks[name].offer(r.recipe).Uses(s.Name) {
				continue
			}
			l, err := r.probe(ctx, r.tasks[name], s)
			if err != nil {
				return nil, err
			}
			frozen.lists[s.Name] = l
			break
		}
	}
	if ps := frozen.missing(excluded); len(ps) > 0 {
		return nil, ps
	}
	return &frozen, nil
}

// probe starts a server in a world of a task, as it is after staging.
func (r *Runner) probe(ctx context.Context, t *task, s mcp.Server) (*mcp.List, error) {
	sb, err := r.open(ctx, t, nil, sandbox.Agent)
	if err != nil {
		return nil, err
	}
	defer sb.Close()
	if _, err := t.checks.Stage(ctx, sb); err != nil {
		return nil, err
	}
	return mcp.Probe(ctx, sb, r.via(s, Asker{Server: s.Name}))
}

// via gives a server with what stands before it.
func (r *Runner) via(s mcp.Server, who Asker) mcp.Server {
	if s.URL == "" || r.env.Served == nil {
		return s
	}
	s.Offline = r.env.Offline
	s.Via = func(next mcp.Round) mcp.Round { return r.env.Served(who, next) }
	return s
}

// missing tells of tools that a recipe offers and no server has.
func (r *Runner) missing(excluded map[string]trial.Exclude) (ps recipe.Problems) {
	look := func(key string, names []string) {
		for i, name := range names {
			server, tool, _ := strings.Cut(name, ".")
			l := r.lists[server]
			if l == nil || tool == "*" || slices.ContainsFunc(l.Tools, func(t mcp.Tool) bool { return toolset.Means(name, t.FullName()) }) {
				continue
			}
			var have []string
			for _, t := range l.Tools {
				have = append(have, t.FullName())
			}
			ps = append(ps, recipe.Problem{Pos: r.recipe.At(fmt.Sprintf(key, i)), Msg: fmt.Sprintf("unknown tool %q; the server offers: %s", name, strings.Join(have, ", "))})
		}
	}
	if r.recipe.Tools != nil {
		look("tools.allowlist[%d]", r.recipe.Tools.Allowlist)
	}
	for _, name := range r.order {
		if _, out := excluded[name]; !out {
			look("tasks", r.tasks[name].Tools)
		}
	}
	return ps
}

// digests gives what the servers of a run offered, by name.
func (r *Runner) digests() map[string]string {
	if len(r.lists) == 0 {
		return nil
	}
	out := map[string]string{}
	for name, l := range r.lists {
		out[name] = l.Digest
	}
	return out
}

// serve starts the MCP servers of a trial. stop ends them.
func (a *attempt) serve(ctx context.Context, sb sandbox.Sandbox) (stop func(), err error) {
	stop = func() {
		for _, x := range a.sessions {
			x.Close()
		}
	}
	for _, s := range a.r.servers {
		if !a.t.offer(a.r.recipe).Uses(s.Name) {
			continue
		}
		s = a.r.via(s, Asker{s.Name, a.plan, a.id.Attempt})
		l := a.r.lists[s.Name]
		if l == nil { // a single trial, outside a run
			if l, err = mcp.Probe(ctx, sb, s); err != nil {
				return stop, err
			}
		}
		x, err := mcp.Open(ctx, sb, s, l, cmp.Or(a.r.recipe.Constraints.BashTimeout, v1.BashTimeout))
		if err != nil {
			return stop, err
		}
		a.sessions = append(a.sessions, x)
	}
	return stop, nil
}
