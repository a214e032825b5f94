// Package toolset gives the tools that a task offers its models.
package toolset

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/v1"
	"cookoff/sandbox/gate"
	"cookoff/tools"
	"cookoff/tools/mcp"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
)

// Spawn is the tool that hands a piece of the task to a sub-agent.
const Spawn = "spawn_agent"

// Set is what a task offers every model.
type Set struct {
	Specs []model.ToolSpec
	Names []string
	Tools map[string]tools.Tool
	full  map[string]string // names on the wire of MCP tools: as recipes name them
}

// Offer is what a recipe offers in a task.
type Offer struct {
	Recipe  *recipe.Recipe
	Task    []string // the task's own list of tools; nil: the recipe's
	Repairs []*repair.Repair
	Probes  []*probe.Probe
	Without []string // tools of servers that are not offered all the same, as server.tool or server.*
}

// Set gives the tools; what web_fetch reaches, it reaches through g. Commands may
// take solution, where that is longer than the recipe allows: it is the oracle's,
// that runs the task's own.
func (o Offer) Set(g *gate.Gate, solution time.Duration) *Set {
	r := o.Recipe
	c := r.Constraints
	opt := tools.Options{BashTimeout: max(cmp.Or(c.BashTimeout, v1.BashTimeout), solution)}
	if r.Tools != nil {
		opt.BashPrefixes = r.Tools.BashPrefixes
	}
	if Fetches(r) {
		opt.Fetch = &tools.Fetch{Gate: g, Local: r.Sandbox.AllowLocalFetch}
	}
	offered := o.names()
	opt.Background = offered == nil || slices.Contains(offered, "bash_job")
	set := &Set{Tools: map[string]tools.Tool{}}
	for _, tool := range tools.Builtin(opt) {
		if offered == nil || slices.Contains(offered, tool.Spec().Name) {
			set.Add(Describe(r, tool.Spec()), tool)
		}
	}
	if offered != nil { // in the order the recipe names them
		slices.SortStableFunc(set.Specs, func(a, b model.ToolSpec) int {
			return slices.Index(offered, a.Name) - slices.Index(offered, b.Name)
		})
	}
	for _, p := range o.Probes {
		tool := p.Tool()
		set.Add(Describe(r, tool.Spec()), tool)
	}
	for _, rep := range o.Repairs {
		tool := rep.Tool(repair.ToolOptions{Classes: classes(r)})
		set.Add(Describe(r, tool.Spec()), tool)
	}
	for _, s := range set.Specs {
		set.Names = append(set.Names, s.Name)
	}
	return set
}

// Add offers a tool by the name that its specification has.
func (s *Set) Add(spec model.ToolSpec, tool tools.Tool) {
	s.Specs = append(s.Specs, spec)
	s.Tools[spec.Name] = tool
}

// Size is how many bytes of the tools a model reads.
func (s *Set) Size() int {
	n := 0
	for _, t := range s.Specs {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return n
}

// names gives the names of the built-in tools; nil: all.
func (o Offer) names() []string {
	switch {
	case o.Task != nil:
		return o.Task
	case o.Recipe.Tools != nil:
		return append([]string{}, o.Recipe.Tools.Allowlist...)
	}
	return nil
}

// Describe applies what the recipe says of a tool to its description.
func Describe(r *recipe.Recipe, s model.ToolSpec) model.ToolSpec {
	if d, ok := r.ToolDescriptions[s.Name]; ok {
		s.Description = d
	} else if r.Tools != nil && r.Tools.Guidance[s.Name] != "" {
		s.Description = r.Tools.Guidance[s.Name]
	}
	return s
}

// classes are the classes of repairs that may run in a trial.
func classes(r *recipe.Recipe) []string {
	if c := r.Constraints.AllowClasses; c != nil {
		return c
	}
	return []string{"safe"}
}

// Serves reports whether the task offers a tool of an MCP server.
func (o Offer) Serves(full string) bool {
	if slices.ContainsFunc(o.Without, func(name string) bool { return Means(name, full) }) {
		return false
	}
	offered := o.names()
	if offered == nil {
		return true
	}
	server, _, _ := strings.Cut(full, ".")
	return slices.ContainsFunc(offered, func(name string) bool {
		return strings.HasPrefix(name, server+".") && Means(name, full)
	})
}

// Means reports whether a name in a list of tools, or a glob, means a tool of a
// server, as server.tool.
func Means(name, full string) bool {
	if name == full {
		return true
	}
	ok, _ := path.Match(name, full)
	return ok
}

// Uses reports whether the task offers anything of a server.
func (o Offer) Uses(server string) bool {
	offered := o.names()
	if slices.Contains(o.Without, server+".*") {
		return false
	}
	return offered == nil || slices.ContainsFunc(offered,
		func(name string) bool { return strings.HasPrefix(name, server+".") })
}

// Inherit is what a sub-agent is offered of its parent's tools.
func (s *Set) Inherit(list string) *Set {
	out := *s
	out.Specs, out.Names, out.Tools = nil, nil, map[string]tools.Tool{}
	for _, spec := range s.Specs {
		if spec.Name == Spawn || !inherits(list, s.Called(spec.Name)) {
			continue
		}
		out.Add(spec, s.Tools[spec.Name])
		out.Names = append(out.Names, spec.Name)
	}
	return &out
}

func inherits(list, name string) bool {
	return list == "" || list == "inherit" || slices.ContainsFunc(strings.Split(list, ", "),
		func(p string) bool { return hooks.Match(p, name) })
}

// Serve adds the tools of the servers, under names that providers take.
func (s *Set) Serve(o Offer, sessions []*mcp.Session) error {
	s.full = map[string]string{}
	for _, x := range sessions {
		for _, tool := range x.Tools() {
			wire := tool.Spec().Name
			full := tool.FullName()
			if !o.Serves(full) {
				continue
			}
			if s.Tools[wire] != nil {
				return fmt.Errorf("two tools are called %q: %s", wire, full)
			}
			spec := tool.Spec()
			spec.Name = full
			spec = Describe(o.Recipe, spec)
			spec.Name = wire
			s.full[wire] = full
			s.Add(spec, tool)
			s.Names = append(s.Names, wire)
		}
	}
	return nil
}

// Called is how a recipe names a tool.
func (s *Set) Called(wire string) string {
	if full, ok := s.full[wire]; ok {
		return full
	}
	return wire
}

// Fetches reports whether web_fetch has anything to reach.
func Fetches(r *recipe.Recipe) bool {
	s := r.Sandbox
	return s.Network == "allow" || s.Network == "full" || s.AllowLocalFetch
}
