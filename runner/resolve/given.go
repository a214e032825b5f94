package resolve

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"cookoff/recipe"
	"cookoff/runner/project"
	"cookoff/runner/toolset"
	"cookoff/sandbox"
	"cookoff/tools"
	"cookoff/tools/mcp"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
)

// What is a contestant's own: the recipe as it holds for it, and what it is given.
type Own struct {
	Recipe  *recipe.Recipe
	Files   []sandbox.Item // put into its worlds
	Sum     string         // SHA-256 of Files; "": none
	Servers []string       // names of MCP servers

	config  *recipe.ContestantConfig // nil: all is as the recipe has it
	offer   bool                     // its tools are others than the recipe's
	repairs []*repair.Repair         // with offer
	probes  []*probe.Probe           // with offer
}

// Task gives a task as it is offered to the contestant.
func (o *Own) Task(t *Task) *Task {
	if o.config == nil || !o.offer {
		return t
	}
	own := *t
	own.Repairs, own.Probes = o.repairs, o.probes
	if t.Tools != nil {
		own.Repairs, own.Probes, _ = narrowed(t.Tools, o.repairs, o.probes)
		own.Tools = slices.DeleteFunc(slices.Clone(t.Tools),
			func(name string) bool { return !ofLibrary(name) && !o.offers(name) })
		if own.Tools == nil {
			own.Tools = []string{}
		}
	}
	own.without = o.dropped(true)
	return &own
}

// offers reports whether the contestant may have a tool that a task names.
func (o *Own) offers(name string) bool {
	if slices.Contains(o.config.DropTools, name) {
		return false
	}
	return o.config.Tools == nil || slices.ContainsFunc(o.Recipe.Tools.Allowlist,
		func(have string) bool { return toolset.Means(have, name) })
}

// dropped are the names that it is to go without: tools of servers, or all others.
func (o *Own) dropped(served bool) (out []string) {
	for _, name := range o.config.DropTools {
		if strings.Contains(name, ".") == served && !strings.Contains(name, "(") {
			out = append(out, name)
		}
	}
	return out
}

// owner makes what is a contestant's own.
type owner struct {
	*taskChecker
	key string
	c   *recipe.ContestantConfig
	out *Own
}

// contestants makes what is every contestant's own. What is wrong with one that was
// not chosen is nobody's trouble.
func (c *taskChecker) contestants() {
	c.out.Own = map[string]*Own{}
	base := &Own{Recipe: c.recipe}
	for _, s := range c.recipe.MCPServers {
		base.Servers = append(base.Servers, s.Name)
	}
	for _, name := range c.recipe.Models {
		c.out.Own[name] = base
	}
	c.out.base = base
	all := c.recipe.AllContestants()
	for i := range all {
		o := &owner{c, c.recipe.ContestantKey(all[i].Name), &all[i], &Own{config: &all[i]}}
		found := len(c.problems)
		o.make()
		if c.recipe.Named(all[i].Name) == nil {
			c.problems = c.problems[:found]
		}
		c.out.Own[all[i].Name] = o.out
	}
}

func (o *owner) make() {
	r := *o.recipe
	o.out.Recipe = &r
	if p := o.c.SystemPrompt; p != nil {
		r.SystemPrompt = *p
	}
	r.ModelParams = overParams(r.ModelParams, o.c.Params())
	o.servers(&r)
	o.tools(&r)
	items, errs := project.Given(&r, o.c)
	for i, err := range errs {
		if err != nil {
			o.at(fmt.Sprintf("%s.files[%d]", o.key, i), "", "%v", err)
		}
	}
	if o.out.Files = items; len(items) > 0 {
		o.out.Sum = project.GivenSum(items)
	}
	if r.Sandbox.Filesystem == "read_only" && slices.ContainsFunc(items,
		func(it sandbox.Item) bool { return !strings.HasPrefix(it.Path, "~/") }) {
		o.at(o.key+".files", "use filesystem: project_only, or put them below ~/",
			"filesystem: read_only: nothing in /work can be written, and contestant %q is given files there", o.c.Name)
	}
}

// overParams lays parameters over others.
func overParams(base, over recipe.ModelParamsConfig) recipe.ModelParamsConfig {
	if over.Temperature != nil {
		base.Temperature = over.Temperature
	}
	if over.TopP != nil {
		base.TopP = over.TopP
	}
	if over.MaxTokens != nil {
		base.MaxTokens = over.MaxTokens
	}
	if over.Seed != nil {
		base.Seed = over.Seed
	}
	if over.ReasoningEffort != "" {
		base.ReasoningEffort = over.ReasoningEffort
	}
	if over.ParallelToolCalls != nil {
		base.ParallelToolCalls = over.ParallelToolCalls
	}
	return base
}

// servers finds the MCP servers of a contestant: those of the recipe that it names, and
// its own.
func (o *owner) servers(r *recipe.Recipe) {
	if o.c.MCP == nil {
		for _, s := range r.MCPServers {
			o.out.Servers = append(o.out.Servers, s.Name)
		}
		return
	}
	var names []string
	for _, s := range r.MCPServers {
		names = append(names, s.Name)
	}
	var own []recipe.MCPServerEntry
	for i, item := range o.c.MCP {
		key := fmt.Sprintf("%s.mcp[%d]", o.key, i)
		if item == recipe.NoneOf {
			break
		}
		name, command, defined := strings.Cut(item, ":")
		name, command = strings.TrimSpace(name), strings.TrimSpace(command)
		switch at := slices.Index(names, name); {
		case slices.ContainsFunc(own, func(s recipe.MCPServerEntry) bool { return s.Name == name }):
			o.at(key, "", "the MCP server %q is listed twice", name)
			continue
		case !defined && at < 0 && len(names) == 0:
			o.at(key, "add it to ## MCP Servers, or write it as \"name: command\"", "no MCP server is called %q", name)
			continue
		case !defined && at < 0:
			o.unknown(key, "MCP server", name, names)
			continue
		case defined && at >= 0 && r.MCPServers[at].Command != command:
			o.at(key, "give it a name of its own", "the MCP server %q is another one in ## MCP Servers", name)
			continue
		case !defined:
			command = r.MCPServers[at].Command
		}
		own = append(own, recipe.MCPServerEntry{Name: name, Command: command})
		o.out.Servers = append(o.out.Servers, name)
		if defined {
			o.server(key, name, command)
		}
	}
	r.MCPServers = own
}

// server adds one of its own to those of the run.
func (o *owner) server(key, name, command string) {
	before := len(o.problems)
	s, ok := o.oneServer(key, name, command)
	if !ok || len(o.problems.Errors()) > before {
		return
	}
	i := slices.IndexFunc(o.taskChecker.out.Servers, func(other mcp.Server) bool { return other.Name == name })
	if i < 0 {
		o.taskChecker.out.Servers = append(o.taskChecker.out.Servers, s)
	} else if have := o.taskChecker.out.Servers[i]; have.Command != s.Command || have.URL != s.URL {
		o.at(key, "give it a name of its own", "another contestant has another MCP server of the name %q", name)
	}
}

// tools works out what the contestant is offered.
func (o *owner) tools(r *recipe.Recipe) {
	o.out.repairs, o.out.probes = o.offered, o.probed
	changed := len(o.c.Tools)+len(o.c.AddTools)+len(o.c.DropTools) > 0
	o.out.offer = changed
	own := r.Tools
	switch {
	case o.c.Tools != nil:
		own = recipe.ToolItems(o.c.Tools)
		o.known("tools", o.c.Tools, r)
		o.out.repairs, o.out.probes = o.selectRepairs(o.key+".tools", own.Repairs), o.selectProbes(o.key+".tools",
			own.Probes)
	case changed:
		own = o.everything(r)
		o.add(own, r)
		o.drop(own, r)
	}
	if o.c.MCP != nil && o.c.Tools == nil && own != nil { // what it is given it may use
		more := *own
		more.Allowlist = slices.Clone(own.Allowlist)
		for _, s := range o.out.Servers {
			if !slices.ContainsFunc(more.Allowlist, func(name string) bool { return strings.HasPrefix(name, s+".") }) {
				more.Allowlist = append(more.Allowlist, s+".*")
			}
		}
		own = &more
	}
	r.Tools = own
}

// everything gives the recipe's tools by their names, also where it lists none.
func (o *owner) everything(r *recipe.Recipe) *recipe.ToolsConfig {
	if r.Tools != nil {
		own := *r.Tools
		own.Allowlist, own.BashPrefixes = slices.Clone(own.Allowlist), slices.Clone(own.BashPrefixes)
		own.Guidance = map[string]string{}
		for name, text := range r.Tools.Guidance {
			own.Guidance[name] = text
		}
		return &own
	}
	own := &recipe.ToolsConfig{Allowlist: []string{}, Guidance: map[string]string{}}
	for _, name := range tools.Names() {
		if name != "web_fetch" || toolset.Fetches(r) {
			own.Allowlist = append(own.Allowlist, name)
		}
	}
	for _, s := range o.out.Servers {
		own.Allowlist = append(own.Allowlist, s+".*")
	}
	return own
}

// add lays what is added over the recipe's tools: a tool that is there gets the
// guidance and the patterns of the one that is added.
func (o *owner) add(own *recipe.ToolsConfig, r *recipe.Recipe) {
	more := recipe.ToolItems(o.c.AddTools)
	o.known("add_tools", o.c.AddTools, r)
	for _, name := range more.Allowlist {
		if !slices.Contains(own.Allowlist, name) {
			own.Allowlist = append(own.Allowlist, name)
		}
	}
	if slices.Contains(more.Allowlist, "bash") {
		own.BashPrefixes = more.BashPrefixes
	}
	for name, text := range more.Guidance {
		own.Guidance[name] = text
	}
	for _, rep := range o.selectRepairs(o.key+".add_tools", more.Repairs) {
		if !slices.ContainsFunc(o.out.repairs, func(have *repair.Repair) bool { return have.ID == rep.ID }) {
			o.out.repairs = append(slices.Clip(o.out.repairs), rep)
		}
	}
	for _, pr := range o.selectProbes(o.key+".add_tools", more.Probes) {
		if !slices.ContainsFunc(o.out.probes, func(have *probe.Probe) bool { return have.ID == pr.ID }) {
			o.out.probes = append(slices.Clip(o.out.probes), pr)
		}
	}
}

// drop takes tools away. What is not there to be taken is a mistake.
func (o *owner) drop(own *recipe.ToolsConfig, r *recipe.Recipe) {
	for i, item := range o.c.DropTools {
		key := fmt.Sprintf("%s.drop_tools[%d]", o.key, i)
		name, globs, _ := strings.Cut(strings.TrimSuffix(item, ")"), "(")
		n := 0
		switch {
		case strings.Contains(item, ":") || name == "bash" && globs != "":
			o.at(key, "write the name alone", "drop_tools: %q says more than which tool", item)
			continue
		case name == "repair":
			o.out.repairs = slices.DeleteFunc(slices.Clone(o.out.repairs),
				func(rep *repair.Repair) bool { return counted(&n, recipe.ToolItems([]string{item}).Repairs, rep.ID) })
		case name == "probe":
			o.out.probes = slices.DeleteFunc(slices.Clone(o.out.probes),
				func(pr *probe.Probe) bool { return counted(&n, recipe.ToolItems([]string{item}).Probes, pr.ID) })
		case strings.Contains(item, "."):
			if server, _, _ := strings.Cut(item, "."); slices.Contains(o.out.Servers, server) {
				n++
			}
			own.Allowlist = slices.DeleteFunc(own.Allowlist,
				func(have string) bool { return toolset.Means(item, have) })
		default:
			own.Allowlist = slices.DeleteFunc(own.Allowlist,
				func(have string) bool { return counted(&n, []string{item}, have) })
		}
		if n == 0 {
			o.at(key, "take it out, or see that the recipe offers it",
				"drop_tools: %q is none of the tools that the recipe offers", item)
		}
	}
}

// counted reports whether a glob matches a name, and counts those that do.
func counted(n *int, globs []string, name string) bool {
	for _, g := range globs {
		if ok, _ := path.Match(g, name); ok || g == "*" {
			*n++
			return true
		}
	}
	return false
}

// known reports tools that there are none of.
func (o *owner) known(field string, items []string, r *recipe.Recipe) {
	names := o.builtin()
	for i, item := range items {
		for _, name := range recipe.ToolItems([]string{item}).Allowlist {
			key := fmt.Sprintf("%s.%s[%d]", o.key, field, i)
			switch server, _, served := strings.Cut(name, "."); {
			case name == "web_fetch" && !toolset.Fetches(r):
				o.at(key, "say network: allow, with allow_hosts, or allow_local_fetch: true under Sandbox",
					"web_fetch has nothing to reach: the sandbox has no network")
			case served && !slices.Contains(o.out.Servers, server):
				o.at(key, "list it in mcp:", "contestant %q has no MCP server %q", o.c.Name, server)
			case !served && !slices.Contains(names, name):
				o.unknown(key, "tool", name, names)
			}
		}
	}
}

// builtin are the names of the tools that are no repair's, probe's or server's.
func (o *owner) builtin() []string {
	names := tools.Names()
	if o.recipe.SubAgent.MaxDepth > 0 {
		names = append(names, toolset.Spawn)
	}
	return names
}
