package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner/lend"
	"cookoff/runner/resolve"
	"cookoff/runner/toolset"
	v1 "cookoff/runner/v1"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
	"cookoff/tools/mcp"
	"cookoff/trial"
)

// servers are the MCP servers of a run.
type servers struct {
	*resolve.Values
	Providers
	lists map[string]*mcp.List // what they offer, by name; nil: they were not asked
}

// asked asks every MCP server what it offers, in the world of the first task that is
// fit to be run. What it says then holds for every trial.
func (s servers) asked(ctx context.Context, w *worlds.Worlds, excluded map[string]trial.Exclude) (servers, error) {
	s.lists = map[string]*mcp.List{}
	for _, server := range s.Servers {
		for _, name := range s.Order {
			who := s.wanting(server.Name, s.TaskOf[name])
			if _, out := excluded[name]; out || len(who) == 0 {
				continue
			}
			l, err := s.offered(ctx, w, s.TaskOf[name], server, who)
			if err != nil {
				return s, err
			}
			s.lists[server.Name] = l
			break
		}
	}
	if ps := s.missing(excluded); len(ps) > 0 {
		return s, ps
	}
	return s, nil
}

// wanting names the contestants that are offered something of a server in a task: one of
// those that are given the same files.
func (s *servers) wanting(server string, t *resolve.Task) (out []string) {
	sums := map[string]bool{}
	for _, name := range s.Recipe.Names() {
		own := s.OwnOf(name)
		if slices.Contains(own.Servers, server) && own.Task(t).Offer(own.Recipe).Uses(server) && !sums[own.Sum] {
			sums[own.Sum] = true
			out = append(out, name)
		}
	}
	return out
}

// offered asks a server what it offers, in the worlds of several contestants: it may lie in
// what they are given, and has to offer all of them the same.
func (s *servers) offered(ctx context.Context, w *worlds.Worlds, t *resolve.Task, server mcp.Server,
	who []string) (first *mcp.List, err error) {
	for _, name := range who {
		l, err := s.probe(ctx, w, t, server, s.OwnOf(name).Files)
		switch {
		case err != nil:
			return nil, err
		case first == nil:
			first = l
		case l.Digest != first.Digest:
			return nil, problem.List{{Pos: s.Recipe.At(s.Recipe.ContestantKey(name)), Msg: fmt.Sprintf(
				"the MCP server %q offers %q other tools than %q, by the files that they are given",
				server.Name, name, who[0]), Hint: "give it a name of its own"}}
		}
	}
	return first, nil
}

// probe starts a server in a world of a task, as it is after staging, with files that are
// given.
func (s *servers) probe(ctx context.Context, w *worlds.Worlds, t *resolve.Task, server mcp.Server,
	files []sandbox.Item) (*mcp.List, error) {
	sb, err := w.Open(ctx, t, nil, sandbox.Agent)
	if err != nil {
		return nil, err
	}
	defer sb.Close()
	if _, err := t.Checks.Stage(ctx, sb); err != nil {
		return nil, err
	}
	if _, err := lend.Give(ctx, sb, files); err != nil { // the world ends here: nothing is taken back
		return nil, err
	}
	return mcp.Probe(ctx, sb, s.proxied(server, Asker{Server: server.Name}))
}

// proxied gives a server with what stands before it.
func (s *servers) proxied(to mcp.Server, who Asker) mcp.Server {
	if to.URL == "" || s.Served == nil {
		return to
	}
	to.Offline = s.Offline
	to.Middleware = func(next mcp.Round) mcp.Round { return s.Served(who, next) }
	return to
}

// missing tells of tools that a recipe offers and no server has.
func (s *servers) missing(excluded map[string]trial.Exclude) (ps problem.List) {
	look := func(key func(i int) string, names []string) {
		for i, name := range names {
			server, tool, _ := strings.Cut(name, ".")
			l := s.lists[server]
			if l == nil || tool == "*" || slices.ContainsFunc(l.Tools,
				func(t mcp.Tool) bool { return toolset.Means(name, t.FullName()) }) {
				continue
			}
			var have []string
			for _, t := range l.Tools {
				have = append(have, t.FullName())
			}
			ps = append(ps, problem.Problem{Pos: s.Recipe.At(key(i)),
				Msg: fmt.Sprintf("unknown tool %q; the server offers: %s", name, strings.Join(have, ", "))})
		}
	}
	if s.Recipe.Tools != nil {
		look(func(i int) string { return fmt.Sprintf("tools.allowlist[%d]", i) }, s.Recipe.Tools.Allowlist)
	}
	for _, c := range s.Recipe.Contestants {
		for _, list := range []struct {
			key   string
			items []string
		}{{"tools", c.Tools}, {"add_tools", c.AddTools}} {
			look(func(int) string { return s.Recipe.ContestantKey(c.Name) + "." + list.key },
				recipe.ToolItems(list.items).Allowlist)
		}
	}
	for _, name := range s.Order {
		if _, out := excluded[name]; !out {
			look(func(int) string { return "tasks" }, s.TaskOf[name].Tools)
		}
	}
	return ps
}

// digests gives what the servers of a run offered, by name.
func (s *servers) digests() map[string]string {
	if len(s.lists) == 0 {
		return nil
	}
	out := map[string]string{}
	for name, l := range s.lists {
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
	for _, s := range a.r.Servers {
		if a.agent != nil { // it starts them itself
			break
		}
		if !slices.Contains(a.own.Servers, s.Name) || !a.t.Offer(a.own.Recipe).Uses(s.Name) {
			continue
		}
		s = a.r.servers.proxied(s, Asker{s.Name, a.plan, a.id.Attempt})
		l := a.r.servers.lists[s.Name]
		if l == nil { // a single trial, outside a run
			if l, err = mcp.Probe(ctx, sb, s); err != nil {
				return stop, err
			}
		}
		x, err := mcp.Open(ctx, sb, s, l, cmp.Or(a.r.Recipe.Constraints.BashTimeout, v1.BashTimeout))
		if err != nil {
			return stop, err
		}
		a.sessions = append(a.sessions, x)
	}
	return stop, nil
}
